"""For each row and each other value of one variable: would the figures still be as printed?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.lowering import contribution


class SparseSlopes(NamedTuple):
    """How totals move residuals: total t those in `residual[start[t]:start[t + 1]]`, by as many slopes."""

    start: Integers
    residual: Integers
    slope: Floats


class Printed(NamedTuple):
    """Residuals, and the interval in which each counts as printed."""

    residuals: Floats
    low: Floats
    high: Floats


@njit(cache=True, nogil=True)
def possible_values(blocks, n_blocks, codes, v, n_values, slopes, printed):  # type: ignore[no-untyped-def]
    """(rows, values): whether every figure stays as printed if the row had that value of variable v.

    codes: (rows, variables). A row's own value is always possible; a missing one is not looked at.
    """
    start, which, slope = slopes.start, slopes.residual, slopes.slope
    n_rows, n_residuals = codes.shape[0], printed.residuals.shape[0]
    possible = np.ones((n_rows, n_values), dtype=np.bool_)
    shift = np.zeros(n_residuals)
    touched = np.empty(n_residuals, dtype=np.int64)
    is_touched = np.zeros(n_residuals, dtype=np.bool_)
    row = codes[:1].copy()
    for i in range(n_rows):
        own = codes[i, v]
        if own >= n_values:
            continue
        row[0, :] = codes[i, :]
        for new in range(n_values):
            if new == own:
                continue
            n_touched = 0
            for sign in (-1.0, 1.0):
                row[0, v] = own if sign < 0 else new
                for b in range(n_blocks):
                    for k in range(contribution(blocks, b, row, 0)):
                        total = blocks.indices[k]
                        for j in range(start[total], start[total + 1]):
                            r = which[j]
                            if not is_touched[r]:
                                is_touched[r] = True
                                touched[n_touched] = r
                                n_touched += 1
                            shift[r] += sign * blocks.values[k] * slope[j]
            for k in range(n_touched):
                r = touched[k]
                moved = printed.residuals[r] + shift[r]
                if moved < printed.low[r] or moved > printed.high[r]:
                    possible[i, new] = False
                shift[r] = 0.0
                is_touched[r] = False
    return possible
