"""What each search of an assessment may take adds up to no more than the budget."""

from __future__ import annotations

import os

import pytest

from divulge.assess.budget import limits_of


@pytest.mark.parametrize(("n_passes", "n_splits", "n_smaller"), [(1, 50, 30), (1, 50, 0), (4, 50, 30), (6, 12, 0)])
def test_all_searches_together_keep_to_the_budget(n_passes: int, n_splits: int, n_smaller: int) -> None:
    cores, spent = os.cpu_count() or 1, 0.0
    for number in range(n_passes):
        smaller = n_smaller if number == 0 else 0
        limits = limits_of(number == 0, n_passes, n_splits, smaller, budget=60.0)
        shared = n_splits * limits.split + smaller * limits.smaller
        spent += limits.whole + limits.followed + shared / cores
    assert spent <= 60.0 * (1 + 1e-9)  # rounding of sums


def test_outputs_together_have_three_quarters_where_there_are_several() -> None:
    first, alone = (limits_of(is_first, 3, 50, 0, budget=100.0) for is_first in (True, False))
    assert first.whole == pytest.approx(6 * alone.whole)
