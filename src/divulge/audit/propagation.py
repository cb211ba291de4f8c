"""What one figure at a time says of each cell, over and over: what is left of a total when the rest is at its least.

Fixes at once what follows without solving anything (a single unknown in a sum, a sum of nothing) and bounds the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from divulge.kernels.arrays import Floats

MOST_ROUNDS = 60
"""Chains are rarely longer; what is left after that many rounds is left to the linear programs."""

SLACK = 1e-9
"""Of the size of the numbers summed: sums of floats depend on their order."""


def propagate(
    matrix: sparse.csr_array, rows: tuple[Floats, Floats], columns: tuple[Floats, Floats], is_whole: bool
) -> tuple[Floats, Floats]:
    """Bounds of each column that hold wherever all rows hold; they cross where rows contradict each other."""
    entries = matrix.tocoo()
    row, column, factor = entries.row, entries.col, entries.data
    least, most = columns[0].copy(), columns[1].copy()
    if not len(factor):
        return least, most
    up = factor > 0
    for _ in range(MOST_ROUNDS):
        from_below = np.where(up, factor * least[column], factor * most[column])
        from_above = np.where(up, factor * most[column], factor * least[column])
        # What the others of the same figure add at least and at most.
        others_least = _others(row, from_below, matrix.shape[0])
        others_most = _others(row, from_above, matrix.shape[0])
        highest = (rows[1][row] - others_least) / factor
        lowest = (rows[0][row] - others_most) / factor
        highest, lowest = np.where(up, highest, lowest), np.where(up, lowest, highest)
        new_most, new_least = most.copy(), least.copy()
        np.minimum.at(new_most, column, highest)
        np.maximum.at(new_least, column, lowest)
        size = 1.0 + np.where(np.isfinite(new_least), np.abs(new_least), 0.0)
        if is_whole:
            new_most, new_least = np.floor(new_most + 1e-6), np.ceil(new_least - 1e-6)  # far from the next count
        else:
            # A bound that was never better than rounding is kept as it was.
            new_most = np.where(new_most < most - SLACK * size, new_most, most)
            new_least = np.where(new_least > least + SLACK * size, new_least, least)
        moved = np.nansum(np.abs(np.where(new_most == most, 0.0, 1.0)) + np.where(new_least == least, 0.0, 1.0))
        least, most = new_least, new_most
        if not moved or (least > most + SLACK * size).any():
            break
    return least, most


def _others(row: NDArray[np.integer], parts: Floats, n_rows: int) -> Floats:
    """For each entry the sum of the other entries of its row; infinite where one of the others is."""
    endless = ~np.isfinite(parts)
    sign = np.sign(parts[endless][0]) if endless.any() else 1.0
    known = np.where(endless, 0.0, parts)
    sums = np.bincount(row, known, minlength=n_rows)
    n_endless = np.bincount(row, endless, minlength=n_rows)
    others_endless = n_endless[row] - endless
    return np.where(others_endless > 0, sign * np.inf, sums[row] - known)
