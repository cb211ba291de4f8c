"""Counts of sorted codes in windows: how many synthetic rows share a cell's keys, and a target near the cell's own."""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers, Integers32, Mask


@njit(cache=True, nogil=True)
def window_counts(
    ordered: Integers,
    cells: Integers,
    width: int,
    low: Integers,
    high: Integers,
    near: Integers32,
    matched: Integers32,
    certain: Mask,
) -> None:
    """For every cell (ascending codes key × width + target): rows of its keys, and those with a target in its window.

    ordered: the codes of the rows, ascending. low, high: the window of each target code, both rising with the code.
    near, matched, certain: filled; certain: all rows with these keys have one and the same target code.
    """
    start = end = first = last = 0
    n = ordered.size
    key = np.int64(-1)
    for i in range(cells.size):
        if cells[i] // width != key:
            key = cells[i] // width
            start = end
            while start < n and ordered[start] < key * width:
                start += 1
            end = start
            while end < n and ordered[end] < (key + 1) * width:
                end += 1
            first = last = start
        t = cells[i] - key * width
        while first < end and ordered[first] < key * width + low[t]:
            first += 1
        while last < end and ordered[last] <= key * width + high[t]:
            last += 1
        near[i] = max(last - first, 0)
        matched[i] = end - start
        certain[i] = end > start and ordered[start] == ordered[end - 1]
