"""Weights that leave a few of many people: figures are those of the few."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.contributions import Case
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.gini import Gini
from divulge.outputs.kinds.ratios import Ratios
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.kinds.totals import Totals
from divulge.outputs.output import Output
from divulge.rules import Finding
from divulge.rules.value_given_away import ValueGivenAway
from divulge.table import Table
from tests.support.tables import small_table

_OUTPUTS = (
    Shape(variables=("PAY",), weights="WEIGHT", decimals=4),
    Correlation(variables=("PAY", "AGE"), weights="WEIGHT", decimals=6),
    Gini(variables=("PAY",), weights="WEIGHT", decimals=6),
    Ratios(outcome="ILL", exposure="SEX", weights="WEIGHT", decimals=4),
    Totals(variables=("ILL",), weights="WEIGHT"),
)


def _people(weights: list[float]) -> Table:
    rng = np.random.default_rng(5)  # any: only the weights matter
    n = len(weights)
    return small_table(
        PAY=[int(p) for p in rng.integers(100, 400, n)],
        AGE=[int(a) for a in rng.integers(18, 90, n)],
        ILL=[i % 2 for i in range(n)],
        SEX=["f", "f", "m", "m"] * (n // 4),
        WEIGHT=weights,
    )


def _found(output: Output, table: Table) -> list[Finding]:
    released = output.publish(output.evaluate(table), table.schema)
    return [f for f in ValueGivenAway().find(Case(0, output, released, table)) if "weights" in f.sentence]


@pytest.mark.parametrize("output", _OUTPUTS, ids=lambda o: o.kind)
def test_weights_that_leave_three_people_are_refused(output: Output) -> None:
    assert _found(output, _people([1e6, 1e6, 1e6] + [1.0] * 97))


@pytest.mark.parametrize("output", _OUTPUTS, ids=lambda o: o.kind)
def test_survey_weights_of_usual_sizes_are_not(output: Output) -> None:
    assert not _found(output, _people([1.0, 5.0, 20.0, 40.0] * 25))


def test_powers_of_two_that_list_who_is_ill_are_refused() -> None:
    assert _found(_OUTPUTS[4], _people([2.0**k for k in range(40)]))
