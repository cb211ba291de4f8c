"""Merges: what they are looking for, and that they find it at little loss."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.merging import Cells, Goal, Levels, find_merges
from divulge.merging import goal as goals


def test_goal_counts_people_in_thin_cells() -> None:
    assert Goal(fewest=10).people(np.array([[3, 20], [0, 9]])) == 12


def test_goal_counts_groups_that_share_a_rare_value() -> None:
    counts = np.array([[90, 0], [0, 4]])
    assert Goal(rarest=0.1).people(counts) == 4
    assert Goal(rarest=0.01).people(counts) == 0


@pytest.mark.parametrize(("cell", "group"), [(1, 1), (1, 5), (3, 7), (2, 30)])
def test_exposure_over_halves_is_what_drawing_halves_gives(cell: int, group: int) -> None:
    rng = np.random.default_rng(1)  # any seed: four standard errors below
    share, n = 0.25, 40_000
    mates, others = rng.binomial(cell - 1, 0.5, n), rng.binomial(group - cell, 0.5, n)
    inside = (1 + mates + share) / (2 + mates + others)
    outside = (mates + share) / (1 + mates + others)
    drawn = inside - outside
    found = goals._exposure(cell, group, round(share * goals.STEPS))
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
