"""The largest contributions to each group: one pass over the rows."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def largest_by_group(group: NDArray[np.int64], value: Floats, n_groups: int, n_largest: int) -> Floats:
    """(groups, n_largest): the largest values of each group in falling order, 0 where there are fewer. −1: no group."""
    top = np.zeros((n_groups, n_largest))
    filled = np.zeros(n_groups, dtype=np.int64)
    for i in range(len(group)):
        g = group[i]
        if g < 0:
            continue
        v = value[i]
        n = filled[g]
        if n == n_largest and v <= top[g, n_largest - 1]:
            continue
        place = n if n < n_largest else n_largest - 1
        while place > 0 and top[g, place - 1] < v:
            top[g, place] = top[g, place - 1]
            place -= 1
        top[g, place] = v
        if n < n_largest:
            filled[g] = n + 1
    return top
