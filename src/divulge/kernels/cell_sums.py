"""Sums over cells of keys and target, on which the measures that count are built.

Cells are in the order of their codes, key combination × width + target code, with a count of people (d) and of
synthetic rows (s) each. p^d and p^s are a cell's shares of its key combination.
"""

from __future__ import annotations

from typing import NamedTuple, get_type_hints

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers, Integers32, Mask


class CellSums(NamedTuple):
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


# The same as a record, so that each part of the work adds to it under the names of the sums.
_RECORD = np.dtype(list(get_type_hints(CellSums).items()))


class _Key(NamedTuple):
    """A key combination: how many people and synthetic rows have it, and what is certain of it."""

    d: int
    s: int
    d_certain: bool  # all people with it have one target value
    s_certain: bool
    s_reaches: bool  # some p^s is τ or more


class _Cell(NamedTuple):
    """One target value of a key combination."""

    d: int
    s: int
    p_d: float
    p_s: float


def summarise(
    codes: Integers, width: int, d: Integers32, s: Integers32, kept: Mask, limit: int, tau: float
) -> CellSums:
    """Sums over ascending cells with the counts d (people) and s (synthetic).

    kept: False for cells that exclusions take out of the sums over attributes; an empty array keeps all.
    limit: cells with a larger count are taken out too (d where people are summed, s where synthetic rows are);
        0 is no limit. Proportions p always come from all cells.
    """
    sums = np.zeros(1, _RECORD)
    _summarise(codes, width, d, s, kept, limit, tau, sums)
    return CellSums(*sums[0].item())


@njit(cache=True, nogil=True)
def _summarise(codes, width, d, s, kept, limit, tau, sums):  # type: ignore[no-untyped-def]
    total = sums[0]
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
        reaches = in_s and s_most / s_q >= share
        key = _Key(d_q, s_q, in_d and d_most == d_q, in_s and s_most == s_q, reaches)
        _add_key(total, key)
        for i in range(low, high):
            if kept.size == 0 or kept[i]:
                cell = _Cell(d[i], s[i], d[i] / d_q if in_d else 0.0, s[i] / s_q if in_s else 0.0)
                if cell.d > 0 and (limit == 0 or cell.d <= limit):
                    _add_people(total, key, cell, share)
                if cell.s > 0 and (limit == 0 or cell.s <= limit):
                    _add_synthetic(total, key, cell, share)


@njit(cache=True, nogil=True, inline="always")
def _add_key(total, key):  # type: ignore[no-untyped-def]
    """Add a key combination to the counts of keys."""
    total.keys_people += key.d > 0
    total.keys_synthetic += key.s > 0
    total.keys_both += key.d > 0 and key.s > 0
    total.unique_people += key.d == 1
    total.unique_synthetic += key.s == 1
    total.unique_matched += key.d == 1 and key.s > 0
    total.unique_both += key.d == 1 and key.s == 1


@njit(cache=True, nogil=True, inline="always")
def _add_people(total, key, cell, share):  # type: ignore[no-untyped-def]
    """Add a cell's people."""
    total.CAPd += cell.p_d * cell.d
    total.CAPd_squares += cell.p_d * cell.p_d * cell.d
    total.DCAP += cell.p_s * cell.d
    total.DCAP_squares += cell.p_s * cell.p_s * cell.d
    if key.s > 0:
        total.iS += cell.d
    if key.d_certain:
        total.Dorig += cell.d
        total.keys_certain_people += 1
    if key.s_certain:
        total.DiS += cell.d
        if cell.s > 0:
            total.DiSCO += cell.d
            total.DiSCO_cells += 1
            total.DiSCO_largest = max(total.DiSCO_largest, cell.d)
            if key.d_certain:
                total.DiSDiO += cell.d
    if key.s_reaches:
        total.reached += cell.d
        if cell.p_s >= share:
            total.reached_correct += cell.d


@njit(cache=True, nogil=True, inline="always")
def _add_synthetic(total, key, cell, share):  # type: ignore[no-untyped-def]
    """Add a cell's synthetic rows."""
    total.CAPs += cell.p_s * cell.s
    if key.s_certain:
        total.Dsyn += cell.s
        total.keys_certain_synthetic += 1
        total.keys_certain_both += key.d_certain and cell.d > 0
    if cell.p_s >= share:
        total.weap += cell.s
        if key.d > 0:
            total.weap_matched += cell.s
        total.weap_correct += cell.p_d * cell.s
        total.weap_squares += cell.p_d * cell.p_d * cell.s


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
