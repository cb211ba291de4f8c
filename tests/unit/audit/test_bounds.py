"""Intervals of withheld cells, on published examples and at awkward places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from divulge.audit.bounds import find_bounds
from divulge.audit.budget import Budget
from divulge.audit.system import System
from tests.unit.audit.systems import (
    COUNTIES,
    SIZES,
    WITHHELD,
    countries,
    exactly,
    four_by_four,
    handbook,
    regions,
    target,
)


def _intervals(system: System) -> dict[str, tuple[float, float]]:
    found = find_bounds(system)
    assert found.is_possible
    assert found.n_unreached == 0
    return dict(zip(system.cells, zip(found.low.tolist(), found.high.tolist(), strict=True), strict=True))


def test_handbooks_cell_lies_between_3_and_6() -> None:
    assert _intervals(handbook())["11"] == (3, 6)


@pytest.mark.parametrize("groupings", [(COUNTIES,), (SIZES,)], ids=["by county", "by size"])
def test_each_of_two_linked_tables_protects_its_cells(groupings: tuple[dict[str, str], ...]) -> None:
    found = _intervals(regions(*groupings))
    assert all(found[cell][0] < found[cell][1] for cell in "ABKLM")


def test_two_linked_tables_together_reveal_a_cell() -> None:
    found = _intervals(regions(COUNTIES, SIZES))
    assert found["K"] == (3, 3)
    assert all(found[cell][0] < found[cell][1] for cell in "ABLM")


def test_withholding_one_more_cell_protects_linked_tables() -> None:
    found = _intervals(regions(COUNTIES, SIZES, withheld="ABKLMN"))
    assert all(found[cell][0] < found[cell][1] for cell in "ABKLMN")


def test_cell_is_exact_although_its_row_and_column_have_two_withheld() -> None:
    found = _intervals(four_by_four())
    assert found["wb"] == (47, 47)
    assert [cell for cell in WITHHELD if found[cell][0] == found[cell][1]] == ["wb"]


def test_one_more_withheld_cell_protects_the_exact_one() -> None:
    found = _intervals(four_by_four("xb"))
    assert all(found[cell][0] < found[cell][1] for cell in WITHHELD)


def test_bounds_hold_without_a_known_point() -> None:
    # Two ways through the same programs; HiGHS promises a billionth.
    alone, around = replace(four_by_four(), point=None), four_by_four()
    assert find_bounds(alone).low == pytest.approx(find_bounds(around).low, abs=1e-6)
    assert find_bounds(alone).high == pytest.approx(find_bounds(around).high, abs=1e-6)


def test_sum_that_is_zero_makes_every_part_zero() -> None:
    assert _intervals(System.of("ab", {"total": exactly("ab", 0)})) == {"a": (0, 0), "b": (0, 0)}


def test_cell_that_no_figure_speaks_of_has_no_upper_bound() -> None:
    assert _intervals(System.of("ab", {"a": exactly("a", 5)}))["b"] == (0, np.inf)


def test_counts_are_whole_where_sums_are_not() -> None:
    # 2a + 2b + 2c = 6 with a + b, b + c, a + c at least 1: a is at most 3, and 2a is 1 nowhere.
    figures = {"ab": ({"a": 1, "b": 1}, 0.9, 2.1), "a": ({"a": 2}, 0.5, 3.5)}
    assert _intervals(System.of("ab", figures))["a"] == (1, 1)
    assert _intervals(System.of("ab", figures, is_whole=False))["a"] == (0.25, pytest.approx(1.75, abs=1e-9))


def test_odd_cycle_needs_whole_numbers() -> None:
    # a + b = b + c = a + c = 1 holds for halves alone.
    pairs = {f"{p}{q}": exactly((p, q), 1) for p, q in ("ab", "bc", "ac")}
    assert not find_bounds(System.of("abc", pairs)).is_possible
    assert find_bounds(System.of("abc", pairs, is_whole=False)).low == pytest.approx([0.5] * 3, abs=1e-9)


def test_rounded_figures_are_intervals() -> None:
    # Rounded to base 5: a is 5 (3 to 7), the total 10 (8 to 12), so b is 1 to 9.
    figures = {"a": ({"a": 1.0}, 2.5, 7.5), "total": ({"a": 1.0, "b": 1.0}, 7.5, 12.5)}
    assert _intervals(System.of("ab", figures)) == {"a": (3, 7), "b": (1, 9)}


def test_targets_may_be_sums_of_cells_in_different_components() -> None:
    system = System.of("abcd", {"ab": exactly("ab", 3), "cd": exactly("cd", 4)})
    found = find_bounds(system, sparse.csr_array(np.array([[1.0, 0, 1, 0], [1, 1, 0, 1], [1, -1, 0, 0]])))
    assert found.low.tolist() == [0, 3, -3]
    assert found.high.tolist() == [7, 7, 3]


def test_contradictory_figures_have_no_bounds() -> None:
    assert not find_bounds(System.of("ab", {"a": exactly("a", 3), "total": exactly("ab", 2)})).is_possible


def test_spent_budget_gives_intervals_that_hold_the_true_ones_and_says_so() -> None:
    system = four_by_four()
    partial, full = find_bounds(system, budget=Budget(0.0)), find_bounds(system)
    assert partial.n_unreached > 0
    assert (partial.low <= full.low + 1e-6).all()  # as far as bounds are promised
    assert (partial.high >= full.high - 1e-6).all()


def test_cells_seen_to_vary_enough_are_not_solved_to_the_end() -> None:
    system = four_by_four()
    found, full = find_bounds(system, wide_enough=np.full(16, 3.0)), find_bounds(system)
    short = ~found.is_sharp
    assert short.any()
    assert (found.high - found.low >= 3)[short].all()
    assert (found.low >= full.low - 1e-6)[short].all()  # what was seen is possible


def test_large_sums_keep_small_intervals() -> None:
    # A magnitude table in cents: two firms of a billion with three euros between them.
    values = np.array([3_753_596_956.73, 1.5, 1.5])
    system = System.of(
        "abc",
        {"total": exactly("abc", values.sum()), "a": exactly("a", values[0])},
        is_whole=False,
        point=values.tolist(),
    )
    found = find_bounds(system)
    assert (found.low[1], found.high[1]) == (pytest.approx(0, abs=1e-6), pytest.approx(3, abs=1e-6))


@pytest.mark.parametrize(
    ("cells", "interval"),
    [
        (("young Iceland 2015",), (0, 4)),
        (("young Iceland 2016",), (0, 4)),
        (("old Portugal 2014",), (0, 6)),
        (("young Portugal 2016",), (0, 6)),
    ],
)
def test_linked_tables_have_the_intervals_that_gausssuppression_prints(
    cells: tuple[str, ...], interval: tuple[float, float]
) -> None:
    system = countries()
    found = find_bounds(system, sparse.csr_array(target(system, *cells)[None, :]))
    assert (found.low[0], found.high[0]) == (pytest.approx(interval[0], abs=1e-6), pytest.approx(interval[1], abs=1e-6))


def test_large_components_give_the_same_answers_by_interior_points(monkeypatch: pytest.MonkeyPatch) -> None:
    system, need = four_by_four(), np.full(16, 3.0)
    usual = find_bounds(system)
    monkeypatch.setattr("divulge.audit.bounds.LARGE", 2)
    found = find_bounds(system)
    assert found.low == pytest.approx(usual.low, abs=1e-6)
    assert found.high == pytest.approx(usual.high, abs=1e-6)
    swept = find_bounds(system, wide_enough=need)
    assert ((swept.high - swept.low >= 3) == (usual.high - usual.low >= 3)).all()


def _cube(withheld_below: int) -> System:
    """Counts of 6 × 5 × 4 with the sums over each variable, small ones withheld."""
    values = np.random.default_rng(3).poisson(4.0, (6, 5, 4))  # any seed: most cells hang together
    number = np.arange(values.size).reshape(values.shape)
    lines = [np.moveaxis(number, axis, -1).reshape(-1, values.shape[axis]) for axis in range(3)]
    matrix = np.array([np.isin(number.ravel(), line) for axis in lines for line in axis], dtype=float)
    cells = values.ravel().astype(float)
    sums = matrix @ cells
    shown = cells >= withheld_below
    least, most = np.where(shown, cells, 0.0), np.where(shown, cells, np.inf)
    names = tuple(map(str, range(len(sums)))), tuple(map(str, range(len(cells))))
    return System(sparse.csr_array(matrix), sums, sums, least, most, False, *names, cells)


@pytest.mark.parametrize("withheld_below", [4, 5])
def test_large_components_are_bounded_by_what_is_near_no_closer_than_by_everything(
    withheld_below: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, need = _cube(withheld_below), np.full(120, 2.5)
    usual = find_bounds(system)
    monkeypatch.setattr("divulge.audit.bounds.LARGE", 40)
    found = find_bounds(system, wide_enough=need)
    sharp = found.is_sharp
    assert (usual.high - usual.low > 1e-6).any()
    assert found.low[sharp] == pytest.approx(usual.low[sharp], abs=1e-6)  # as far as bounds are promised
    assert found.high[sharp] == pytest.approx(usual.high[sharp], abs=1e-6)
    assert (found.high - found.low >= need - 1e-6)[~sharp].all()
    assert ((usual.high - usual.low)[sharp & (usual.high > usual.low + 1e-6)] < need[0] + 1e-6).any()
