"""Pairs of changes: the two of a pool that together best cancel what is left of the discrepancy.

Single changes stall with about half of the last digits right; a pool of 1,500 has a million pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.kernels.changes import Metric
from divulge.kernels.pairs import best_pair


@dataclass(frozen=True, eq=False)
class Pool:
    """Single moves that were drawn but not made, with the change of every residual that each would bring."""

    rows: Integers
    others: Integers  # the row that a row swaps with; −1: none
    columns: Integers
    news: Integers
    shifts: Floats

    @classmethod
    def of(cls, size: int, n_residuals: int) -> Pool:
        rows, others, columns, news = np.zeros((4, size), dtype=np.int64)
        return cls(rows, others, columns, news, np.zeros((size, n_residuals)))

    def part(self, start: int, stop: int) -> Pool:
        """Some of the places, which share memory with these."""
        at = slice(start, stop)
        return Pool(self.rows[at], self.others[at], self.columns[at], self.news[at], self.shifts[at])

    def make(self, k: int, codes: Codes) -> None:
        """Make change k."""
        row, other, column = self.rows[k], self.others[k], self.columns[k]
        if other >= 0:
            codes[other, column] = codes[row, column]
        codes[row, column] = self.news[k]


def best_moves(pool: Pool, filled: int, metric: Metric, residuals: Floats) -> tuple[int, ...]:
    """One change or two of the pool that lower the discrepancy most; none where no pair lowers it."""
    weight, low, high = metric.weight, metric.low, metric.high
    first, second = best_pair(pool.shifts, filled, pool.rows, pool.others, residuals, weight, low, high)
    return tuple(k for k in (first, second) if k >= 0)
