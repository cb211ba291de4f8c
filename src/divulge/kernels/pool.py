"""A pool of changes that were not made, with what each would do: pairs are chosen from it, and lattices made of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.kernels.changes import make_change, undo_change
from divulge.kernels.compiling import borrowing
from divulge.kernels.proposals import one_cell, propose_single

_TRIES = 20
"""Changes drawn for each place, at most, so that it ends where hardly any is allowed."""


class Pool(NamedTuple):
    """Single changes that were not made, with the shift of every residual that each would bring."""

    rows: Integers
    others: Integers  # the row that a row swaps with; −1: none
    columns: Integers
    news: Integers
    shifts: Floats  # (changes, residuals)

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


@borrowing
def draw_pool(blocks, moves, rules, slopes, codes, stream, work, pool):  # type: ignore[no-untyped-def]
    """Fill the pool with changes that do something and break no rule; return how many were found."""
    n = pool.rows.shape[0]
    filled = 0
    for _ in range(_TRIES * n):
        if filled == n:
            break
        change = propose_single(moves, codes, stream)
        if change.new == change.old:
            continue
        _, n_runs = make_change(blocks, moves.users, rules, slopes, work, codes, change)
        undo_change(codes, change)
        if n_runs < 0:
            continue
        pool.rows[filled], pool.others[filled] = change.row, change.other
        pool.columns[filled], pool.news[filled] = change.variable, change.new
        _write_shifts(work.shifted, n_runs, pool.shifts[filled])
        filled += 1
    return filled


@borrowing
def look_at_pool(blocks, moves, rules, slopes, codes, work, pool, is_allowed):  # type: ignore[no-untyped-def]
    """Write what the pool's own changes of single cells would do, and whether the edit rules allow each."""
    for k in range(pool.rows.shape[0]):
        row, column = pool.rows[k], pool.columns[k]
        change = one_cell(row, column, codes[row, column], pool.news[k])
        _, n_runs = make_change(blocks, moves.users, rules, slopes, work, codes, change)
        undo_change(codes, change)
        is_allowed[k] = n_runs >= 0
        _write_shifts(work.shifted, n_runs, pool.shifts[k])


@njit(cache=True, nogil=True, inline="always")
def _write_shifts(shifted, n_runs, shifts):  # type: ignore[no-untyped-def]
    """What the last change does to the residuals; `shifts` may be of the first residuals alone."""
    shifts[:] = 0.0
    for q in range(n_runs):
        for k in range(shifted.first[q], min(shifted.first[q] + shifted.size[q], shifts.shape[0])):
            shifts[k] = shifted.shift[k]
