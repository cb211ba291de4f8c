"""Values drawn so that each row's expected value is what a model says, and all together are distributed as is known.

Of all such distributions the one of most entropy given the marginal: w(v) · exp(t · v), with a tilt t for each mean and
weights w that all rows share (Csiszár 1975). Weights and tilts are found in turn, as raking does (Deming & Stephan
1940). Normal errors would be cut off at the least and the largest value, and a group whose mean is the least value has
no other; and whoever has to mend the marginal afterwards spoils the means.
"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask

_MOST_MEANS = 200
"""Different means that are worked out; those between two of them are met by drawing from one or the other."""

_MOST_CELLS = 400_000
"""Means times values, at most: some milliseconds a turn."""

_TURNS, _TURNS_ALONE = 40, 10
"""Turns of weights and tilts, and then of tilts alone: means count more than the marginal."""

_LONGEST_STEP = 8.0
"""By how much a tilt may grow in one turn, where the values lie between 0 and 1, beside its own size."""


def draw_around(values: Floats, share: Floats, means: Floats, rng: np.random.Generator) -> Integers:
    """Places among the values (in order) for rows with these means. share: the marginal of the values."""
    low, high = float(values[0]), float(values[-1])
    if not high > low:
        return np.zeros(len(means), dtype=np.int64)
    wanted = np.clip((means - low) / (high - low), 0.0, 1.0)
    reached, row = _rounded(wanted, max(2, min(_MOST_MEANS, _MOST_CELLS // len(values))), rng)
    rows = np.bincount(row, minlength=len(reached))
    up_to = np.cumsum(_chances((values - low) / (high - low), share, reached, rows), axis=1)
    drawn, chance = np.empty(len(means), dtype=np.int64), rng.random(len(means))
    order = np.argsort(row, kind="stable")
    for one, own in enumerate(np.split(order, np.cumsum(rows)[:-1])):
        drawn[own] = np.searchsorted(up_to[one], chance[own] * up_to[one, -1], side="right")
    return np.minimum(drawn, len(values) - 1)


def _rounded(wanted: Floats, most: int, rng: np.random.Generator) -> tuple[Floats, Integers]:
    """At most so many means, and for each row one of them, which in expectation is its own."""
    different, place = np.unique(wanted, return_inverse=True)
    if len(different) <= most:
        return different, place
    grid = np.linspace(different[0], different[-1], most)
    at = (wanted - grid[0]) / (grid[1] - grid[0])
    below = np.minimum(np.floor(at).astype(np.int64), most - 2)
    return grid, below + (rng.random(len(wanted)) < at - below)


def _chances(values: Floats, share: Floats, means: Floats, rows: Integers) -> Floats:
    """(means, values): the chance of each value, of which lie between 0 and 1, at each mean."""
    inner = (means > values[0]) & (means < values[-1])
    weight, tilt = np.log(np.maximum(share, 1e-12)), np.zeros(len(means))
    for turn in range(_TURNS + _TURNS_ALONE):
        chances = _tilted(values, weight, tilt, inner, means)
        now = chances @ values
        variance = np.maximum(chances @ values**2 - now**2, 1e-12)
        longest = _LONGEST_STEP + np.abs(tilt)
        tilt += np.where(inner, np.clip((means - now) / variance, -longest, longest), 0.0)
        if turn < _TURNS:
            found = rows @ chances / rows.sum()
            weight += np.clip(np.log(np.maximum(share, 1e-12) / np.maximum(found, 1e-12)), -1.0, 1.0)
    return _tilted(values, weight, tilt, inner, means)


def _tilted(values: Floats, weight: Floats, tilt: Floats, inner: Mask, means: Floats) -> Floats:
    exponents = weight + tilt[:, None] * values
    chances = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    # A mean at the end is that of the last value alone.
    ends = np.flatnonzero(~inner)
    chances[ends] = 0.0
    chances[ends, np.where(means[ends] <= values[0], 0, len(values) - 1)] = 1.0
    return chances
