"""Figures as sums of cells, and how all of them can change at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from divulge.kernels.arrays import Floats, Integers

FURTHEST = 100.0
"""No change has to go further than that many times the largest need: beyond it numbers only lose digits."""


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures as sums of cells, with what withholding each costs.

    sums: (figures, cells). cells: what each holds. cost: of withholding each figure; ∞: it is public in any case.
    least, most: between which limits everybody knows each cell to be.
    """

    sums: sparse.csr_array
    cells: Floats
    cost: Floats
    least: Floats
    most: Floats

    @property
    def n_figures(self) -> int:
        return int(self.sums.shape[0])


@dataclass(frozen=True)
class Need:
    """A figure that must be able to be larger by `amount` (or smaller, below zero)."""

    figure: int
    amount: float


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of all figures at once: a column for each cell, then one for each figure that is more than one cell.

    matrix: what must be zero: a figure less its column, and of public figures their change. figure_of: the figure that
    each column is; −1: a cell that no figure states. column_of: the column of each figure; −1: it is public. up, down:
    how far each column can go.
    """

    matrix: sparse.csr_array
    figure_of: Integers
    column_of: Integers
    up: Floats
    down: Floats

    @property
    def n_columns(self) -> int:
        return len(self.up)


def changes_of(given: Figures, furthest: float) -> Changes:
    """How the figures can change. furthest: no change is followed beyond it."""
    sums = sparse.csr_array(given.sums)
    n_figures, n_cells = (int(n) for n in sums.shape)
    is_single = (np.diff(sums.indptr) == 1) & (np.asarray(sums.max(axis=1).todense()).ravel() == 1.0)
    column_of = np.full(n_figures, -1, dtype=np.int64)
    stated = np.full(n_cells, -1, dtype=np.int64)
    for figure in np.flatnonzero(is_single).tolist():
        cell = int(sums.indices[sums.indptr[figure]])
        # Of two figures that state the same cell the second is a sum like any other.
        if stated[cell] < 0:
            stated[cell], column_of[figure] = figure, cell
    others = np.flatnonzero(column_of < 0)
    own = others[np.isfinite(given.cost[others])]
    column_of[own] = n_cells + np.arange(len(own))
    at = np.searchsorted(others, own)
    eye = sparse.csr_array((np.ones(len(own)), (at, np.arange(len(own)))), shape=(len(others), len(own)))
    room = np.minimum(given.most - given.cells, furthest), np.minimum(given.cells - given.least, furthest)
    far = np.full(len(own), furthest)
    up, down = np.concatenate([room[0], far]), np.concatenate([room[1], far])
    figure_of = np.concatenate([stated, own])
    # A public figure that is one cell keeps it where it is.
    public = (figure_of >= 0) & ~np.isfinite(given.cost[np.maximum(figure_of, 0)])
    up[public], down[public] = 0.0, 0.0
    matrix = sparse.csr_array(sparse.hstack([sums[others], -eye]))
    return Changes(matrix, figure_of, column_of, up, down)
