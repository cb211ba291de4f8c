"""What each row does to each figure, at the released values: the additive form read row by row.

At the released values figures are sums over rows, so that a row that comes, goes or changes moves them by its own term
(Hampel 1974). Exact for means, shares and counts at fixed sizes of groups, to first order for the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.lowering.lowered import pack, row_codes
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Table

MOST_CELLS = 20_000_000
"""Rows times sums that are held at once; of larger tables an even part of the rows is looked at."""

NOTHING = 1e-12
"""Of the largest: a row that moves a figure by less does not move it."""


@dataclass(frozen=True, eq=False)
class Influence:
    """moves: (rows looked at, figures), in the figures' own units; rows: which these are.

    each: how many rows of the table one row looked at stands for.
    groups: figures that no row has to do with together with others, as sets of them; people: (rows, groups) who has.
    """

    rows: Integers
    moves: Floats
    each: float
    groups: tuple[Integers, ...]
    people: Mask

    def typical(self) -> Floats:
        """How far one of those who move a figure moves it, as a root mean square; NaN where nobody does."""
        who = (np.abs(self.moves) > NOTHING * np.abs(self.moves).max(axis=0, initial=0.0)).sum(axis=0)
        found = np.full(len(who), np.nan)
        np.divide((self.moves**2).sum(axis=0), who, out=found, where=who > 0)
        return np.sqrt(found)


def influence(output: Output, released: Released, table: Table) -> Influence | None:
    """The influence of rows on the figures of an output; None where its sums say something else than its figures.

    Released figures may be of other rows than the table's: then it is the influence that such rows have.
    """
    if not (output.can_lower and output.residuals_are_figures) or not table.n_rows or table.people is not None:
        return None
    lowered = output.lower(table.schema, released)
    program = pack([lowered], table.schema)
    n = len(released.labels)
    if lowered.n_residuals < n:
        return None
    rows = _even(table.n_rows, max(1, MOST_CELLS // max(program.n_totals, 1)))
    _, jacobian = lowered.residuals.linearise(lowered.totals(table), table)
    terms = program.of_rows(row_codes(table.take(rows)))
    slopes = sparse.csr_array(sparse.diags_array(jacobian) if jacobian.ndim == 1 else jacobian)[:n]
    moves = np.asarray((slopes @ terms.T).T)
    if not np.isfinite(moves).all():
        return None
    return Influence(rows, moves, table.n_rows / len(rows), *_groups(terms != 0, slopes))


def _groups(touched: Mask, slopes: sparse.csr_array) -> tuple[tuple[Integers, ...], Mask]:
    """Sets of figures, and who has to do with them. touched: (rows, sums); slopes: (figures, sums)."""
    by_rows, by_figures = sparse.csr_array(touched.astype(np.float64)), abs(slopes)
    _, group = connected_components(by_rows.T @ by_rows + by_figures.T @ by_figures, directed=False)
    first = np.asarray(by_figures.argmax(axis=1)).ravel()
    of_figure = np.where(np.asarray(by_figures.sum(axis=1)).ravel() > 0, group[first], -1)
    used = np.unique(of_figure[of_figure >= 0])
    people = np.stack([touched[:, group == g].any(axis=1) for g in used], axis=1) if len(used) else touched[:, :0]
    return tuple(np.flatnonzero(of_figure == g) for g in used), people


def _even(n_rows: int, most: int) -> Integers:
    """So many rows, evenly over all of them."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).astype(np.int64))
