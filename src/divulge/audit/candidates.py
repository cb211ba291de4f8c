"""Groups that figures might give away although none states them: what any two outputs tell apart, and all together.

Two tables that differ by a condition tell those apart whom it leaves out, whatever else other tables split them by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from divulge.audit.alike import number_alike
from divulge.audit.system import System
from divulge.kernels.arrays import Integers, Mask

MOST_PAIRS = 300
"""Pairs of outputs that are looked at; 24 outputs have as many. With more, each output and all together."""

MOST_VALUES = 60
"""Kinds of people up to which an output of sums is asked who has which value."""

MOST_CANDIDATES = 5_000
"""Groups that are asked about; the smallest first."""


@dataclass(frozen=True, eq=False)
class _Candidates:
    """matrix: (groups, cells) of zeros and ones. is_cut: whether there were more."""

    matrix: sparse.csr_array
    is_cut: bool


def find_candidates(
    system: System, sums: Sequence[sparse.csr_array], asked: Sequence[sparse.csr_array], fewest: int
) -> _Candidates:
    """Groups of fewer than `fewest` people that no figure states and that are not asked about already.

    Where the data are not known, all such groups. sums: for each output what it is made of, over cells.
    """
    told_apart = [found for matrix in sums if (found := _told_apart(matrix)) is not None]
    if not told_apart:
        return _Candidates(sparse.csr_array((0, system.n_cells)), False)
    everything = _combine(told_apart)
    pairs = list(combinations(told_apart, 2)) if len(told_apart) * (len(told_apart) - 1) <= 2 * MOST_PAIRS else []
    # A figure states a group of the same people whatever it is called: cells that figures call empty do not count.
    may_hold = _not_stated_empty(system)
    stated = {key for matrix in (system.matrix, *asked) for key in _plain_sums(matrix, may_hold)}
    is_held = may_hold if system.point is None else system.point > 0
    # Those whom no figure speaks of, by a condition or a missing value, are who is left of all rows: of them follows
    # that they are few, and nothing else.
    is_spoken_of = np.any([np.bincount(m.tocsr().indices, minlength=system.n_cells) > 0 for m in sums], axis=0)
    seen: set[bytes] = set()
    rows: list[Integers] = []
    people: list[float] = []
    # Of names for the same people the one that two outputs give says most.
    for number in [*(_combine(pair) for pair in pairs), everything, *told_apart]:
        order = np.argsort(number, kind="stable")
        starts = np.flatnonzero(np.diff(number[order], prepend=-1))
        held = None if system.point is None else np.bincount(number, system.point)
        for k, cells in enumerate(np.split(order, starts[1:])):
            n = 0.0 if held is None else float(held[k])
            if held is not None and not 0 < n < fewest:
                continue
            cells = np.sort(cells).astype(np.int64)
            if not is_spoken_of[cells].any():
                continue
            key = cells[is_held[cells]].tobytes()
            if key not in seen and cells[may_hold[cells]].tobytes() not in stated:
                seen.add(key)
                rows.append(cells)
                people.append(n)
    kept = np.argsort(people, kind="stable")[:MOST_CANDIDATES]
    chosen = [rows[i] for i in kept.tolist()]
    lengths = np.cumsum([0, *(len(c) for c in chosen)])
    columns = np.concatenate([np.zeros(0, dtype=np.int64), *chosen])
    matrix = sparse.csr_array((np.ones(len(columns)), columns, lengths), shape=(len(chosen), system.n_cells))
    return _Candidates(matrix, len(rows) > len(chosen))


def _not_stated_empty(system: System) -> Mask:
    """Cells that no figure of zero is a sum of, and that rows can be in."""
    rows = system.matrix[np.flatnonzero(system.high <= 0)]
    # A difference of zero (a mean, a tie) says nothing of its parts.
    negative = sparse.csr_array(rows < 0)
    is_sum = np.diff(negative.indptr) == 0
    return (np.bincount(rows[np.flatnonzero(is_sum)].indices, minlength=system.n_cells) == 0) & (system.most > 0)


def _told_apart(matrix: sparse.csr_array) -> Integers | None:
    """The number of each cell; None where an output tells none apart.

    Sums of values tell every value apart. Where there are many of them, who has which hardly ever follows: then only
    what is counted tells people apart.
    """
    rows = sparse.csr_array(matrix)
    if not rows.shape[0]:
        return None
    found = number_alike(rows)[0]
    if found.max(initial=0) < MOST_VALUES:
        return found
    of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    is_count = (np.bincount(of, rows.data != 1.0, rows.shape[0]) == 0) & (np.diff(rows.indptr) > 0)
    return found if is_count.all() else number_alike(rows[np.flatnonzero(is_count)])[0] if is_count.any() else None


def _combine(numbers: Sequence[Integers]) -> Integers:
    """Cells that all of some outputs treat alike."""
    found = numbers[0]
    for more in numbers[1:]:
        found = np.unique(found * (int(more.max(initial=0)) + 1) + more, return_inverse=True)[1].ravel()
    return found


def _plain_sums(matrix: sparse.csr_array, may_hold: Mask) -> list[bytes]:
    """The sets of cells that rows of zeros and ones are the sums of, less those stated to be empty."""
    rows = sparse.csr_array(matrix)
    rows.sort_indices()
    plain = np.flatnonzero(np.diff(rows.indptr) > 0)
    found = []
    for i in plain.tolist():
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        if (rows.data[at] == 1.0).all():
            cells = rows.indices[at].astype(np.int64)
            found.append(cells[may_hold[cells]].tobytes())
    return found
