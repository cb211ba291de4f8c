"""Counting rows by integer codes: distinct codes with their counts, two counts side by side, and sums over cells.

A code is key combination × width + target code, so that the cells of one key combination are neighbours once sorted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers, Integers32, Mask

DENSE_CELLS = 1 << 26
"""The largest dense array of counts: 256 MB, so that two of them and the codes of 20 million rows stay below 1 GB."""


class Sums(NamedTuple):
    """Sums over cells. Counts of keys are of distinct key combinations; all others are of rows (or p, or p², of rows).

    Certain: a key combination with one target value only. Those from `Dorig` on leave excluded cells out.
    """

    keys_people: int
    keys_synthetic: int
    keys_both: int
    unique_people: int  # d_q = 1; s_q = 1; d_q = 1 and s_q > 0; both 1
    unique_synthetic: int
    unique_matched: int
    unique_both: int
    Dorig: int
    Dsyn: int
    iS: int
    DiS: int
    DiSCO: int
    DiSDiO: int
    DiSCO_cells: int
    DiSCO_largest: int
    CAPd: float
    CAPd_squares: float
    CAPs: float
    DCAP: float
    DCAP_squares: float
    reached: int  # people's rows whose key has some p^s of at least τ; those whose own target has it
    reached_correct: int
    weap: int  # synthetic rows with WEAP ≥ τ; those whose key the people have; the sums of p^d and its square
    weap_matched: int
    weap_correct: float
    weap_squares: float
    keys_certain_people: int
    keys_certain_synthetic: int
    keys_certain_both: int  # with the same target value in both


@njit(cache=True, nogil=True)
def count_into(codes: Integers, counts: Integers32) -> None:
    """Add one for every code."""
    for code in codes:
        counts[code] += 1


@njit(cache=True, nogil=True)
def compact(counts: Integers32) -> tuple[Integers, Integers32]:
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
def run_lengths(ordered: Integers) -> tuple[Integers, Integers32]:
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
def regroup(order: Integers, codes: Integers, a: Integers32, b: Integers32) -> tuple[Integers, Integers32, Integers32]:
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
def regroup_dense(codes: Integers, a: Integers32, b: Integers32, radix: int) -> tuple[Integers, Integers32, Integers32]:
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
def summarise(codes: Integers, width: int, d: Integers32, s: Integers32, kept: Mask, limit: int, tau: float) -> Sums:
    """Sums over ascending cells with the counts d (people) and s (synthetic).

    kept: False for cells that exclusions take out of the sums over attributes; an empty array keeps all.
    limit: cells with a larger count are taken out too (d where people are summed, s where synthetic rows are);
        0 is no limit. Proportions p always come from all cells.
    """
    keys_people = keys_synthetic = keys_both = 0
    unique_people = unique_synthetic = unique_matched = unique_both = 0
    d_orig = d_syn = i_s = d_is = disco = disdio = disco_cells = disco_largest = 0
    cap_d = cap_d_squares = cap_s = dcap = dcap_squares = 0.0
    reached = reached_correct = weap = weap_matched = 0
    weap_correct = weap_squares = 0.0
    keys_certain_people = keys_certain_synthetic = keys_certain_both = 0
    all_kept = kept.size == 0
    share = tau - 1e-12  # a share that equals τ must not fail by the rounding of a division
    high = 0
    while high < codes.size:
        low, end = high, (codes[high] // width + 1) * width
        d_q = s_q = d_most = s_most = 0
        while high < codes.size and codes[high] < end:
            d_q += d[high]
            s_q += s[high]
            d_most = max(d_most, d[high])
            s_most = max(s_most, s[high])
            high += 1
        in_d, in_s = d_q > 0, s_q > 0
        keys_people += in_d
        keys_synthetic += in_s
        keys_both += in_d and in_s
        unique_people += d_q == 1
        unique_synthetic += s_q == 1
        unique_matched += d_q == 1 and in_s
        unique_both += d_q == 1 and s_q == 1
        d_certain, s_certain = in_d and d_most == d_q, in_s and s_most == s_q
        s_reaches = in_s and s_most / s_q >= share
        for i in range(low, high):
            if not (all_kept or kept[i]):
                continue
            d_tq, s_tq = d[i], s[i]
            p_d = d_tq / d_q if in_d else 0.0
            p_s = s_tq / s_q if in_s else 0.0
            if d_tq > 0 and (limit == 0 or d_tq <= limit):
                cap_d += p_d * d_tq
                cap_d_squares += p_d * p_d * d_tq
                dcap += p_s * d_tq
                dcap_squares += p_s * p_s * d_tq
                i_s += d_tq if in_s else 0
                if d_certain:
                    d_orig += d_tq
                    keys_certain_people += 1
                if s_certain:
                    d_is += d_tq
                    if s_tq > 0:
                        disco += d_tq
                        disco_cells += 1
                        disco_largest = max(disco_largest, d_tq)
                        disdio += d_tq if d_certain else 0
                if s_reaches:
                    reached += d_tq
                    reached_correct += d_tq if p_s >= share else 0
            if s_tq > 0 and (limit == 0 or s_tq <= limit):
                cap_s += p_s * s_tq
                if s_certain:
                    d_syn += s_tq
                    keys_certain_synthetic += 1
                    keys_certain_both += d_certain and d_tq > 0
                if p_s >= share:
                    weap += s_tq
                    weap_matched += s_tq if in_d else 0
                    weap_correct += p_d * s_tq
                    weap_squares += p_d * p_d * s_tq
    return Sums(
        keys_people,
        keys_synthetic,
        keys_both,
        unique_people,
        unique_synthetic,
        unique_matched,
        unique_both,
        d_orig,
        d_syn,
        i_s,
        d_is,
        disco,
        disdio,
        disco_cells,
        disco_largest,
        cap_d,
        cap_d_squares,
        cap_s,
        dcap,
        dcap_squares,
        reached,
        reached_correct,
        weap,
        weap_matched,
        weap_correct,
        weap_squares,
        keys_certain_people,
        keys_certain_synthetic,
        keys_certain_both,
    )


@njit(cache=True, nogil=True)
def disclosed(codes: Integers, width: int, d: Integers32, s: Integers32, kept: Mask, limit: int) -> Integers:
    """The places of the cells of DiSCO: p^s = 1, some people, not excluded (see `summarise`)."""
    found = np.empty(0, np.int64)
    n = 0
    # Once to count and once to write: an array for all cells would be as large as the cells themselves.
    for writes in (False, True):
        if writes:
            found = np.empty(n, np.int64)
        n = high = 0
        while high < codes.size:
            end = (codes[high] // width + 1) * width
            place, n_synthetic = -1, 0
            while high < codes.size and codes[high] < end:
                if s[high] > 0:
                    n_synthetic += 1
                    place = high
                high += 1
            is_kept = kept.size == 0 or kept[place]
            if n_synthetic == 1 and d[place] > 0 and (limit == 0 or d[place] <= limit) and is_kept:
                if writes:
                    found[n] = place
                n += 1
    return found


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
        count_into(codes, counts)
        return compact(counts)
    codes.sort()
    return run_lengths(codes)


def regrouped(codes: Integers, a: Integers32, b: Integers32, radix: int) -> tuple[Integers, Integers32, Integers32]:
    """Cells put together where their new codes (all below `radix`) are equal; dense or sorted, as `distinct`."""
    if radix <= min(max(8 * codes.size, 1 << 16), DENSE_CELLS):
        return regroup_dense(codes, a, b, radix)
    return regroup(np.argsort(codes, kind="stable"), codes, a, b)
