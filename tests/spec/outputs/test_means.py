"""Means of seven people."""

from __future__ import annotations

import math

import pytest

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.means import Means
from tests.spec.outputs.people import PEOPLE, figures


def test_each_mean_is_of_those_whose_value_is_known() -> None:
    means = figures(Means(variables=("AGE", "PAY"), by=("SEX",)), PEOPLE)
    assert means == pytest.approx(
        {"AGE | SEX=f": 35, "AGE | SEX=m": 140 / 3, "PAY | SEX=f": 20, "PAY | SEX=m": 200 / 3}
    )


def test_weighted_mean() -> None:
    assert figures(Means(variables=("PAY",), weights="W", where="SEX = m"), PEOPLE) == {"PAY": (40 + 180 + 100) / 5}


def test_group_without_rows_has_no_mean_and_the_status_says_so() -> None:
    output = Means(variables=("PAY",), by=("SEX",), where="AGE = 50 or SEX = m")
    assert math.isnan(figures(output, PEOPLE)["PAY | SEX=f"])
    assert output.evaluate(PEOPLE).status is Status.EMPTY_GROUP


def test_means_reject_text() -> None:
    with pytest.raises(OutputError, match=r"variables\[0\]: a variable of numbers is needed, 'SEX'"):
        Means(variables=("SEX",)).check(PEOPLE.schema)


def test_means_reject_groups_of_the_variable_itself() -> None:
    with pytest.raises(OutputError, match="by itself"):
        Means(variables=("AGE",), by=("AGE",)).check(PEOPLE.schema)


def test_means_reject_no_variable() -> None:
    with pytest.raises(OutputError, match="at least one variable"):
        Means(variables=())
