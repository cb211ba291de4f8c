"""Variables that are one another but for a few people: found, told apart from those that are merely alike."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.contributions.twins import sums_of, twins_of
from divulge.table import Table
from tests.support.tables import small_table

N = 200


def _pay() -> list[float]:
    rng = np.random.default_rng(11)  # any: what is asked holds for every draw
    return [round(float(p), 2) for p in np.exp(rng.normal(2, 0.5, N))]


def _people(**more: list[object]) -> Table:
    rng = np.random.default_rng(12)
    other = [round(float(p), 2) for p in rng.normal(10, 2, N)]
    return small_table(pay=_pay(), other=other, kind=["a", "b", "c", "d"] * (N // 4), **more)


def _apart(table: Table, other: str, of: str = "pay", most: int = 3) -> list[int] | None:
    found = {(a, b): np.flatnonzero(apart).tolist() for a, b, apart in twins_of(table, (of, other), most)}
    return found.get((of, other))


@pytest.mark.parametrize(("factor", "more"), [(1.25, 3.0), (-1.0, 0.0), (100.0, 0.0)], ids=["units", "minus", "cents"])
def test_other_units_are_the_same_variable(factor: float, more: float) -> None:
    twin: list[object] = [round(p * factor + more, 2) for p in _pay()]
    assert _apart(_people(twin=twin), "twin") == []


def test_whoever_has_another_value_is_named() -> None:
    pay = _pay()
    top = sorted(pay)[-4]
    capped: list[object] = [min(p, top) for p in pay]
    above = [i for i, p in enumerate(pay) if p > top]
    assert len(above) == 3
    assert _apart(_people(twin=capped), "twin") == above
    assert _apart(_people(twin=capped), "twin", most=2) is None


def test_one_recoded_among_levels_is_named() -> None:
    recoded: list[object] = [{"a": "x", "b": "y", "c": "z", "d": "w"}[k] for k in ["a", "b", "c", "d"] * (N // 4)]
    recoded[17] = "x"
    assert _apart(_people(twin=recoded), "twin", of="kind") == [17]


def test_what_is_unlike_or_rare_or_coarser_is_no_twin() -> None:
    rare: list[object] = [1 if i < 2 else 0 for i in range(N)]
    rarer: list[object] = [1 if i == 9 else 0 for i in range(N)]
    coarser: list[object] = ["ab" if i % 4 < 2 else "cd" for i in range(N)]
    noisy: list[object] = [round(p + (i % 7) / 3, 2) for i, p in enumerate(_pay())]
    table = _people(rare=rare, rarer=rarer, coarser=coarser, noisy=noisy)
    assert twins_of(table, tuple(table.names), 3) == []


def _columns(k: int) -> list[np.ndarray]:
    rng = np.random.default_rng(13)
    return [rng.integers(0, 1000, 5000).astype(float) for _ in range(k)]


def _sums(*columns: np.ndarray) -> list[tuple[dict[int, int], list[int]]]:
    known = [~np.isnan(c) for c in columns]
    found = sums_of([np.nan_to_num(c) for c in columns], known, np.ones(len(columns[0])), 3)
    return [(ways, np.flatnonzero(apart).tolist()) for ways, apart in found]


def test_a_variable_that_is_made_of_two_or_three_others_is_found_with_whoever_has_another_value() -> None:
    a, b, c, d = _columns(4)
    missing = np.where(np.arange(5000) % 3, a - b, np.nan)
    assert _sums(a, c, b, a + b) == [({0: 1, 2: 1, 3: -1}, [])]
    assert _sums(a, b, missing) == [({0: 1, 1: -1, 2: -1}, [])]
    assert _sums(a, b, (a + b) / 2) == [({0: 1, 1: 1, 2: -2}, [])]
    assert _sums(a, b, c, 7 + a + b - c) == [({0: 1, 1: 1, 2: -1, 3: -1}, [])]
    other = np.where(np.isin(np.arange(5000), [8, 77, 4000]), d, a + b)
    assert _sums(a, b, other) == [({0: 1, 1: 1, 2: -1}, [8, 77, 4000])]


def test_what_is_nearly_a_sum_or_one_for_most_is_none() -> None:
    a, b, c, _ = _columns(4)
    rare = np.where(np.arange(5000) < 5, a, 0.0)
    assert _sums(a, b, a + b + c / 1000) == []
    assert _sums(a, b, np.where(np.arange(5000) % 9 == 0, c, a + b)) == []
    assert _sums(a, b, np.where(np.isin(np.arange(5000), [8, 77, 400, 4000]), c, a + b)) == []
    assert _sums(a, rare, a + rare) == []
    assert _sums(a, b) == []
