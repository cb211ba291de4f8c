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

MOST_AT_ONCE = 120
"""Changes in one lattice: reducing it takes 10 ms, and more rows hold hardly more than LLL can make use of."""

NODES = 20_000
"""Nodes of one hunt: 2 ms. What is not found by then is sooner found among other changes."""

TRIES = 12
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
    tries: int = TRIES,
    nodes: int = NODES,
) -> Choice | None:
    """Changes after which every |error| ≤ 1, or None where none were found in so many tries.

    shifts (changes, figures) and errors (figures,): in half units of the printed interval, from its middle. Figures
    that must stay are figures like the others, in units of how far they may move. spans: how often a change may be
    made; where it may be made in both directions, hand in the errors as they are with it made fully the other way.
    """
    n = len(shifts)
    limits = np.broadcast_to(np.int64(spans), n)
    if (np.abs(errors) <= 1).all():
        return Choice(np.zeros(n, dtype=np.int64), 0, float(np.abs(errors).max(initial=0.0)))
    moves = np.abs(shifts).max(axis=1, initial=0.0) > 0
    usable = np.flatnonzero(moves & (limits > 0))
    if not len(usable) or (np.abs(errors) > np.abs(shifts * limits[:, None]).sum(axis=0) + 1).any():
        return None
    for attempt in range(tries):
        at = rng.permutation(usable)[:MOST_AT_ONCE] if attempt or len(usable) > MOST_AT_ONCE else usable
        times = np.zeros(n, dtype=np.int64)
        question = sums_of(shifts[at], -errors, limits[at])
        reduced = reduce_sums(question)
        found = Hunt(reduced, reduced.sums.aim).go_on(nodes, 1)
        if len(found):
            times[at] = found[0]
            worst = float(np.abs(question.left(found[0])).max(initial=0.0))
            if worst <= 1 + SLACK:
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
