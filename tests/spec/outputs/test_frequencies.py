"""Frequencies of seven people."""

from __future__ import annotations

import pytest

from divulge.errors import OutputError
from divulge.outputs import read_released
from divulge.outputs.kinds.frequencies import Frequencies
from tests.spec.outputs.people import PEOPLE, figures


def test_each_variable_is_counted_on_its_own() -> None:
    assert figures(Frequencies(variables=("SEX", "AREA")), PEOPLE) == {"SEX=f": 4, "SEX=m": 3, "AREA=n": 3, "AREA=s": 4}


def test_shares_leave_out_missing_values() -> None:
    shares = figures(Frequencies(variables=("PAY",), statistic="percentages"), PEOPLE)
    assert list(shares.values()) == pytest.approx([100 / 6] * 6)


def test_missing_values_may_be_a_category() -> None:
    assert figures(Frequencies(variables=("PAY",), missing="include"), PEOPLE)["PAY=missing"] == 1


def test_weights_and_where() -> None:
    assert figures(Frequencies(variables=("SEX",), weights="W", where="AREA = s"), PEOPLE) == {"SEX=f": 3, "SEX=m": 4}


def test_frequencies_reject_a_threshold_of_shares() -> None:
    with pytest.raises(OutputError, match="have no threshold"):
        Frequencies(variables=("SEX",), statistic="proportions", threshold=5)


def test_frequencies_reject_numbers_that_do_not_add_up() -> None:
    with pytest.raises(OutputError, match="counts of 'SEX' do not add to 7"):
        read_released(Frequencies(variables=("SEX",), released=[4, 2]), PEOPLE.schema, n_rows=7)
    with pytest.raises(OutputError, match="percentages of 'SEX' do not add to 100"):
        read_released(Frequencies(variables=("SEX",), statistic="percentages", released=[57, 45]), PEOPLE.schema)
