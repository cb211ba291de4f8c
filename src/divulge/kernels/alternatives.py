"""For each row and each other value of one variable: would the figures still be as printed?"""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.lowering import contribution


@njit(cache=True, nogil=True)
def possible_values(ints, floats, n_blocks, codes, v, n_values, slopes, residuals, low, high, longest):  # type: ignore[no-untyped-def]
    """(rows, values): whether the residuals stay between low and high if the row had that value of variable v.

    codes: (rows, variables). slopes: (start, residual, slope), for each total the residuals that it moves. A row's own
    value is always possible; a missing one is not looked at.
    """
    start, which, slope = slopes
    n_rows, n_residuals = codes.shape[0], residuals.shape[0]
    possible = np.ones((n_rows, n_values), dtype=np.bool_)
    shift = np.zeros(n_residuals)
    touched = np.empty(n_residuals, dtype=np.int64)
    is_touched = np.zeros(n_residuals, dtype=np.bool_)
    indices, values = np.empty(longest, dtype=np.int64), np.empty(longest)
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
                    for k in range(contribution(ints, floats, b, row, 0, indices, values)):
                        total = indices[k]
                        for j in range(start[total], start[total + 1]):
                            r = which[j]
                            if not is_touched[r]:
                                is_touched[r] = True
                                touched[n_touched] = r
                                n_touched += 1
                            shift[r] += sign * values[k] * slope[j]
            for k in range(n_touched):
                r = touched[k]
                moved = residuals[r] + shift[r]
                if moved < low[r] or moved > high[r]:
                    possible[i, new] = False
                shift[r] = 0.0
                is_touched[r] = False
    return possible
