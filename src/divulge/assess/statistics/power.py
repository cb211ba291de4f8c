"""Power: the probability with which somebody exposed by twice δ would have been found, with every correction.

It is asked for the people whom the outputs are most likely to expose. How their scores vary from search to search is
seen in the splits. To these scores twice δ is added where a freshly drawn label says *in*, and both tests are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from divulge.assess.statistics.exposure import CONFIRMED, FINEST, Exposed, ScoreSums, permutation_p
from divulge.assess.statistics.halves import Halves
from divulge.assess.statistics.suspects import MOST_NAMED
from divulge.designs import BLOCK, CONFIRMING, RepeatedHalves, smallest_p
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.policy import Policy

PEOPLE = 25
"""People of whom it is asked."""

DRAWS = 8
"""Labels drawn for each of them and each look-up: with 25 people, power is known to about 0.04 where it is 0.9."""


def power_of(
    halves: Halves, telling: Sequence[int], found: Exposed, first: Mask, policy: Policy, is_freed: bool = True
) -> float:
    """The probability that both tests find one of the first, exposed by twice δ by the look-up that tells best.

    is_freed: from scores freed of what being in does. Otherwise nothing in it depends on who was in, and the power is
    smaller where somebody is exposed: what a decision on further splits may rest on.

    telling: the numbers of the look-ups, of those with tests, that set people apart.
    found: by the first test, whose corrections count here. first: whom the outputs are most likely to expose.
    """
    sums, masks, blocks = [halves.tested[i] for i in telling], halves.masks, halves.blocks
    people = np.flatnonzero(first)[:PEOPLE]
    # One of the first alone must reach this: they share half of the level, or all do where they are too many
    # (`test_weights`).
    n_tested, n_first = max(found.n_tested, 1), int(first.sum())
    n_tests = (2 * n_first if 0 < n_first < n_tested / 2 else n_tested) * max(found.n_lookups, 1)
    rng = np.random.default_rng([halves.seed, _TAG])
    rates = np.zeros((len(sums), len(people)))
    for i, one in enumerate(sums):
        noise = _noise(one, masks if is_freed else (), people)
        for _ in range(DRAWS):
            rates[i] += _found(noise, blocks, n_tests, policy, rng)
    return float((rates / DRAWS).max(axis=0).mean())


def splits_needed(n_people: int, n_lookups: int, level: float) -> int:
    """With fewer halves nobody could be found, however clearly they are exposed: labels have too few arrangements.

    How many are needed beyond that depends on how much scores vary from search to search.
    """
    n_tests = min(n_people, 2 * MOST_NAMED) * n_lookups
    return next(n for n in count(2, 2) if smallest_p(RepeatedHalves(splits_wanted=n).blocks()) * n_tests <= level)


_TAG = 5
"""First word of the key of the random stream, as in `designs.py`."""


def _noise(one: ScoreSums, masks: Sequence[Mask], people: Integers) -> Floats:
    """(people, splits): scores from their mean, freed of what being in does where it is known who was in."""
    cells = one.lookup.cell_of_row[people]
    scores: Floats = np.column_stack([step[cells] for step in one.steps]) / FINEST
    if not masks:
        return scores - scores.mean(axis=1, keepdims=True)
    inside = np.column_stack([mask[people] for mask in masks])
    for label in (inside, ~inside):
        n = np.maximum(label.sum(axis=1, keepdims=True), 1)
        scores = scores - label * ((scores * label).sum(axis=1, keepdims=True) / n)
    return scores


def _found(noise: Floats, blocks: Sequence[int], n_tests: float, policy: Policy, rng: np.random.Generator) -> Mask:
    """Of whom both tests would tell that they are exposed by twice δ, for one draw of labels."""
    delta = policy.delta
    first, p = _drawn(noise, blocks, delta, rng)
    adjusted = p * n_tests
    again = noise[:, rng.integers(0, noise.shape[1], CONFIRMING)]
    second, fresh = _drawn(again, np.arange(CONFIRMING) // BLOCK, delta, rng)
    is_found: Mask = (first > delta) & (second > delta) & (adjusted <= policy.false_discoveries)
    return is_found & (adjusted * fresh <= CONFIRMED)


def _drawn(
    noise: Floats, blocks: Sequence[int] | Integers, delta: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Exposures and p-values with labels drawn anew: half of each block is in."""
    inside = np.zeros(noise.shape, dtype=bool)
    for block in dict.fromkeys(np.asarray(blocks).tolist()):
        columns = np.flatnonzero(np.asarray(blocks) == block)
        order = np.argsort(rng.random((len(noise), len(columns))), axis=1)
        inside[:, columns] = order < len(columns) // 2
    scores = noise + 2 * delta * inside
    n_in = np.maximum(inside.sum(axis=1), 1)
    n_out = np.maximum((~inside).sum(axis=1), 1)
    exposures = (scores * inside).sum(axis=1) / n_in - (scores * ~inside).sum(axis=1) / n_out
    return exposures, permutation_p(scores, inside, blocks)
