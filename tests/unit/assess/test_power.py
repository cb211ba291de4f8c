"""Power is what it says: people who are made exposed by twice δ are found as often as stated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from divulge.assess.statistics.exposure import Exposed, confirm, find_exposed
from divulge.assess.statistics.halves import Halves
from divulge.assess.statistics.power import power_of
from divulge.designs import BLOCK, CONFIRMING
from divulge.policy import Policy
from tests.support.scores import labels_of, sums_of

POLICY = Policy()


def _halves(scores: np.ndarray, inside: np.ndarray) -> Halves:
    sums = sums_of(scores, inside)
    halves = Halves((sums.lookup,))
    halves.sums, halves.masks = [sums], list(inside.T)
    halves.blocks = [s // BLOCK for s in range(inside.shape[1])]
    return halves


def _found(halves: Halves, first: np.ndarray) -> Exposed:
    return find_exposed(halves.tested, halves.masks, halves.blocks, POLICY.delta, POLICY.false_discoveries, first)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_rows", "n_first", "n_splits", "noise"),
    [
        (120, 10, 20, 0.09),
        (120, 90, 30, 0.11),
        (120, 10, 16, 0.05),
        # So many are the first that all tests weigh the same: 5,040 arrangements are too few for 360 people.
        (360, 200, 16, 0.06),
    ],
)
def test_stated_power_is_the_share_of_planted_people_who_are_found(
    n_rows: int, n_first: int, n_splits: int, noise: float
) -> None:
    first, stated, n_found = np.arange(n_rows) < n_first, [], 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        inside, later = labels_of(n_rows, n_splits, seed), labels_of(n_rows, CONFIRMING, seed + 1000)
        scores, again = (0.4 + rng.normal(0, noise, labels.shape) for labels in (inside, later))
        # Everybody else varies so much that they are tested too, and nobody is exposed.
        scores[n_first:] = 0.4 + rng.normal(0, 0.1, scores[n_first:].shape)
        halves = _halves(np.clip(scores, 0, 1), inside)
        stated.append(power_of(halves, [0], _found(halves, first), first, POLICY))
        for person in range(5):
            planted = [s.copy() for s in (scores, again)]
            for made, labels in zip(planted, (inside, later), strict=True):
                made[person] += 2 * POLICY.delta * labels[person]
            found = _found(_halves(np.clip(planted[0], 0, 1), inside), first)
            blocks = [s // BLOCK for s in range(CONFIRMING)]
            sums = sums_of(np.clip(planted[1], 0, 1), later)
            kept = confirm(found, [sums], list(later.T), blocks, POLICY.delta, POLICY.false_discoveries)
            n_found += int(kept.by_any[person])
    # 200 planted people: a share has a standard error of at most 0.035, and 0.05 is what power may be off by.
    assert abs(float(np.mean(stated)) - n_found / 200) <= 0.05 + 2 * 0.035, (np.mean(stated), n_found / 200)


def test_power_that_decides_on_further_splits_is_the_same_whoever_was_in() -> None:
    n_rows, n_splits = 80, 30
    first = np.arange(n_rows) < 10
    scores = np.clip(0.4 + np.random.default_rng(1).normal(0, 0.12, (n_rows, n_splits)), 0, 1)
    stated = set()
    for seed in range(5):
        halves = _halves(scores, labels_of(n_rows, n_splits, seed))
        stated.add(power_of(halves, [0], _found(halves, first), first, POLICY, is_freed=False))
    assert len(stated) == 1


def test_interval_that_was_prolonged_because_it_was_wide_still_covers() -> None:
    """As further splits are made: by tens from 30 to 60 until the interval is as narrow as the policy asks."""
    rng, n_draws, widest = np.random.default_rng(2), 8_000, POLICY.widest_interval
    for spread in (0.024, 0.03, 0.04):
        drawn = rng.normal(0, spread, (n_draws, 60))
        is_done, covers = np.zeros(n_draws, dtype=bool), np.zeros(n_draws, dtype=bool)
        for n in (30, 40, 50, 60):
            half = t.ppf(0.975, n - 1) * drawn[:, :n].std(axis=1, ddof=1) / np.sqrt(n)
            stops = ~is_done & ((2 * half <= widest) | (n == 60))
            covers[stops] = (np.abs(drawn[:, :n].mean(axis=1)) <= half)[stops]
            is_done |= stops
        assert 0.94 <= covers.mean() <= 0.96
