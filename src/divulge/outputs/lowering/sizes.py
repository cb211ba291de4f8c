"""Sizes of groups that can carry the figures printed of them: 66.7 % needs a group of 3, 6, 9 … rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.released.precision import SLACK

GroupKey = tuple[str | None, frozenset[str], frozenset[tuple[str, int]]]
"""Which rows are in a group: the condition, the variables that may not be missing, and the levels."""

LARGEST_SIZE = 20_000
"""Sizes of groups up to which it is worked out which of them can carry the released figures; larger ones carry all."""

FARTHEST = 60
"""Rows by which a group may grow or shrink to reach a size that can carry its figures, where all have to add up."""


def nearest_sizes(now: Floats, possible: Sequence[Integers], add_up: bool) -> list[int]:
    """For each group the size nearest to its own that can carry its figures; its own where none can, or any.

    add_up: together they stay as many as they are, and are nearest in all; where no such sizes are near, each for
    itself. Sizes above the largest listed can carry any figures.
    """
    alone = [
        int(size) if not len(p) or size > p[-1] else int(p[np.argmin(np.abs(p - size))])
        for size, p in zip(now, possible, strict=True)
    ]
    if not add_up or sum(alone) == now.sum():
        return alone
    # The least cost of every sum of steps, group by group; a sum of 0 is wanted in the end.
    steps = np.arange(-FARTHEST, FARTHEST + 1)
    middle = FARTHEST * len(possible)
    cost = np.full(2 * middle + 1, np.inf)
    cost[middle] = 0.0
    taken = []
    for size, p in zip(now, possible, strict=True):
        there = size + steps
        own = steps[(there >= 0) & ((not len(p)) | np.isin(there, p) | (there > (p[-1] if len(p) else 0)))]
        best = np.full_like(cost, np.inf)
        way = np.zeros(len(cost), dtype=np.int64)
        for step in own:
            shifted = np.full_like(cost, np.inf)
            shifted[max(step, 0) : len(cost) + min(step, 0)] = cost[max(-step, 0) : len(cost) - max(step, 0)]
            better = shifted + abs(step) < best
            best[better], way[better] = (shifted + abs(step))[better], step
        cost = best
        taken.append(way)
    if not np.isfinite(cost[middle]):
        return alone
    found, at = [0] * len(possible), middle
    for g in range(len(possible) - 1, -1, -1):
        step = int(taken[g][at])
        found[g] = int(now[g]) + step
        at -= step
    return found


def possible_sizes(group: Integers, low: Floats, high: Floats, cells: Mask | None = None) -> tuple[Integers, ...]:
    """For each group, the sizes n for which every figure has a whole number between n · low and n · high.

    low, high: between which each figure lies, in the unit of which a row adds whole numbers. cells: the figures of a
    group that every row is in one of, whose numbers therefore add to n; None where there are none.
    """
    found = []
    for g in range(int(group.max(initial=-1)) + 1):
        chosen = group == g
        least, most = low[chosen], high[chosen]
        widths = (most - least)[np.isfinite(most - least)]
        # Above 1 / width every interval holds a whole number.
        largest = min(LARGEST_SIZE, int(1 / max(widths.min(initial=1.0), 1e-9)) + 1)
        n = np.arange(1, largest + 1)[:, None]
        # Slack as in `agrees`: relative to the figures, which are of the size of their bounds.
        slack = SLACK * n * np.maximum(np.nan_to_num(np.abs(most), posinf=0.0), 1.0)
        first, last = np.ceil(least * n - slack), np.floor(most * n + slack)
        fits = (first <= last).all(axis=1)
        if cells is not None:
            inside = cells[chosen]
            fits &= (first[:, inside].sum(axis=1) <= n[:, 0]) & (last[:, inside].sum(axis=1) >= n[:, 0])
        found.append(n[fits, 0])
    return tuple(found)


def common_sizes(possible: Sequence[Integers]) -> Integers:
    """The sizes that are in every list; sizes above the largest of a list can carry anything."""
    asked = [p for p in possible if len(p)]
    n = np.arange(1, max((int(p[-1]) for p in asked), default=0) + 1)
    fits = np.ones(len(n), dtype=bool)
    for p in asked:
        fits &= np.isin(n, p) | (n > p[-1])
    return n[fits]


def agreed_sizes(possible: Sequence[Mapping[GroupKey, Integers]]) -> dict[GroupKey, Integers]:
    """The sizes that all outputs on the same people can have; nothing of people for whom there are none."""
    by_key: dict[GroupKey, list[Integers]] = {}
    for of_output in possible:
        for key, sizes in of_output.items():
            by_key.setdefault(key, []).append(sizes)
    found = {key: common_sizes(sizes) for key, sizes in by_key.items()}
    return {key: sizes for key, sizes in found.items() if len(sizes)}
