"""The linter: what it remarks on, and above all what it leaves in peace."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from divulge.table import table_from_frame
from divulge.table.lint.checks import lint

N = 1000
RNG = np.random.default_rng(11)
AGE = RNG.integers(16, 90, N)
COUNTS = RNG.integers(0, 6, N)


def _codes(**columns: Any) -> list[tuple[str | None, str]]:
    return [(r.variable, r.code) for r in lint(table_from_frame(pd.DataFrame(columns)))]


def _with(values: Any, share: float, code: Any) -> Any:
    """The values with a code in some rows."""
    return np.where(np.random.default_rng(2).random(len(values)) < share, code, values)


@pytest.mark.parametrize(
    "column",
    [
        _with(AGE * 100, 0.1, -8),
        _with(COUNTS, 0.1, -9),
        _with(_with(AGE, 0.1, -9), 0.1, -8),
        _with(AGE, 0.05, -1),
        _with(AGE, 0.05, 999),
        _with(COUNTS, 0.2, 99),
        _with(COUNTS, 0.2, 9),
        _with(_with(AGE, 0.05, 998), 0.05, 999),
    ],
    ids=["-8", "-9", "-8 and -9", "-1", "999", "99", "9", "998 and 999"],
)
def test_missing_codes_left_as_numbers_are_remarked(column: Any) -> None:
    assert ("x", "coded-missing") in _codes(x=column)


@pytest.mark.parametrize(
    "column",
    [
        AGE,
        RNG.integers(1, 100, N),
        RNG.integers(-1, 2, N),
        RNG.integers(-2, 3, N),
        RNG.integers(-20, 40, N),
        RNG.integers(0, 10, N),
        np.where(np.arange(N) == 0, 99, AGE % 60),
        RNG.poisson(2, N),
    ],
    ids=["ages", "up to 99", "-1 to 1", "-2 to 2", "temperatures", "digits", "one person of 99", "counts"],
)
def test_ordinary_numbers_are_not_taken_for_missing_codes(column: Any) -> None:
    assert ("x", "coded-missing") not in _codes(x=column)


def test_group_of_another_variable_is_remarked_once_and_in_the_right_direction() -> None:
    codes = _codes(age=AGE, agegr=AGE // 10, decade=AGE // 20, sex=RNG.integers(0, 2, N))
    assert [c for c in codes if c[1] == "derived"] == [("agegr", "derived"), ("decade", "derived")]
    remarks = {r.variable: r.message for r in lint(table_from_frame(pd.DataFrame({"age": AGE, "agegr": AGE // 10})))}
    assert "follows from 'age'" in remarks["agegr"]


def test_renamed_variable_is_remarked() -> None:
    region = RNG.integers(0, 9, N)
    remarks = lint(table_from_frame(pd.DataFrame({"region": [f"r{r}" for r in region], "code": region + 101})))
    assert [(r.variable, r.message.split(":")[0]) for r in remarks if r.code == "derived"] == [
        ("code", "says the same as 'region'")
    ]


def test_household_number_is_remarked_once_for_all_that_follows_from_it() -> None:
    household = np.repeat(np.arange(N // 4), 4) * 3
    by_house = {f"v{k}": RNG.integers(0, 5, N // 4)[np.arange(N) // 4] for k in range(4)}
    codes = _codes(household=household, **by_house)
    assert [c for c in codes if c[1] in ("derived", "group-identifier")] == [("household", "group-identifier")]


def test_neither_identifiers_nor_constants_nor_luck_count_as_derived() -> None:
    rare = (np.arange(N) == 3).astype(int)
    codes = _codes(id=np.arange(N), sex=RNG.integers(0, 2, N), one=np.ones(N, dtype=int), rare=rare, age=AGE)
    assert [c for c in codes if c[1] == "derived"] == []
    assert ("id", "identifier") in codes
    assert ("one", "constant") in codes


def test_identifiers_are_numbers_and_texts_but_not_measurements() -> None:
    codes = _codes(
        number=RNG.permutation(N), text=[f"P{i:05d}" for i in range(N)], weight=RNG.lognormal(size=N), age=AGE
    )
    assert [v for v, code in codes if code == "identifier"] == ["number", "text"]


def test_small_tables_have_no_identifiers() -> None:
    assert _codes(x=[5, 3, 8, 1]) == []


def test_free_text_is_remarked() -> None:
    answers = [f"I said that number {i} was not to my liking" for i in range(N)]
    assert _codes(x=answers) == [("x", "free-text")]


def test_rare_levels_are_counted() -> None:
    region = np.array(["a", "b"] * 497 + ["c", "c", "d", "d", "d", "d"], dtype=object)
    remarks = lint(table_from_frame(pd.DataFrame({"x": region})))
    assert [(r.code, r.message) for r in remarks] == [("rare-level", "2 levels have fewer than 5 rows (of 4 levels).")]


def test_outlier_that_stretches_the_range_is_remarked_and_a_tail_is_not() -> None:
    income = np.round(RNG.lognormal(7, 0.5, N)).astype(int)
    assert ("x", "outlier") not in _codes(x=income)
    income[0] = 9_000_000
    assert ("x", "outlier") in _codes(x=income)
    assert ("x", "outlier") in _codes(x=-income)


def test_numbers_and_texts_in_one_column_are_remarked() -> None:
    assert ("x", "mixed-types") in _codes(x=[*map(str, AGE[:-5]), "unknown", "unknown", "?", "x", "x"])
    assert _codes(x=["1", "2", "3", "more"] * 50) == []
    assert _codes(x=[f"{i % 12 + 1:02d}" for i in range(N)]) == []


def test_decimal_commas_are_remarked() -> None:
    assert ("x", "decimal-comma") in _codes(x=[f"{a // 10},{a % 10}" for a in AGE])


def test_texts_that_look_missing_are_remarked() -> None:
    assert _codes(x=["yes", "no", "NA", "yes", "no"] * 20) == [("x", "missing-text")]
    assert _codes(x=["None", "Some", "Many"] * 30) == []


def test_stray_blanks_are_remarked() -> None:
    assert _codes(x=["yes", " yes", "no"] * 20) == [("x", "stray-blanks")]


def test_codes_held_as_numbers_are_remarked_and_ages_are_not() -> None:
    assert _codes(sex=RNG.integers(1, 3, N), age=AGE) == [("sex", "coded-category")]


def test_names_that_are_numbers_are_remarked() -> None:
    assert (None, "no-header") in _codes(**{"39": AGE, "77516": COUNTS, "State-gov": ["a", "b"] * (N // 2)})


def test_forty_columns_are_checked_in_a_moment() -> None:
    rng = np.random.default_rng(4)
    columns = {f"v{k}": rng.integers(0, 2 + k, 50_000) for k in range(39)}
    table = table_from_frame(pd.DataFrame(columns | {"last": columns["v38"] // 7}))
    start = time.perf_counter()
    remarks = lint(table)
    # About 0.1 s; a quadratic check by sorting takes a minute.
    assert time.perf_counter() - start < 5
    assert [r.variable for r in remarks if r.code == "derived"] == ["last"]
