"""Minimal sample uniques: the smallest sets of columns on which a row is unique (Elliot, Manning and Ford 2002).

Works on distinct rows. A row that is alone in its group stays alone in every finer group and changes nobody else's,
so it leaves the search: each set of columns costs only the rows that still share their values on the columns before.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers, Integers32, Mask

BUFFER = 1 << 22
"""Groups by values counted in a dense array of this size (16 MB, near to cache); more are sorted."""


@njit(cache=True, nogil=True)
def _split(
    active: Integers32, codes: Integers, buffer: Integers32, count: Integers32
) -> tuple[Integers32, Integers32, Integers32, int]:
    """Rows whose new group (`codes`, −1 for none) holds them alone, and the others with their groups numbered anew.

    active: rows still in the search. buffer: zeros, left as zeros.
    count: how often each distinct row occurs; one that occurs twice is alone in its group but not unique.
    Returns unique rows, rows that stay, their groups, the number of groups.
    """
    n_alone, n_stay = 0, 0
    for code in codes:
        if code >= 0:
            buffer[code] += 1
    for i in range(codes.size):
        if codes[i] >= 0:
            if buffer[codes[i]] > 1:
                n_stay += 1
            elif count[active[i]] == 1:
                n_alone += 1
    alone = np.empty(n_alone, np.int32)
    stay = np.empty(n_stay, np.int32)
    group = np.empty(n_stay, np.int32)
    n_alone, n_stay, n_groups = 0, 0, 0
    for i in range(codes.size):
        code = codes[i]
        if code < 0:
            continue
        if buffer[code] == 1:
            if count[active[i]] == 1:
                alone[n_alone] = active[i]
                n_alone += 1
            continue
        # A group met for the first time gets its number; it is kept as a negative one, apart from the counts.
        if buffer[code] > 0:
            n_groups += 1
            buffer[code] = -n_groups
        stay[n_stay] = active[i]
        group[n_stay] = -buffer[code] - 1
        n_stay += 1
    for code in codes:
        if code >= 0:
            buffer[code] = 0
    return alone, stay, group, n_groups


@njit(cache=True, nogil=True)
def _next_codes(active: Integers32, groups: Integers32, column: Integers32, card: int, n_values: int) -> Integers:
    """Group × card + the value in a further column; −1 where that value is missing (code n_values or above)."""
    codes = np.empty(active.size, np.int64)
    for i in range(active.size):
        value = column[active[i]]
        codes[i] = np.int64(groups[i]) * card + value if value < n_values else -1
    return codes


@njit(cache=True, nogil=True)
def _minimal(rows: Integers, sets: Integers) -> Mask:
    """Which of a row's sets (bit masks, grouped by ascending row) contain no other of its sets."""
    kept = np.ones(rows.size, np.bool_)
    start = 0
    while start < rows.size:
        end = start
        while end < rows.size and rows[end] == rows[start]:
            end += 1
        for i in range(start, end):
            for j in range(start, end):
                if i != j and sets[i] & sets[j] == sets[j]:
                    kept[i] = False
                    break
        start = end
    return kept


def unique_sets(
    columns: Integers32, n_values: Integers, cards: Integers, count: Integers32, largest: int
) -> tuple[Integers, Integers]:
    """Every minimal set of columns on which a distinct row is unique: row numbers (ascending) and bit masks.

    columns: codes, one row of the array a column; codes from n_values[j] up to cards[j] − 1 are missing.
    count: how often each distinct row occurs. largest: sets of more columns are not looked for.
    """
    n_rows = columns.shape[1]
    # Columns with many values first: they leave the fewest rows to the many sets that follow them.
    order = np.argsort(-cards, kind="stable")
    buffer = np.zeros(BUFFER, np.int32)
    found_rows: list[Integers32] = []
    found_sets: list[int] = []
    start = (np.arange(n_rows, dtype=np.int32), np.zeros(n_rows, np.int32), 1 if n_rows else 0)
    pending = [(start, 0, 0, 0)]
    while pending:
        (active, groups, n_groups), mask, size, position = pending.pop()
        for place in range(position, len(order)):
            j = int(order[place])
            codes = _next_codes(active, groups, columns[j], int(cards[j]), int(n_values[j]))
            if n_groups * int(cards[j]) > BUFFER:
                codes = _ranked(codes)
            # Ranks are below the number of rows, which may itself be larger than the buffer.
            if codes.size > BUFFER and buffer.size < codes.size:
                buffer = np.zeros(codes.size, np.int32)
            alone, stay, group, n_stay = _split(active, codes, buffer, count)
            if alone.size:
                found_rows.append(alone)
                found_sets.append(mask | 1 << j)
            if stay.size and size + 1 < largest and place + 1 < len(order):
                pending.append(((stay, group, n_stay), mask | 1 << j, size + 1, place + 1))
    if not found_rows:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = np.concatenate(found_rows).astype(np.int64)
    sets = np.repeat(np.array(found_sets, dtype=np.int64), [r.size for r in found_rows])
    by_row = np.argsort(rows, kind="stable")
    rows, sets = rows[by_row], sets[by_row]
    kept = _minimal(rows, sets)
    return rows[kept], sets[kept]


def _ranked(codes: Integers) -> Integers:
    """Codes replaced by their rank among those present; −1 stays."""
    present = codes >= 0
    ranks = np.full(codes.size, -1, dtype=np.int64)
    ranks[present] = np.unique(codes[present], return_inverse=True)[1]
    return ranks
