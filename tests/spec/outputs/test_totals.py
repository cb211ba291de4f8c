"""Totals of seven people."""

from __future__ import annotations

import pytest

from divulge.outputs.kinds.totals import Totals
from tests.spec.outputs.people import PEOPLE, figures


def test_totals_by_groups() -> None:
    assert figures(Totals(variables=("PAY",), by=("SEX",)), PEOPLE) == {"PAY | SEX=f": 60, "PAY | SEX=m": 200}


def test_shares_of_the_total() -> None:
    shares = figures(Totals(variables=("PAY",), by=("SEX",), statistic="percentages"), PEOPLE)
    assert list(shares.values()) == pytest.approx([100 * 60 / 260, 100 * 200 / 260])


def test_weighted_total() -> None:
    assert figures(Totals(variables=("PAY",), weights="W"), PEOPLE) == {"PAY": 10 + 20 + 60 + 40 + 180 + 100}
