"""The slow, obvious twin of kernels/parting.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def parted(
    by_cell: NDArray[np.float64], cell_of_row: NDArray[np.int32], inside: NDArray[np.bool_]
) -> list[list[float]]:
    """The number of each person in, then of each who is out."""
    people = list(zip(by_cell[cell_of_row].tolist(), inside.tolist(), strict=True))
    return [[number for number, is_in in people if is_in is wanted] for wanted in (True, False)]
