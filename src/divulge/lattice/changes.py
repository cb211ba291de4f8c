"""Which of the proposed changes to make so that every figure lands in its printed interval.

At the released values figures are sums over rows, so changes of different rows add up: the last digits are a question
about sums, and no search.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divulge.lattice.hunt import SLACK, Hunt
from divulge.lattice.reduced import reduce_sums
from divulge.lattice.sums import sums_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZES = (80, 160, 300)
"""Changes in one lattice: 80 are reduced in a few milliseconds, 300 in a tenth of a second and reach more."""

NODES = 5_000
"""Nodes of one hunt, half a millisecond: worth it where figures are few."""

AIMS = 100
"""Points of the box that are aimed at with each lattice: together about as long as reducing it took."""

WEIGHT = 1.0
"""What half a unit of a figure counts, beside the range of a change. Measured: with less figures stay outside, with
more changes leave their ranges."""

TRIES = 6
"""Lattices of other changes before it is given up."""


class Choice(NamedTuple):
    """How often each proposed change is to be made: 0 or 1, or up to its span."""

    times: Ints  # (changes,)
    tries: int
    worst: float  # half units: what is left of the figure that is farthest from its middle


def choose_changes(
    shifts: Floats,
    errors: Floats,
    rng: np.random.Generator,
    spans: NDArray[np.integer] | int = 1,
    now: NDArray[np.integer] | int = 0,
    tries: int = TRIES,
    nodes: int = NODES,
) -> Choice | None:
    """Changes after which every |error| ≤ 1, or None where none were found in so many tries.

    shifts (changes, figures) and errors (figures,): in half units of the printed interval, from its middle. Figures
    that must stay are figures like the others, in units of how far they may move. spans: how often a change may be
    made; where it may be made in both directions, hand in the errors as they are with it made fully the other way, and
    `now`, how often it is made at present: changes that a lattice leaves out stay so.
    """
    n = len(shifts)
    limits, base = np.broadcast_to(np.int64(spans), n), np.broadcast_to(np.int64(now), n)
    left = errors + base @ shifts
    if (np.abs(left) <= 1).all():
        return Choice(base.copy(), 0, float(np.abs(left).max(initial=0.0)))
    usable = np.flatnonzero((np.abs(shifts).max(axis=1, initial=0.0) > 0) & (limits > 0))
    if not len(usable) or (np.abs(left) > np.abs(shifts * limits[:, None]).sum(axis=0) + 1).any():
        return None
    for attempt in range(tries):
        at = rng.permutation(usable)[: SIZES[min(attempt, len(SIZES) - 1)]]
        question = sums_of(shifts[at], base[at] @ shifts[at] - left, limits[at])
        reduced = reduce_sums(question, WEIGHT)
        found = reduced.nearest_within(reduced.sums.aim, rng, AIMS)
        if found is None:
            found = next(iter(Hunt(reduced, reduced.sums.aim).go_on(nodes, 1)), None)
        if found is None:
            continue
        worst = float(np.abs(question.left(found)).max(initial=0.0))
        if worst <= 1 + SLACK:
            times = base.copy()
            times[at] = found
            return Choice(times, attempt + 1, worst)
    return None


def rows_to_change(leverage: Floats, n: int, rng: np.random.Generator) -> Ints:
    """n rows, half of them evenly and half by leverage: a level that 14 people have needs several of them."""
    rows = len(leverage)
    if n >= rows:
        return np.arange(rows)
    weight = np.maximum(leverage, 0.0)
    share = weight / weight.sum() if weight.sum() > 0 else np.full(rows, 1 / rows)
    chance = share / 2 + 1 / (2 * rows)
    # The n largest of log(uniform) / chance are a draw without replacement (Efraimidis & Spirakis 2006).
    key = np.log(rng.random(rows)) / chance
    return np.argpartition(key, rows - n)[rows - n :]


def opposite_pairs(kept: Floats, rows: Ints, rng: np.random.Generator) -> Ints:
    """(pairs, 2) changes of different rows which together leave every kept total where it is.

    kept (changes, totals): what each change does to totals that must stay. Changes that leave them alone need no
    partner, and are in no pair.
    """
    waiting: dict[tuple[float, ...], list[int]] = defaultdict(list)
    pairs = []
    rounded = np.round(kept, 9) + 0.0  # totals are sums of a few values; less is rounding; no minus zero
    for k in rng.permutation(len(kept)):
        if not rounded[k].any():
            continue
        partners = waiting[tuple(-rounded[k] + 0.0)]
        match = next((p for p in reversed(partners) if rows[p] != rows[k]), None)
        if match is None:
            waiting[tuple(rounded[k])].append(int(k))
        else:
            partners.remove(match)
            pairs.append((match, int(k)))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def settle_few(shifts: Floats, error: float, alternatives: Ints, most: int = 20_000) -> Ints | None:
    """For a level of one to three people: which of each one's changes to make so that their figure is as printed.

    shifts (changes,): of that figure, in half units. alternatives (changes,): whose change each is, counted from 0; at
    most one change is made for each person. Looks at every combination, up to `most`; returns the changes to make.
    """
    people = [np.concatenate([[-1], np.flatnonzero(alternatives == p)]) for p in np.unique(alternatives)]
    if np.prod([float(len(p)) for p in people]) > most:
        return None
    grids = (
        np.stack(np.meshgrid(*people, indexing="ij"), axis=-1).reshape(-1, len(people)) if people else np.zeros((1, 0))
    )
    grids = grids.astype(np.int64)
    total = error + np.where(grids >= 0, shifts[grids], 0.0).sum(axis=1)
    best = int(np.abs(total).argmin())
    if abs(total[best]) > 1:
        return None
    return grids[best][grids[best] >= 0]
