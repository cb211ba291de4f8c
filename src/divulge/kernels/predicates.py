"""How many rows fit each of many predicates: conjunctions of ranges of codes."""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers, Integers32


@njit(cache=True, nogil=True)
def count_fitting(columns: Integers32, places: Integers, low: Integers, high: Integers) -> Integers:
    """For every predicate how many rows fit it.

    columns: one row of codes a column. places, low, high: one row a predicate, one column a condition: the code in the
    column `place` is at least `low` and at most `high`.
    """
    counts = np.zeros(places.shape[0], np.int64)
    for p in range(places.shape[0]):
        for i in range(columns.shape[1]):
            fits = True
            for c in range(places.shape[1]):
                code = columns[places[p, c], i]
                if code < low[p, c] or code > high[p, c]:
                    fits = False
                    break
            counts[p] += fits
    return counts
