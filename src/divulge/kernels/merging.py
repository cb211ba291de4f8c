"""What is wrong with the cells of a table whose levels are merged: people who stand in them, and bits that are left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers


class Limits(NamedTuple):
    """fewest: people in a cell, at least. rarest: not all of a group may have a value that so few have, or fewer.
    delta: nobody's exposure may be larger. exposure: of somebody in a cell (first axis) of a group (second): a number,
    and another for each unit of the value's share; groups beyond its size are not looked at."""

    fewest: int
    rarest: float
    delta: float
    exposure: Floats


@njit(cache=True, nogil=True)
def weigh_cells(
    codes: Integers, people: Integers, sizes: Integers, merged: tuple[int, int, int], limits: Limits, scratch: Integers
) -> tuple[float, float, float]:
    """People in cells that are not as they should be, and bits that a person's cell tells (Shannon 1948): in all, and
    of the cells that are as they should be.

    codes: (rows, axes), with how many people each stands for. sizes: of the axes. merged: an axis of which the second
    level counts as the first; −1: none. scratch: (2, cells) zeros, and zeros again at the end.
    """
    n, d = codes.shape
    stride = np.ones(d, dtype=np.int64)
    for a in range(d - 2, -1, -1):
        stride[a] = stride[a + 1] * sizes[a + 1]
    cells, groups = scratch[0], scratch[1]
    at, row_of, n_cells, total = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0, 0
    for i in range(n):
        cell = 0
        for a in range(d):
            cell += _level(codes[i, a], a, merged) * stride[a]
        if cells[cell] == 0:
            at[n_cells], row_of[n_cells] = cell, i
            n_cells += 1
        cells[cell] += people[i]
        total += people[i]
    bits = 0.0
    is_bad = np.zeros(n_cells, dtype=np.bool_)
    for c in range(n_cells):
        share = cells[at[c]] / total
        bits -= share * np.log2(share)
        is_bad[c] = cells[at[c]] < limits.fewest
    for a in range(d if d > 1 else 0):
        of_level, n_levels = np.zeros(sizes[a], dtype=np.int64), 0
        for c in range(n_cells):
            level = _level(codes[row_of[c], a], a, merged)
            n_levels += of_level[level] == 0
            of_level[level] += cells[at[c]]
            groups[at[c] - level * stride[a]] += cells[at[c]]
        for c in range(n_cells):
            level = _level(codes[row_of[c], a], a, merged)
            cell, group, share = cells[at[c]], groups[at[c] - level * stride[a]], of_level[level] / total
            if n_levels > 1 and group == cell and share <= limits.rarest:
                is_bad[c] = True
            if group < limits.exposure.shape[1]:
                exposure = limits.exposure[cell, group, 0] + share * limits.exposure[cell, group, 1]
                is_bad[c] |= exposure > limits.delta
        for c in range(n_cells):
            groups[at[c] - _level(codes[row_of[c], a], a, merged) * stride[a]] = 0
    found, kept = 0.0, bits
    for c in range(n_cells):
        if is_bad[c]:
            share = cells[at[c]] / total
            found += cells[at[c]]
            kept += share * np.log2(share)
        cells[at[c]] = 0
    return found, bits, kept if found > 0 else bits


@njit(cache=True, nogil=True, inline="always")
def _level(code: int, axis: int, merged: tuple[int, int, int]) -> int:
    return merged[1] if axis == merged[0] and code == merged[2] else code
