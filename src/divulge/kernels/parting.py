"""Numbers of cells handed out to the people in them, those who are in apart from those who are not."""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers32, Mask


def parted(by_cell: Floats, cell_of_row: Integers32, inside: Mask) -> tuple[Floats, Floats]:
    """The number of each person in, and of each who is out, in the order of the rows."""
    n_in = int(np.count_nonzero(inside))
    # Whether somebody is in is a coin, which no processor foresees: everybody is written to both, with room for it.
    of_those_in, of_the_others = np.empty(n_in + 1), np.empty(len(inside) - n_in + 1)
    _part(by_cell, cell_of_row, inside, of_those_in, of_the_others)
    return of_those_in[:-1], of_the_others[:-1]


@njit(cache=True, nogil=True)
def _part(by_cell, cell_of_row, inside, of_those_in, of_the_others):  # type: ignore[no-untyped-def]
    a = b = 0
    for i in range(inside.size):
        number = by_cell[cell_of_row[i]]
        of_those_in[a] = number
        of_the_others[b] = number
        a += inside[i]
        b += 1 - inside[i]


@njit(cache=True, nogil=True)
def add_to_those_in(sums: Floats, counts: Integers32, by_cell: Floats, cell_of_row: Integers32, inside: Mask) -> None:
    """Add the number of each person in to their sum, and one to how often they were in."""
    for i in range(inside.size):
        sums[i] += by_cell[cell_of_row[i]] if inside[i] else 0.0
        counts[i] += inside[i]
