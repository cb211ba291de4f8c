"""Numbers of people of every possible combination of values, scaled group by group: one pass over the combinations.

A combination's place is outer · (how many inner ones) + inner. Its cell is outer[i] + inner[j], negative: in no group;
group[cell] is its group, −1: none.
"""

from __future__ import annotations

from numba import njit

from divulge.kernels.arrays import Floats, Integers, Integers32


@njit(cache=True, nogil=True)
def add_by_group(values: Floats, outer: Integers, inner: Integers, group: Integers32, totals: Floats) -> None:
    """Add the values of each group's combinations to its total."""
    at = 0
    for i in range(outer.size):
        # Neighbours are often of one group: summed here, their total is not read and written again and again.
        last, total = -1, 0.0
        for j in range(inner.size):
            cell = outer[i] + inner[j]
            g = group[cell] if cell >= 0 else -1
            if g != last:
                if last >= 0:
                    totals[last] += total
                last, total = g, 0.0
            total += values[at]
            at += 1
        if last >= 0:
            totals[last] += total


@njit(cache=True, nogil=True)
def scale_by_group(values: Floats, outer: Integers, inner: Integers, group: Integers32, ratios: Floats) -> None:
    """Multiply the values of each group's combinations by its ratio."""
    at = 0
    for i in range(outer.size):
        for j in range(inner.size):
            cell = outer[i] + inner[j]
            if cell >= 0:
                g = group[cell]
                if g >= 0:
                    values[at] *= ratios[g]
            at += 1


@njit(cache=True, nogil=True)
def window_sums(
    values: Floats,
    first: Integers,
    step: int,
    width: int,
    low: Integers,
    high: Integers,
    near: Floats,
    matched: Floats,
) -> None:
    """For every cell: people with its keys, and those of them with a target in its window.

    first: where the people of its keys with the first target are; those with the next are `step` further, `width` in
    all. low, high: the first and the last target of its window. near, matched: filled.
    """
    for i in range(first.size):
        if i > 0 and first[i] == first[i - 1]:
            matched[i] = matched[i - 1]
        else:
            total = 0.0
            for t in range(width):
                total += values[first[i] + t * step]
            matched[i] = total
        total = 0.0
        for t in range(low[i], high[i] + 1):
            total += values[first[i] + t * step]
        near[i] = total
