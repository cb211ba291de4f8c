"""Merges: what they are looking for, and that they find it at little loss."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.merging import Cells, Goal, Levels, find_merges
from divulge.merging.goal import _exposures
from divulge.merging.rows import Rows


def people(goal: Goal, counts: list[list[int]]) -> float:
    return Rows([Cells(("A", "B"), np.array(counts))], goal).weigh({}).people


@pytest.mark.slow
def test_goal_counts_people_in_thin_cells() -> None:
    assert people(Goal(fewest=10), [[3, 20], [0, 9]]) == 12


def test_goal_counts_groups_that_share_a_rare_value() -> None:
    assert people(Goal(rarest=0.1), [[90, 0], [0, 4]]) == 4
    assert people(Goal(rarest=0.01), [[90, 0], [0, 4]]) == 0


@pytest.mark.parametrize(("cell", "group"), [(1, 1), (1, 5), (3, 7), (2, 30)])
def test_exposure_over_halves_is_what_drawing_halves_gives(cell: int, group: int) -> None:
    rng = np.random.default_rng(1)  # any seed: four standard errors below
    share, n = 0.25, 40_000
    mates, others = rng.binomial(cell - 1, 0.5, n), rng.binomial(group - cell, 0.5, n)
    inside = (1 + mates + share) / (2 + mates + others)
    outside = (mates + share) / (1 + mates + others)
    drawn = inside - outside
    found = _exposures()[cell, group] @ [1.0, share]
    assert abs(found - drawn.mean()) <= 4 * drawn.std() / np.sqrt(n) + 1e-12  # rounding of sums


def test_thin_level_is_merged_with_the_smallest_and_the_others_stay() -> None:
    table = Cells(("A", "B"), np.array([[100, 200], [3, 40], [30, 20], [500, 400]]))
    found = find_merges([table], {"A": Levels(4, False)}, Goal(fewest=10))
    assert found is not None
    assert found["A"].tolist() == [0, 1, 1, 3]


def test_ordered_levels_are_merged_with_neighbours_only() -> None:
    table = Cells(("A",), np.array([50, 3, 40, 2]))
    found = find_merges([table], {"A": Levels(4, True)}, Goal(fewest=10))
    assert found is not None
    groups = found["A"].tolist()
    assert groups == sorted(groups)
    assert groups[2] == groups[3]


def test_nothing_is_found_where_nothing_helps() -> None:
    assert find_merges([Cells(("A",), np.array([3, 4]))], {"A": Levels(2, False)}, Goal(fewest=10)) is None


def test_wide_table_of_few_people_is_merged_without_a_look_at_its_empty_cells() -> None:
    rng = np.random.default_rng(3)  # any seed
    shape = (2, 2, 2, 5, 10, 90)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, tuple(rng.integers(0, n, 1_000) for n in shape), 1)
    names = tuple("ABCDEF")
    levels = {name: Levels(n, n > 50) for name, n in zip(names, shape, strict=True)}
    found = find_merges([Cells(names, counts)], levels, Goal(10, 0.1, 0.1))
    assert found is not None
    assert Rows([Cells(names, counts)], Goal(10, 0.1, 0.1)).weigh(found).people == 0


def test_small_levels_are_merged_with_each_other_where_together_they_are_large_enough() -> None:
    """No two of them are: a path that looks at pairs puts each with a large one."""
    table = Cells(("A",), np.array([12, 12, 12, 3, 4, 5]))
    found = find_merges([table], {"A": Levels(6, False)}, Goal(fewest=12))
    assert found is not None
    assert found["A"].tolist() == [0, 1, 2, 3, 3, 3]


def test_variables_are_kept_where_that_is_asked_for_and_possible() -> None:
    counts = np.array([[40, 3], [30, 4], [50, 4], [45, 2]])
    table, levels = Cells(("A", "B"), counts), {"A": Levels(4, False), "B": Levels(2, False)}
    free = find_merges([table], levels, Goal(fewest=5), 12)
    kept = find_merges([table], levels, Goal(fewest=5), 12, keeps=True)
    assert free is not None
    assert len(set(free["B"].tolist())) == 1
    assert kept is not None
    assert [len(set(kept[name].tolist())) for name in "AB"] == [2, 2]
    assert find_merges([table], {"B": levels["B"]}, Goal(fewest=5), keeps=True) is None


def test_a_few_thin_cells_are_left_to_be_withheld_where_that_keeps_more() -> None:
    counts = np.array([[100, 90, 80], [95, 3, 85], [70, 110, 60]])
    table, levels = Cells(("A", "B"), counts), {"A": Levels(3, False), "B": Levels(3, False)}
    merged = find_merges([table], levels, Goal(fewest=10))
    withheld = find_merges([table], levels, Goal(fewest=10), withholds=True)
    assert merged is not None
    assert withheld is not None
    assert [withheld[name].tolist() for name in "AB"] == [[0, 1, 2], [0, 1, 2]]
    rows = Rows([table], Goal(fewest=10))
    assert rows.weigh(withheld).people == 3
    assert rows.weigh(withheld).kept > rows.weigh(merged).kept


def test_levels_are_merged_before_they_are_withheld_where_most_cells_are_thin() -> None:
    counts = np.array([6, 6, 6, 6, 50, 60])
    table, levels = Cells(("A",), counts), {"A": Levels(6, False)}
    found = find_merges([table], levels, Goal(fewest=10), withholds=True)
    assert found is not None
    assert Rows([table], Goal(fewest=10)).weigh(found).people == 0
