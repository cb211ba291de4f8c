"""The one change or two of a pool that leave the least discrepancy, found by looking at every pair."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _part(x, weight, low, high):  # type: ignore[no-untyped-def]
    d = max(max(low - x, x - high), 0.0)
    return weight * d * d


@njit(cache=True, nogil=True)
def best_pair(pool, n, goal, residuals):  # type: ignore[no-untyped-def]
    """(first, second) of the first n changes of the pool; second −1: one alone; first −1: better none.

    Distances from intervals are added up in the order in which they matter now, and given
    up as soon as they pass the best so far: of most pairs only a few residuals are looked at. Changes that share a row
    make no pair, since what they do does not add up.
    """
    shifts, weight, low, high = pool.shifts, goal.weight, goal.low, goal.high
    m = residuals.shape[0]
    parts = np.array([_part(residuals[k], weight[k], low[k], high[k]) for k in range(m)])
    order = np.argsort(-parts, kind="mergesort")
    lows, highs, weights, now = low[order], high[order], weight[order], residuals[order]
    best, first, second = parts.sum() * (1 - 1e-9), -1, -1  # less is rounding
    ordered = np.empty((n, m))
    base = np.empty(m)
    for a in range(n):
        alone = 0.0
        for q in range(m):
            ordered[a, q] = shifts[a, order[q]]
            base[q] = now[q] + ordered[a, q]
            alone += _part(base[q], weights[q], lows[q], highs[q])
        if alone < best:
            best, first, second = alone, a, -1
        for b in range(a):
            total = 0.0
            for q in range(m):
                total += _part(base[q] + ordered[b, q], weights[q], lows[q], highs[q])
                if total >= best:
                    break
            if total < best and not _share_a_row(pool.rows, pool.others, a, b):
                best, first, second = total, a, b
    return first, second


@njit(cache=True, nogil=True, inline="always")
def _share_a_row(rows, others, a, b):  # type: ignore[no-untyped-def]
    """Whether changes a and b touch the same row."""
    return (
        rows[a] == rows[b]
        or rows[a] == others[b]
        or others[a] == rows[b]
        or (others[a] >= 0 and others[a] == others[b])
    )
