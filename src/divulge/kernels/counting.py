"""Counting rows by integer codes: distinct codes with their counts, and two counts side by side.

A code is key combination × width + target code, so that the cells of one key combination are neighbours once sorted.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers, Integers32

DENSE_CELLS = 1 << 26
"""The largest dense array of counts: 256 MB, so that two of them and the codes of 20 million rows stay below 1 GB."""


@njit(cache=True, nogil=True)
def _count_into(codes: Integers, counts: Integers32) -> None:
    """Add one for every code."""
    for code in codes:
        counts[code] += 1


@njit(cache=True, nogil=True)
def _compact(counts: Integers32) -> tuple[Integers, Integers32]:
    """The codes that occur, ascending, and how often."""
    n = 0
    for i in range(counts.size):
        n += counts[i] > 0
    codes = np.empty(n, np.int64)
    kept = np.empty(n, np.int32)
    n = 0
    for i in range(counts.size):
        if counts[i] > 0:
            codes[n] = i
            kept[n] = counts[i]
            n += 1
    return codes, kept


@njit(cache=True, nogil=True)
def _run_lengths(ordered: Integers) -> tuple[Integers, Integers32]:
    """The distinct codes of an ascending array, and how often each occurs."""
    n = 0
    for i in range(ordered.size):
        n += i == 0 or ordered[i] != ordered[i - 1]
    codes = np.empty(n, np.int64)
    counts = np.empty(n, np.int32)
    n = -1
    for i in range(ordered.size):
        if i == 0 or ordered[i] != ordered[i - 1]:
            n += 1
            codes[n] = ordered[i]
            counts[n] = 0
        counts[n] += 1
    return codes, counts


@njit(cache=True, nogil=True)
def merge(
    codes_a: Integers, counts_a: Integers32, codes_b: Integers, counts_b: Integers32
) -> tuple[Integers, Integers32, Integers32]:
    """All codes of two counts, ascending, with the count of either (0 where it does not have the code)."""
    i, j, n = 0, 0, 0
    while i < codes_a.size or j < codes_b.size:
        a_here = i < codes_a.size and (j >= codes_b.size or codes_a[i] <= codes_b[j])
        b_here = j < codes_b.size and (i >= codes_a.size or codes_b[j] <= codes_a[i])
        i += a_here
        j += b_here
        n += 1
    codes = np.empty(n, np.int64)
    a = np.zeros(n, np.int32)
    b = np.zeros(n, np.int32)
    i, j = 0, 0
    for k in range(n):
        a_here = i < codes_a.size and (j >= codes_b.size or codes_a[i] <= codes_b[j])
        b_here = j < codes_b.size and (i >= codes_a.size or codes_b[j] <= codes_a[i])
        if a_here:
            codes[k] = codes_a[i]
            a[k] = counts_a[i]
            i += 1
        if b_here:
            codes[k] = codes_b[j]
            b[k] = counts_b[j]
            j += 1
    return codes, a, b


@njit(cache=True, nogil=True)
def _regroup(order: Integers, codes: Integers, a: Integers32, b: Integers32) -> tuple[Integers, Integers32, Integers32]:
    """Cells with new codes, put together where the codes are equal; `order` sorts the codes."""
    n = 0
    for i in range(order.size):
        n += i == 0 or codes[order[i]] != codes[order[i - 1]]
    out = np.empty(n, np.int64)
    sum_a = np.zeros(n, np.int32)
    sum_b = np.zeros(n, np.int32)
    n = -1
    for i in range(order.size):
        if i == 0 or codes[order[i]] != codes[order[i - 1]]:
            n += 1
            out[n] = codes[order[i]]
        sum_a[n] += a[order[i]]
        sum_b[n] += b[order[i]]
    return out, sum_a, sum_b


@njit(cache=True, nogil=True)
def _regroup_dense(
    codes: Integers, a: Integers32, b: Integers32, radix: int
) -> tuple[Integers, Integers32, Integers32]:
    """Cells with new codes below `radix`, put together where the codes are equal."""
    all_a = np.zeros(radix, np.int32)
    all_b = np.zeros(radix, np.int32)
    for i in range(codes.size):
        all_a[codes[i]] += a[i]
        all_b[codes[i]] += b[i]
    n = 0
    for i in range(radix):
        n += all_a[i] > 0 or all_b[i] > 0
    out = np.empty(n, np.int64)
    sum_a = np.empty(n, np.int32)
    sum_b = np.empty(n, np.int32)
    n = 0
    for i in range(radix):
        if all_a[i] > 0 or all_b[i] > 0:
            out[n] = i
            sum_a[n] = all_a[i]
            sum_b[n] = all_b[i]
            n += 1
    return out, sum_a, sum_b


@njit(cache=True, nogil=True)
def group_starts(codes: Integers, width: int) -> Integers:
    """Where each key combination begins among ascending cell codes; the last entry is the number of cells."""
    n = 0
    last = np.int64(-1)
    for code in codes:
        if code // width != last:
            last = code // width
            n += 1
    starts = np.empty(n + 1, np.int64)
    n = 0
    last = np.int64(-1)
    for i in range(codes.size):
        if codes[i] // width != last:
            last = codes[i] // width
            starts[n] = i
            n += 1
    starts[n] = codes.size
    return starts


@njit(cache=True, nogil=True)
def add_pairs(
    codes: Integers,
    width: int,
    d: Integers32,
    unit: int,
    level_slot: Integers32,
    target_slot: Integers32,
    pairs: Integers,
    levels: Integers,
) -> None:
    """Count people by a key's level, and by that level and the target, for the levels and targets with a slot.

    unit: what the cell code is divided by for the key's level to be its last digit in the base of level_slot.size.
    level_slot, target_slot: where each code is counted, −1 for nowhere. pairs (2-D), levels: counts, added to.
    """
    card = level_slot.size
    for i in range(codes.size):
        level = level_slot[codes[i] // unit % card]
        if level >= 0 and d[i] > 0:
            levels[level] += d[i]
            target = target_slot[codes[i] % width]
            if target >= 0:
                pairs[level, target] += d[i]


def distinct(codes: Integers, radix: int) -> tuple[Integers, Integers32]:
    """The distinct codes, ascending, and how often each occurs. `codes` may be reordered.

    Counts in a dense array where the codes span little more than there are rows, else sorts: a dense table over
    combinations that nobody has would cost more than the rows.
    """
    # Four cells a row cost about what sorting the rows costs; 65,536 cells are cleared in no time.
    if radix <= min(max(4 * codes.size, 1 << 16), DENSE_CELLS):
        counts = np.zeros(radix, np.int32)
        _count_into(codes, counts)
        return _compact(counts)
    codes.sort()
    return _run_lengths(codes)


def regrouped(codes: Integers, a: Integers32, b: Integers32, radix: int) -> tuple[Integers, Integers32, Integers32]:
    """Cells put together where their new codes (all below `radix`) are equal; dense or sorted, as `distinct`."""
    if radix <= min(max(8 * codes.size, 1 << 16), DENSE_CELLS):
        return _regroup_dense(codes, a, b, radix)
    return _regroup(np.argsort(codes, kind="stable"), codes, a, b)
