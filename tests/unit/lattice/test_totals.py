"""What printed means and standard deviations allow, on examples to check by hand and by trying everything."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from divulge.lattice.totals import _possible_squares, _possible_totals, possible_sets


def test_a_mean_of_3_45_is_impossible_for_19_people_with_whole_values() -> None:
    # The example of Brown & Heathers (2017): 65/19 = 3.42 and 66/19 = 3.47.
    assert _possible_totals(19, 3.445, 3.455, 1, 7).tolist() == []
    assert _possible_totals(19, 3.465, 3.475, 1, 7).tolist() == [66]


def test_totals_stay_within_what_the_values_allow() -> None:
    assert _possible_totals(3, -5.0, 5.0, 0, 1).tolist() == [0, 1, 2, 3]


def test_sum_of_squares_has_the_parity_of_the_total() -> None:
    found = _possible_squares(5, 13, 0.0, 1.5)
    assert (found % 2 == 1).all()
    assert found.min() == 2 * 4 + 3 * 9  # 2, 2, 3, 3, 3 is the evenest


@pytest.mark.parametrize("decimals", [0, 1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_sets_are_those_found_by_trying_all(decimals: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, 8, 6)
    half = 0.5 * 10.0**-decimals
    mean, sd = round(y.mean(), decimals), round(y.std(ddof=1), decimals)
    wanted = {
        c
        for c in combinations_with_replacement(range(2, 8), 6)
        if abs(np.mean(c) - mean) <= half + 1e-9 and abs(np.std(c, ddof=1) - sd) <= half + 1e-9  # ties
    }
    found, is_all = possible_sets(6, 2, 7, (mean - half, mean + half), (sd - half, sd + half), most=5000)
    assert is_all
    assert {tuple(map(int, f)) for f in found} == wanted


def test_sets_that_are_too_many_are_cut_short_and_said_to_be() -> None:
    found, is_all = possible_sets(12, 0, 30, (14.0, 16.0), None, most=50)
    assert len(found) == 50
    assert not is_all
