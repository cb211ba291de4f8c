"""Numeric variables in groups: breaks, ends, special codes, too few values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from divulge.errors import MeasureError
from divulge.measures import Groups, measure
from divulge.measures.counting.grouping import _breaks, _quantile_breaks, group_tables
from divulge.table import align, table_from_frame


def grouped(values: list[float | None], how: Groups, *more: list[float | None]) -> list[str]:
    tables = align(*(table_from_frame(pd.DataFrame({"x": v})) for v in (values, *more)))
    first = group_tables(tables, {"x": how}, pooled=len(tables))[0]
    return [first.schema["x"].display[c] for c in first["x"]]


def test_groups_are_closed_below_and_the_last_above_too() -> None:
    shown = grouped([1, 2, 3, 4, 5, 6, 7], Groups(3))
    assert shown == ["[1, 3)", "[1, 3)", "[3, 5)", "[3, 5)", "[5, 7]", "[5, 7]", "[5, 7]"]


def test_breaks_come_from_all_files_together() -> None:
    assert grouped([1, 2, 3], Groups(3), [7, 8, 9, 10]) == ["[1, 3)", "[1, 3)", "[3, 8)"]


def test_special_codes_and_missing_values_stay_levels() -> None:
    shown = grouped([-8, 1, 2, 3, 4, 8, None], Groups(2, (-8,)))
    assert shown == ["-8", "[1, 3)", "[1, 3)", "[3, 8]", "[3, 8]", "[3, 8]", "missing"]


def test_no_more_values_than_groups_are_left_as_they_are() -> None:
    assert grouped([3, 1, 2, 1], Groups(5)) == ["3", "1", "2", "1"]


def test_quantiles_that_leave_two_groups_give_way_to_equal_widths() -> None:
    # All quartiles but the last are 0, so that there is one group; equal widths make four.
    values: list[float | None] = [0] * 20 + [1, 2, 3, 8]
    assert set(grouped(values, Groups(4))) == {"[0, 2)", "[2, 4)", "[6, 8]"}


def test_special_code_counts_as_a_level_when_groups_are_few() -> None:
    values: list[float | None] = [0] * 10 + [1] * 10 + [2, 3, 8] + [-8] * 3
    # Two groups and the special code are three levels: as synthpop, the quantiles stay.
    assert {"[0, 1)", "[1, 8]", "-8"} == set(grouped(values, Groups(2, (-8,))))


def test_quantiles_are_numpys_linear_ones() -> None:
    rng = np.random.default_rng(5)
    for n in (2, 7, 20):
        values = rng.integers(0, 60, 501) / 8
        distinct, counts = np.unique(values, return_counts=True)
        assert _quantile_breaks(distinct, counts, n) == pytest.approx(np.quantile(values, np.arange(n + 1) / n))


def test_equal_breaks_are_merged() -> None:
    found = _breaks(np.array([0.0, 1, 2, 3, 4]), np.array([50, 1, 1, 1, 47]), 4, n_special=1)
    assert found is not None
    assert found.tolist() == [0, 0.5, 4]


def test_near_values_are_disclosed_once_grouped() -> None:
    people = pd.DataFrame({"k": [1, 2, 3, 4], "t": [10, 20, 30, 40]})
    synthetic = pd.DataFrame({"k": [1, 2, 3, 4], "t": [11, 21, 31, 41]})
    assert measure(people, synthetic, ["k"], "t")["DiSCO"].value == 0
    assert measure(people, synthetic, ["k"], "t", groups={"t": Groups(4)})["DiSCO"].value == 1


def test_holdout_values_outside_fall_into_the_outer_groups() -> None:
    people = pd.DataFrame({"k": [1, 1, 1, 1], "t": [1, 2, 3, 4]})
    out = pd.DataFrame({"k": [1, 1], "t": [-50, 99]})
    found = measure(people, people, ["k"], "t", holdout=out, groups={"t": Groups(2)})
    assert found.holdout["DCAP"][0].value == 0.5


def test_grouping_rejects_texts_and_single_groups() -> None:
    people = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"]})
    with pytest.raises(MeasureError, match="not numeric"):
        measure(people, people, ["k"], "t", groups={"t": Groups(3)})
    with pytest.raises(MeasureError, match="at least 2 groups"):
        Groups(1)
    with pytest.raises(MeasureError, match="neither a key nor a target"):
        measure(people, people, ["k"], "t", groups={"z": Groups(3)})
