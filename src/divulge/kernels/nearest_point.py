"""The point of a box that is nearest to a given one where distances are not the same in every direction."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_in_box(matrix, point, low, high, sweeps):  # type: ignore[no-untyped-def]
    """argmin over low ≤ t ≤ high of (point − t)' matrix (point − t), by coordinate descent.

    Any t in the box will do for the search, so a fixed number of sweeps is enough; it only gets nearer with more.
    """
    n = point.shape[0]
    t = np.empty(n)
    for k in range(n):
        t[k] = min(max(point[k], low[k]), high[k])
    for _ in range(sweeps):
        moved = 0.0
        for k in range(n):
            if matrix[k, k] <= 0.0:
                continue  # semidefinite: this coordinate does not matter
            slope = 0.0
            for j in range(n):
                slope += matrix[k, j] * (point[j] - t[j])
            new = min(max(t[k] + slope / matrix[k, k], low[k]), high[k])
            moved = max(moved, abs(new - t[k]) / max(high[k] - low[k], 1e-300))
            t[k] = new
        if moved < 1e-4:  # of an interval
            break
    return t
