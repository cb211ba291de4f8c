"""Pairs of single moves: the two of a pool whose summed change best cancels what is left of the discrepancy.

Single moves stall with about half of the last digits right; a pool of 1,500 has a million pairs, which one matrix
product compares (design: "The last digits need pairs").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.search import Metric

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pool:
    """Single moves that were drawn but not made, with the change of every residual that each would bring."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    news: NDArray[np.int64]
    shifts: Floats

    @classmethod
    def of(cls, size: int, n_residuals: int) -> Pool:
        return cls(
            np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros((size, n_residuals))
        )


def best_moves(pool: Pool, filled: int, metric: Metric, residuals: Floats) -> tuple[int, ...]:
    """One move or two of the pool that lower the discrepancy most; none where no pair lowers it.

    The matrix product knows no intervals, so each move's best partner is found by distance from the middle of the
    intervals, and these pairs are then compared exactly.
    """
    if filled == 0:
        return ()
    with np.errstate(invalid="ignore"):
        middle = (metric.low + metric.high) / 2
    aim = np.where(np.isfinite(middle), middle, np.clip(residuals, metric.low, metric.high))
    scale = np.sqrt(metric.weight)
    # Single precision is enough to rank and twice as fast; what would overflow it is no candidate anyway.
    shifts = np.clip(pool.shifts[:filled] * scale, -1e15, 1e15).astype(np.float32)
    left = np.clip((residuals - aim) * scale, -1e15, 1e15).astype(np.float32)
    single = np.einsum("ij,ij->i", shifts, shifts) + 2 * (shifts @ left)
    both = shifts @ shifts.T
    both *= 2
    both += single[:, None]
    both += single[None, :]
    # Two changes of the same row do not add up; a move with itself stands for the single move.
    np.fill_diagonal(both, single)
    first = np.arange(filled)
    second = both.argmin(axis=1)
    is_single = first == second
    allowed = is_single | (pool.rows[first] != pool.rows[second])
    first, second, is_single = first[allowed], second[allowed], is_single[allowed]
    if not len(first):
        return ()
    moved = residuals + pool.shifts[first] + np.where(is_single[:, None], 0.0, pool.shifts[second])
    after = _discrepancies(moved, metric)
    k = int(np.argmin(after))
    before = _discrepancies(residuals[None, :], metric)[0]
    if not after[k] < before * (1 - 1e-9):  # less is rounding
        return ()
    return (int(first[k]),) if is_single[k] else (int(first[k]), int(second[k]))


def _discrepancies(residuals: Floats, metric: Metric) -> Floats:
    outside = np.maximum(np.maximum(metric.low - residuals, residuals - metric.high), 0.0)
    return (outside**2) @ metric.weight
