"""What a change of rows does: totals move by a few additions, residuals with them, and so the discrepancy.

Discrepancy = Σ_k weight_k · dist(residual_k, [low_k, high_k])², with residuals linear in the totals between refreshes.
What is proposed is in `proposals` and `aiming`; what is kept, in `search`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.compiling import borrowing
from divulge.kernels.lowering import contribution
from divulge.kernels.rules import keeps_rules


class Change(NamedTuple):
    """A cell of a row gets a new code. Either another row gets the old one, or a second cell of the row changes too."""

    row: np.int64
    other: np.int64  # the row that swaps with this one; −1: none
    variable: np.int64
    old: np.int64
    new: np.int64
    second: np.int64  # the variable of the second cell; −1: none
    second_old: np.int64
    second_new: np.int64


class Slopes(NamedTuple):
    """How totals move residuals: each total moves residuals that follow each other."""

    first: Integers  # for every total: the first residual that it moves
    size: Integers  # … and how many
    start: Integers  # … and where its slopes are
    slope: Floats


class Goal(NamedTuple):
    """Where each residual should be, and what it costs to be outside."""

    weight: Floats
    low: Floats
    high: Floats

    def part(self, which: slice | Integers | Mask) -> Goal:
        """The goal of some of the residuals."""
        return Goal(self.weight[which], self.low[which], self.high[which])


class Metric(NamedTuple):
    """How totals become residuals, and these a discrepancy."""

    slopes: Slopes
    goal: Goal


class Users(NamedTuple):
    """Which blocks look at variable v: `block[start[v]:start[v + 1]]`. One more part, the last, lists all blocks."""

    start: Integers
    block: Integers


class _Moved(NamedTuple):
    """The totals that a change moves, and by how much; a delta counts only where the mark is the current stamp."""

    delta: Floats
    mark: Integers
    touched: Integers  # which totals, in the order of their first move
    stamp: Integers  # (1,), rises with every change


class _Shifted(NamedTuple):
    """The residuals that a change shifts, in runs, and by how much; marks as in `_Moved`."""

    shift: Floats
    mark: Integers
    first: Integers  # of every run
    size: Integers


class _Aims(NamedTuple):
    """The counts that proposals are aimed at (`aiming`)."""

    pull: Floats  # for every total: how the discrepancy would rise with it
    crowded: Integers  # totals that hold too much
    wanted: Integers  # totals that hold too little


class Work(NamedTuple):
    """Memory of a search, which allocates nothing on the way."""

    moved: _Moved
    shifted: _Shifted
    aims: _Aims

    @classmethod
    def of(cls, n_totals: int, n_residuals: int) -> Work:
        mark, touched, crowded, wanted = np.zeros((4, n_totals), dtype=np.int64)
        shift_mark, first, size = np.zeros((3, n_residuals), dtype=np.int64)
        moved = _Moved(np.zeros(n_totals), mark, touched, np.zeros(1, dtype=np.int64))
        shifted = _Shifted(np.zeros(n_residuals), shift_mark, first, size)
        return cls(moved, shifted, _Aims(np.zeros(n_totals), crowded, wanted))


@njit(cache=True, nogil=True, inline="always")
def _outside(x, low, high):  # type: ignore[no-untyped-def]
    return max(max(low - x, x - high), 0.0)


@borrowing
def discrepancy(goal, residuals):  # type: ignore[no-untyped-def]
    """Σ weight · (distance from the interval)²."""
    total = 0.0
    for k in range(residuals.shape[0]):
        d = _outside(residuals[k], goal.low[k], goal.high[k])
        total += goal.weight[k] * d * d
    return total


@borrowing
def gain(goal, residuals, shifted, n_runs):  # type: ignore[no-untyped-def]
    """The change of the discrepancy if the residuals were shifted."""
    change = 0.0
    for q in range(n_runs):
        for k in range(shifted.first[q], shifted.first[q] + shifted.size[q]):
            before = _outside(residuals[k], goal.low[k], goal.high[k])
            after = _outside(residuals[k] + shifted.shift[k], goal.low[k], goal.high[k])
            change += goal.weight[k] * (after * after - before * before)
    return change


@borrowing
def make_change(blocks, users, rules, slopes, work, codes, change):  # type: ignore[no-untyped-def]
    """Give cells their new codes, and write into `work` what that does.

    Returns how many totals are touched and how many runs of residuals shifted, or −1 for the latter where an edit rule
    forbids the change. The codes are changed either way: `undo_change` takes it back.
    """
    moved = work.moved
    moved.stamp[0] += 1
    i, j, v = change.row, change.other, change.variable
    part = v if change.second < 0 else users.start.shape[0] - 2
    n = _collect(blocks, users, part, codes, i, -1.0, moved, 0)
    if j >= 0:
        n = _collect(blocks, users, part, codes, j, -1.0, moved, n)
        codes[j, v] = codes[i, v]
    codes[i, v] = change.new
    if change.second >= 0:
        codes[i, change.second] = change.second_new
    if rules.start.shape[0] > 1:
        if not keeps_rules(rules, codes, i):
            return n, -1
        if j >= 0 and not keeps_rules(rules, codes, j):
            return n, -1
    n = _collect(blocks, users, part, codes, i, 1.0, moved, n)
    if j >= 0:
        n = _collect(blocks, users, part, codes, j, 1.0, moved, n)
    return n, _shift(slopes, moved, n, work.shifted)


@borrowing
def _collect(blocks, users, part, codes, i, sign, moved, n_touched):  # type: ignore[no-untyped-def]
    """Add sign × row i's contributions to a part of the blocks; return how many totals are touched by now."""
    stamp = moved.stamp[0]
    for u in range(users.start[part], users.start[part + 1]):
        for k in range(contribution(blocks, users.block[u], codes, i)):
            t = blocks.indices[k]
            if moved.mark[t] != stamp:
                moved.mark[t] = stamp
                moved.delta[t] = 0.0
                moved.touched[n_touched] = t
                n_touched += 1
            moved.delta[t] += sign * blocks.values[k]
    return n_touched


@borrowing
def _shift(slopes, moved, n_touched, shifted):  # type: ignore[no-untyped-def]
    """Turn changes of totals into changes of residuals; return how many runs of residuals were shifted."""
    stamp = moved.stamp[0]
    n_runs = 0
    for j in range(n_touched):
        t = moved.touched[j]
        d = moved.delta[t]
        if d == 0.0:
            continue
        first, size, at = slopes.first[t], slopes.size[t], slopes.start[t]
        if shifted.mark[first] == stamp:
            for k in range(size):
                shifted.shift[first + k] += d * slopes.slope[at + k]
        else:
            shifted.mark[first] = stamp
            shifted.first[n_runs] = first
            shifted.size[n_runs] = size
            n_runs += 1
            for k in range(size):
                shifted.shift[first + k] = d * slopes.slope[at + k]
    return n_runs


@njit(cache=True, nogil=True, inline="always")
def undo_change(codes, change):  # type: ignore[no-untyped-def]
    """Take back what `make_change` did to the codes."""
    i, j, v = change.row, change.other, change.variable
    if j >= 0:
        codes[j, v] = codes[i, v]
    codes[i, v] = change.old
    if change.second >= 0:
        codes[i, change.second] = change.second_old
