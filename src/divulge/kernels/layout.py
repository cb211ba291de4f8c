"""How the columns of a design are summed: variables with few codes through indicators, the others term by term.

All functions of one variable (and of those that interact with it) share one table over its codes, so a row has one
entry for each such group of variables, whatever the number of columns: X = Z·W, Z mostly indicators, X'DX = W'Z'DZ·W.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from divulge.kernels.arrays import Floats, Integers, Integers32

SMALL = 1 << 16
"""The indicators' cross products may take this many numbers (half a megabyte), or as many as there are rows."""


class RawTerm(NamedTuple):
    """One term of a design: at most one non-zero column a row (see `lowered.Term`), its variables as numbers."""

    variables: tuple[int, ...]
    cells: tuple[Integers32, ...]
    factors: tuple[Floats | None, ...]
    column: Integers32  # by cell; −1: none
    scale: Floats


class _Weights(NamedTuple):
    """W row by row: entry e has the columns and values from start[e] to start[e + 1]."""

    start: Integers
    column: Integers
    value: Floats


class _Layout(NamedTuple):
    """Groups first (one indicator each), then the terms that stay by themselves; W turns both into columns."""

    part_start: Integers  # (groups + 1,)
    part_variable: Integers
    part_stride: Integers
    offset: Integers  # (groups,) of each group's first indicator
    own_start: Integers  # (own terms + 1,): parts of these
    own_variable: Integers
    own_cells_at: Integers
    own_factors_at: Integers  # −1: ones
    own_table: Integers  # (own terms,) into column and scale
    cells: Integers32
    factors: Floats
    column: Integers
    scale: Floats


def lay_out(terms: Sequence[RawTerm], n_codes: Sequence[int], n_columns: int, n_rows: int) -> tuple[_Layout, _Weights]:
    """The layout and its W. No two terms share a column. Rows of which a term is undefined must not be asked for."""
    groups: list[tuple[int, ...]] = []
    for wanted in sorted({tuple(sorted(set(t.variables))) for t in terms}, key=len, reverse=True):
        if wanted and not any(set(wanted) <= set(g) for g in groups):
            groups.append(wanted)
    groups = groups or [()]
    room = max(SMALL, n_rows) ** 0.5
    kept: list[tuple[int, ...]] = []
    n_indicators = 0
    for group in sorted(groups, key=lambda g: _size(g, n_codes)):
        if n_indicators + _size(group, n_codes) <= room:
            kept.append(group)
            n_indicators += _size(group, n_codes)
    weights, own = _weights(terms, kept, n_codes, n_columns)
    return _packed(kept, own, n_codes, n_indicators), weights


def _size(group: Sequence[int], n_codes: Sequence[int]) -> int:
    size = 1
    for v in group:
        size *= n_codes[v]
    return size


def _weights(
    terms: Sequence[RawTerm], groups: Sequence[tuple[int, ...]], n_codes: Sequence[int], n_columns: int
) -> tuple[_Weights, list[RawTerm]]:
    """W, and the terms that no group takes: their entries are the columns themselves, after all indicators."""
    offsets = np.cumsum([0, *(_size(g, n_codes) for g in groups)])
    own, entry, columns, values = [], [], [], []
    for term in terms:
        home = next((i for i, g in enumerate(groups) if set(term.variables) <= set(g)), None)
        if home is None:
            own.append(term)
            continue
        group = groups[home]
        shape = tuple(n_codes[v] for v in group)
        cell, value = np.zeros(shape, dtype=np.int64), np.ones(shape)
        for v, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
            along = [1] * len(group)
            along[group.index(v)] = -1
            cell = cell + cells.astype(np.int64).reshape(along)
            if factors is not None:
                value = value * factors.reshape(along)
        cell, value = cell.ravel(), value.ravel()
        column = np.where(cell >= 0, term.column[np.maximum(cell, 0)], -1)
        at = np.flatnonzero((column >= 0) & (value != 0.0))
        entry.append(offsets[home] + at)
        columns.append(column[at])
        values.append(value[at] * term.scale[cell[at]])
    if own:
        entry.append(offsets[-1] + np.arange(n_columns))
        columns.append(np.arange(n_columns))
        values.append(np.ones(n_columns))
    entries_ = np.concatenate([np.zeros(0, dtype=np.int64), *entry])
    order = np.argsort(entries_, kind="stable")
    counts = np.bincount(entries_, minlength=int(offsets[-1]) + (n_columns if own else 0))
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    column = np.concatenate([np.zeros(0, dtype=np.int64), *columns])[order].astype(np.int64)
    return _Weights(start, column, np.concatenate([np.zeros(0), *values])[order]), own


def _packed(groups: Sequence[tuple[int, ...]], own: Sequence[RawTerm], n_codes: Sequence[int], first: int) -> _Layout:
    sizes = [_size(g, n_codes) for g in groups]
    strides = [_size(g[i + 1 :], n_codes) for g in groups for i in range(len(g))]
    cells = [c for t in own for c in t.cells]
    cells_at = np.cumsum([0, *(len(c) for c in cells)])
    factors = [f for t in own for f in t.factors]
    factors_at = np.cumsum([0, *(0 if f is None else len(f) for f in factors)])
    is_one = np.array([f is None for f in factors], dtype=bool)

    def ints(values: ArrayLike) -> Integers:
        return np.array(values, dtype=np.int64)

    return _Layout(
        ints(np.cumsum([0, *map(len, groups)])),
        ints([v for g in groups for v in g]),
        ints(strides),
        ints(np.cumsum([0, *sizes])[:-1]),
        ints(np.cumsum([0, *(len(t.variables) for t in own)])),
        ints([v for t in own for v in t.variables]),
        ints(cells_at[:-1]),
        np.where(is_one, -1, factors_at[:-1]).astype(np.int64),
        ints(np.cumsum([0, *(len(t.column) for t in own)])[:-1]),
        np.concatenate([np.zeros(0, dtype=np.int32), *cells]),
        np.concatenate([np.zeros(0), *(f for f in factors if f is not None)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(np.where(t.column < 0, -1, first + t.column) for t in own)]),
        np.concatenate([np.zeros(0), *(t.scale for t in own)]),
    )


@njit(cache=True, nogil=True)
def fill_places(layout, codes, place):  # type: ignore[no-untyped-def]
    """Write the indicator of every group for every row of codes."""
    for i in range(codes.shape[0]):
        for g in range(layout.offset.shape[0]):
            at = layout.offset[g]
            for p in range(layout.part_start[g], layout.part_start[g + 1]):
                at += layout.part_stride[p] * codes[i, layout.part_variable[p]]
            place[i, g] = at


@njit(cache=True, nogil=True, inline="always")
def entries(layout, codes, place, i, at, value):  # type: ignore[no-untyped-def]
    """Write the entries of row i into (at, value); return how many there are. Indicators have a value of 1."""
    count = place.shape[1]
    for g in range(count):
        at[g] = place[i, g]
        value[g] = 1.0
    for t in range(layout.own_table.shape[0]):
        cell = layout.own_table[t]
        x = 1.0
        for p in range(layout.own_start[t], layout.own_start[t + 1]):
            code = codes[i, layout.own_variable[p]]
            cell += layout.cells[layout.own_cells_at[p] + code]
            if layout.own_factors_at[p] >= 0:
                x *= layout.factors[layout.own_factors_at[p] + code]
        x *= layout.scale[cell]
        if layout.column[cell] >= 0 and x != 0.0:
            at[count] = layout.column[cell]
            value[count] = x
            count += 1
    return count
