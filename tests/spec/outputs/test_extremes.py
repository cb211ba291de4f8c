"""The smallest and the largest of seven people's values."""

from __future__ import annotations

import pytest

from divulge.errors import SpecError
from divulge.outputs.kinds.extremes import Extremes
from tests.spec.outputs.people import PEOPLE, figures


def test_minimum_and_maximum_by_groups() -> None:
    assert figures(Extremes(variables=("PAY",), by=("SEX",)), PEOPLE) == {
        "minimum PAY | SEX=f": 10,
        "minimum PAY | SEX=m": 40,
        "maximum PAY | SEX=f": 30,
        "maximum PAY | SEX=m": 100,
    }


def test_maximum_means_nobody_above_and_somebody_at_it() -> None:
    output = Extremes(variables=("PAY",), show=("maximum",), decimals=-1)
    lowered = output.lower(PEOPLE.schema, output.publish(output.evaluate(PEOPLE), PEOPLE.schema))
    assert lowered.residuals_at(PEOPLE).tolist() == [0, 1]
    without = PEOPLE.take(slice(6))
    assert lowered.residuals_at(without).tolist() == [0, 0]
    lower = output.lower(PEOPLE.schema, output.publish(output.evaluate(without), PEOPLE.schema))
    assert lower.residuals_at(PEOPLE).tolist() == [1, 1]
    assert lower.low.tolist() == [float("-inf"), 0.5]
    assert lower.high.tolist() == [0.5, float("inf")]


def test_extremes_reject_neither() -> None:
    with pytest.raises(SpecError, match="at least one entry is needed"):
        Extremes(variables=("PAY",), show=())
