"""Exact tails of permutation tests with balanced blocks: sums of whole numbers counted, not drawn or approximated."""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers, Mask


@njit(cache=True, nogil=True)
def _block_distribution(levels: Integers, k: int) -> Floats:
    """The distribution of the sum of k of these whole numbers, all choices alike: entry t is the share with sum t.

    The shift algorithm (Streitberg & Röhmel 1986): choices of j numbers among the first s, by their sum.
    """
    top = 0
    for level in levels:
        top = max(top, level)
    ways = np.zeros((k + 1, k * top + 1))
    ways[0, 0] = 1.0
    for s in range(levels.size):
        level = levels[s]
        for j in range(min(k, s + 1), 0, -1):
            for t in range((j - 1) * top + 1):
                if ways[j - 1, t] > 0.0:
                    ways[j, t + level] += ways[j - 1, t]
    return ways[k] / ways[k].sum()


@njit(cache=True, nogil=True)
def permutation_tails(levels: Integers, inside: Mask, ends: Integers, tails: Floats) -> None:
    """For each row the chance that labels shuffled within blocks give so large a sum of the levels inside.

    levels, inside: (rows, splits); ends: where each block of splits ends. tails: filled, one a row.
    """
    for i in range(levels.shape[0]):
        found = np.ones(1)
        observed = 0
        start = 0
        for end in ends:
            k = 0
            for s in range(start, end):
                if inside[i, s]:
                    k += 1
                    observed += levels[i, s]
            one = _block_distribution(levels[i, start:end], k)
            both = np.zeros(found.size + one.size - 1)
            for a in range(found.size):
                if found[a] > 0.0:
                    for b in range(one.size):
                        both[a + b] += found[a] * one[b]
            found = both
            start = end
        tails[i] = min(found[observed:].sum(), 1.0)
