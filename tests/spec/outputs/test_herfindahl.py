"""Concentration of a few numbers."""

from __future__ import annotations

import pytest

from divulge.errors import OutputError
from divulge.outputs.kinds.herfindahl import Herfindahl
from tests.spec.outputs.people import drawn, figures

FIRMS = drawn("FIRM BRANCH SALES W\nx n 6 1\nx s 2 1\ny n 1 2\nz s 1 1")


def test_every_row_is_a_unit() -> None:
    assert figures(Herfindahl(variables=("SALES",)), FIRMS) == {"SALES": 0.36 + 0.04 + 0.01 + 0.01}


def test_rows_of_a_firm_are_one_unit() -> None:
    found = figures(Herfindahl(variables=("SALES",), units="FIRM"), FIRMS)
    assert found == {"SALES": pytest.approx(0.64 + 0.01 + 0.01)}


def test_by_groups_and_weighted() -> None:
    found = figures(Herfindahl(variables=("SALES",), units="FIRM", by=("BRANCH",), weights="W"), FIRMS)
    assert found == pytest.approx({"SALES | BRANCH=n": (36 + 4) / 64, "SALES | BRANCH=s": (4 + 1) / 9})


def test_herfindahl_rejects_negative_values() -> None:
    with pytest.raises(OutputError, match="negative"):
        Herfindahl(variables=("X",)).check(drawn("X\n-1\n2").schema)


def test_herfindahl_rejects_units_that_are_groups() -> None:
    with pytest.raises(OutputError, match="already"):
        Herfindahl(variables=("SALES",), units="FIRM", by=("FIRM",))
