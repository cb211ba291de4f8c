"""The slow, obvious twin of kernels/windows.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def window_counts(
    rows: NDArray[np.int64], cells: NDArray[np.int64], width: int, low: NDArray[np.int64], high: NDArray[np.int64]
) -> list[tuple[int, int, bool]]:
    """For every cell: rows with its keys and a target in its window, rows with its keys, whether these agree."""
    found = []
    for cell in cells.tolist():
        key, target = divmod(cell, width)
        mine = [code % width for code in rows.tolist() if code // width == key]
        near = sum(low[target] <= t <= high[target] for t in mine)
        found.append((near, len(mine), len(mine) > 0 and len(set(mine)) == 1))
    return found
