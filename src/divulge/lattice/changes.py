"""Which of the proposed changes to make so that every figure lands in its printed interval.

At the released values figures are sums over rows, so changes of different rows add up: the last digits are a question
about sums, and no search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divulge.lattice.hunt import SLACK, Hunt
from divulge.lattice.reduced import reduce_sums
from divulge.lattice.sums import sums_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZES = (80, 160, 160, 160, 300, 450)
"""Changes in one lattice, from try to try: 80 are reduced in a few milliseconds, 450 in a tenth of a second, and reach
more. Where figures are few, other changes help more than more of them."""

_DEEP = 260
"""Changes in a lattice that is reduced deeply."""

NODES = 5_000
"""Nodes of one hunt, half a millisecond: worth it where figures are few."""

AIMS = 100
"""Points of the box that are aimed at with each lattice: together about as long as reducing it took."""

WEIGHT = 1.0
"""What half a unit of a figure counts, beside the range of a change. Measured: with less figures stay outside, with
more changes leave their ranges."""

GREEDY = 400
"""Single changes that are made before lattices are asked, at most: with a hundred or so each figure is a change or two
from its interval, and what is near is found by smaller lattices."""

TRIES = 6
"""Lattices of other changes before it is given up."""


class _Choice(NamedTuple):
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
    insertions: int = 0,
) -> _Choice | None:
    """Changes after which every |error| ≤ 1, or None where none were found in so many tries.

    shifts (changes, figures) and errors (figures,): in half units of the printed interval, from its middle. Figures
    that must stay are figures like the others, in units of how far they may move. spans: how often a change may be
    made; where it may be made in both directions, hand in the errors as they are with it made fully the other way, and
    `now`, how often it is made at present: changes that a lattice leaves out stay so. insertions: deep ones, with
    which a lattice of more changes takes a tenth of a second, and meets figures that hold more bits.
    """
    n = len(shifts)
    limits, base = np.broadcast_to(np.int64(spans), n), np.broadcast_to(np.int64(now), n)
    left = errors + base @ shifts
    if (np.abs(left) <= 1).all():
        return _Choice(base.copy(), 0, float(np.abs(left).max(initial=0.0)))
    usable = np.flatnonzero((np.abs(shifts).max(axis=1, initial=0.0) > 0) & (limits > 0))
    if not len(usable) or (np.abs(left) > np.abs(shifts * limits[:, None]).sum(axis=0) + 1).any():
        return None
    base = _nearer(shifts, left, limits, base)
    left = errors + base @ shifts
    ways = both_ways(shifts[usable] * np.where(base >= limits, -1, 1)[usable, None])
    for attempt in range(tries):
        # Without replacement, by weight (Efraimidis & Spirakis 2006).
        order = np.argsort(np.log(rng.random(len(usable))) / ways)[::-1]
        at = usable[order[: _DEEP if insertions else SIZES[min(attempt, len(SIZES) - 1)]]]
        question = sums_of(shifts[at], base[at] @ shifts[at] - left, limits[at])
        reduced = reduce_sums(question, WEIGHT, insertions)
        found = reduced.nearest_within(reduced.sums.aim, rng, AIMS)
        if found is None:
            found = next(iter(Hunt(reduced, reduced.sums.aim).go_on(nodes, 1)), None)
        if found is None:
            continue
        worst = float(np.abs(question.left(found)).max(initial=0.0))
        if worst <= 1 + SLACK:
            times = base.copy()
            times[at] = found
            return _Choice(times, attempt + 1, worst)
    return None


def _nearer(shifts: Floats, left: Floats, limits: Ints, base: Ints) -> Ints:
    """How often each change is made after the best single ones, one by one, in units in which changes are equally long
    in every direction (as `View.in_moves` has it)."""
    turn = turn_of(shifts)
    moves, rest = shifts @ turn, left @ turn
    length, times = (moves**2).sum(axis=1), base.copy()
    for _ in range(GREEDY):
        along = 2 * (moves @ rest)
        more, less = np.where(times < limits, length + along, 0.0), np.where(times > 0, length - along, 0.0)
        up, down = int(np.argmin(more)), int(np.argmin(less))
        if min(more[up], less[down]) >= 0:
            break
        one, step = (up, 1) if more[up] <= less[down] else (down, -1)
        times[one] += step
        rest = rest + step * moves[one]
    return times


def turn_of(shifts: Floats) -> Floats:
    """(figures, directions): to units in which changes are equally long in every direction."""
    scale = np.sqrt((shifts**2).mean(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = shifts / scale
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    kept = values > 1e-8 * max(float(values.max(initial=0.0)), 1e-300)  # less is rounding
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])


def both_ways(shifts: Floats) -> Floats:
    """Weights with which changes that go one way count together as much as those that go the other.

    Where one person in fifty has the outcome, nearly all changes make more of it, and only those few make up for it.
    """
    if not len(shifts):
        return np.ones(0)
    moves = shifts @ turn_of(shifts)
    up = moves @ moves.mean(axis=0) > 0
    n_up = max(int(np.count_nonzero(up)), 1)
    return np.where(up, 1.0 / n_up, 1.0 / max(len(up) - n_up, 1))


def rows_to_change(leverage: Floats, n: int, rng: np.random.Generator) -> Ints:
    """n rows, half of them evenly and half by leverage: a level that 14 people have needs several of them."""
    rows = len(leverage)
    if n >= rows or n == 0:
        return np.arange(min(n, rows))
    weight = np.maximum(leverage, 0.0)
    share = weight / weight.sum() if weight.sum() > 0 else np.full(rows, 1 / rows)
    chance = share / 2 + 1 / (2 * rows)
    # The n largest of log(uniform) / chance are a draw without replacement (Efraimidis & Spirakis 2006).
    key = np.log(rng.random(rows)) / chance
    return np.argpartition(key, rows - n)[rows - n :]
