"""The slow, obvious twin of kernels/largest.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def largest_by_group(
    group: NDArray[np.int64], value: NDArray[np.float64], n_groups: int, n_largest: int
) -> list[list[float]]:
    """The largest values of each group, filled up with zeros."""
    found = []
    for g in range(n_groups):
        mine = sorted((v for h, v in zip(group.tolist(), value.tolist(), strict=True) if h == g), reverse=True)
        found.append([*mine, *[0.0] * n_largest][:n_largest])
    return found
