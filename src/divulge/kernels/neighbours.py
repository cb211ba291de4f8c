"""Nearest rows by Gower distance: a tree of boxes over one table, searched row by row. Nothing quadratic is held.

A row is a point of coordinates; two rows are Σ_j min(1, |a_j − b_j|) apart. Categories have whole numbers as
coordinates, so any two are 1 apart; numbers are scaled to their range; missing codes lie 1 or more from everything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers

LEAF = 12
"""So many points are compared one by one rather than split further; 8 to 24 take about the same time."""

_PAIRS = 24  # pairs looked at to see along which coordinate the points of a box differ most
_DEEP = 64  # halving 2⁶² points takes fewer splits; deeper boxes are left as they are


class _Tree(NamedTuple):
    """Points in the order of the leaves, and boxes: their least and greatest coordinates, points and children."""

    points: Floats
    order: Integers
    low: Floats
    high: Floats
    first: Integers
    last: Integers
    left: Integers


@njit(cache=True, nogil=True)
def _widest(points: Floats, order: Integers, first: int, last: int, tried: int) -> int:
    """The coordinate along which pairs of points are farthest apart; those in the bit mask `tried` are left out."""
    n, width = last - first, points.shape[1]
    best, at = 0.0, -1
    step = max(1, n // (2 * _PAIRS))
    for j in range(width):
        if tried >> j & 1:
            continue
        total = 0.0
        for i in range(_PAIRS):
            a = points[order[first + (i * step) % n], j]
            b = points[order[first + (n // 2 + i * step) % n], j]
            total += min(1.0, abs(a - b))
        if total > best:
            best, at = total, j
    return at


@njit(cache=True, nogil=True)
def _parted(points: Floats, order: Integers, first: int, last: int, j: int) -> int:
    """Points below the middle value of coordinate j first; where the others begin, or `first` where all are alike."""
    values = np.empty(last - first)
    for i in range(first, last):
        values[i - first] = points[order[i], j]
    middle = float(np.median(values))
    low = values.min()
    if middle == low:
        # Most points are at the least value: part it from the rest.
        above = np.inf
        for value in values:
            if low < value < above:
                above = value
        if above == np.inf:
            return first
        middle = above
    i, end = first, last - 1
    while i <= end:
        if points[order[i], j] < middle:
            i += 1
        else:
            order[i], order[end] = order[end], order[i]
            end -= 1
    return i


@njit(cache=True, nogil=True)
def build(points: Floats) -> _Tree:
    """The tree over the rows of `points`."""
    n, width = points.shape
    order = np.arange(n)
    most = max(1, 4 * (n // LEAF + 1))
    low, high = np.empty((most, width)), np.empty((most, width))
    first, last, left = np.zeros(most, np.int64), np.zeros(most, np.int64), np.full(most, -1, np.int64)
    last[0], depth = n, np.zeros(most, np.int64)
    used, at = 1, 0
    while at < used:
        for j in range(width):
            low[at, j], high[at, j] = np.inf, -np.inf
        for i in range(first[at], last[at]):
            for j in range(width):
                value = points[order[i], j]
                low[at, j], high[at, j] = min(low[at, j], value), max(high[at, j], value)
        if last[at] - first[at] > LEAF and depth[at] < _DEEP and used + 2 <= most:
            tried = 0
            for _ in range(width):
                j = _widest(points, order, first[at], last[at], tried)
                if j < 0:
                    break
                middle = _parted(points, order, first[at], last[at], j)
                if first[at] < middle < last[at]:
                    left[at] = used
                    first[used], last[used] = first[at], middle
                    first[used + 1], last[used + 1] = middle, last[at]
                    depth[used] = depth[used + 1] = depth[at] + 1
                    used += 2
                    break
                tried |= 1 << j
        at += 1
    return _Tree(
        points[order], order, low[:used].copy(), high[:used].copy(), first[:used].copy(), last[:used].copy(),
        left[:used].copy(),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _box_distance(tree: _Tree, box: int, row: Floats, enough: float) -> float:
    total = 0.0
    for j in range(row.size):
        value = row[j]
        if value < tree.low[box, j]:
            total += min(1.0, tree.low[box, j] - value)
        elif value > tree.high[box, j]:
            total += min(1.0, value - tree.high[box, j])
        if total > enough:
            break
    return total


@njit(cache=True, nogil=True)
def _nearest_one(
    tree: _Tree, row: Floats, itself: int, distances: Floats, found: Integers, stack: Integers, bounds: Floats
) -> None:
    """The nearest points of one row into `distances` and `found`; the point `itself` is left out (−1: none is)."""
    k = found.size
    distances[:], found[:] = np.inf, -1
    stack[0], bounds[0], top = 0, 0.0, 1
    while top:
        top -= 1
        box = stack[top]
        if bounds[top] > distances[k - 1] or (bounds[top] == distances[k - 1] and found[k - 1] >= 0):
            continue
        if tree.left[box] >= 0:
            near, far = tree.left[box], tree.left[box] + 1
            a = _box_distance(tree, near, row, distances[k - 1])
            b = _box_distance(tree, far, row, distances[k - 1])
            if b < a:
                near, far, a, b = far, near, b, a
            stack[top], bounds[top] = far, b
            stack[top + 1], bounds[top + 1] = near, a
            top += 2
            continue
        for i in range(tree.first[box], tree.last[box]):
            if tree.order[i] == itself:
                continue
            total = 0.0
            for j in range(row.size):
                total += min(1.0, abs(tree.points[i, j] - row[j]))
                if total >= distances[k - 1]:
                    break
            if total < distances[k - 1]:
                place = k - 1
                while place > 0 and distances[place - 1] > total:
                    distances[place], found[place] = distances[place - 1], found[place - 1]
                    place -= 1
                distances[place], found[place] = total, tree.order[i]


@njit(cache=True, nogil=True)
def nearest(tree: _Tree, rows: Floats, k: int, leave_out: bool) -> tuple[Floats, Integers]:
    """For every row its k nearest points, the nearest first: distances, and places in the table of the tree.

    leave_out: the rows are the points of the tree themselves, and none is its own neighbour. Where there are fewer than
    k points, what is left is infinitely far and at −1. Which of equally near points is found is not said.
    """
    n = rows.shape[0]
    distances, found = np.empty((n, k)), np.empty((n, k), np.int64)
    stack, bounds = np.empty(2 * _DEEP + 2, np.int64), np.empty(2 * _DEEP + 2)
    for i in range(n):
        _nearest_one(tree, rows[i], i if leave_out else -1, distances[i], found[i], stack, bounds)
    return distances, found
