"""What the figures near a target say of it: bounds that hold whatever the others say, from a small program.

To leave figures out can only widen an interval. So where the interval from the figures near a target is no wider than
what feasible points have shown, it is the interval itself, and the large program is not asked.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from divulge.audit.program import Program
from divulge.kernels.arrays import Floats, Integers32

STEPS = (1, 2)
"""From a target to the figures that hold its cells, and to those that hold the cells of these."""


class Neighbourhoods:
    """Small programs around targets of one component."""

    def __init__(
        self, matrix: sparse.csr_array, rows: tuple[Floats, Floats], columns: tuple[Floats, Floats], most_cells: int
    ) -> None:
        """most_cells: neighbourhoods of more are not looked at."""
        self._matrix, self._by_cell = matrix, sparse.csc_array(matrix)
        self._rows, self._columns, self._most_cells = rows, columns, most_cells

    def bounds(self, cells: Integers32, factors: Floats, steps: int, seconds: float) -> tuple[float, float]:
        """Between which limits a sum of cells lies, by the figures within so many steps."""
        figures, inside = self._near(cells, steps)
        if len(inside) > self._most_cells:
            return -np.inf, np.inf
        program = Program(
            self._matrix[figures][:, inside],
            (self._rows[0][figures], self._rows[1][figures]),
            (self._columns[0][inside], self._columns[1][inside]),
        )
        at = np.searchsorted(inside, cells)
        least = program.minimise(at, factors, seconds)
        most = program.minimise(at, -factors, seconds)
        low = least.value if least.outcome == "optimal" else -np.inf
        return low, -most.value if most.outcome == "optimal" else np.inf

    def _near(self, cells: Integers32, steps: int) -> tuple[Integers32, Integers32]:
        inside = np.unique(cells)
        figures = np.zeros(0, dtype=np.int32)
        for _ in range(steps):
            figures = np.unique(self._by_cell[:, inside].indices)
            inside = np.union1d(inside, self._matrix[figures].indices)
        return figures, inside
