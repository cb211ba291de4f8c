"""What each search of an assessment may take adds up to no more than the budget."""

from __future__ import annotations

import os
from math import inf

import pytest

from divulge.assess.budget import Clock, limits_of


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


def test_searches_are_cut_short_where_the_time_is_nearly_over() -> None:
    clock = Clock.of(60.0)
    assert 50.0 < clock.left <= 60.0
    assert clock.limit(most=1.0, n=10) == 1.0  # there is time
    late = clock.part(0.01)
    assert late.limit(most=1.0, n=10) == pytest.approx(late.left / 10, rel=0.1)  # the clock runs on between the two
    assert not late.suffices(n=10, seconds=1.0)


def test_a_search_has_a_moment_though_the_time_is_over() -> None:
    over = Clock(0.0)
    assert over.is_over
    assert 0 < over.limit(most=1.0, n=50) < 0.1


def test_whoever_says_how_long_a_search_may_take_has_no_budget() -> None:
    assert Clock().left == inf
    assert Clock().limit(most=7.0, n=1000) == 7.0


def test_what_splits_take_beside_their_search_is_taken_off_the_time_for_it() -> None:
    clock = Clock.of(64.0)  # a minute for the passes
    assert clock.limit(most=9.0, n=50, beside=0.7) == pytest.approx(0.5, abs=0.05)  # of 1.2 seconds each
    assert clock.limit(most=0.4, n=50, beside=0.7) == 0.4
    assert 0 < clock.limit(most=9.0, n=50, beside=5.0) < 0.1
