"""The question that a lattice answers: which whole numbers have these sums?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.longdouble]
"""Long doubles where the machine has them: ten printed digits and a hundred terms leave doubles few digits over."""

Ints = NDArray[np.int64]


class WantedSums(NamedTuple):
    """Whole numbers x with 0 ≤ x_j ≤ spans_j are wanted for which |Σ_j x_j · shifts_j − aim| ≤ 1 in every coordinate.

    Coordinates are figures in half units: 1 is half the width of what was printed. spans are at least 1.
    """

    shifts: Longs  # (numbers, figures)
    aim: Longs  # (figures,)
    spans: Ints  # (numbers,)

    def left(self, numbers: NDArray[np.integer]) -> Longs:
        """(…, figures): what whole numbers (…, numbers) leave, in half units; all within ±1 for a solution."""
        return numbers.astype(np.longdouble) @ self.shifts - self.aim

    def widened(self, most: float) -> WantedSums:
        """The same with wider figures where one number moves a figure by more than `most` half units.

        A solution of the narrower question is one of the wider too, and 2**most is more than doubles can tell apart.
        """
        reach = np.abs(self.shifts * self.spans[:, None]).max(axis=0, initial=0.0)
        width = np.maximum(reach / most, 1.0)
        return WantedSums(self.shifts / width, self.aim / width, self.spans)

    def fixed(self, at: int, value: int) -> WantedSums:
        """The same question with number `at` known: one number fewer."""
        rest = np.arange(len(self.spans)) != at
        return WantedSums(self.shifts[rest], self.aim - value * self.shifts[at], self.spans[rest])


def sums_of(
    shifts: NDArray[np.floating], aim: NDArray[np.floating], spans: NDArray[np.integer] | int = 1
) -> WantedSums:
    """The question with arrays of any width."""
    wide = np.atleast_2d(np.asarray(shifts, dtype=np.longdouble))
    limits = np.broadcast_to(np.asarray(spans, dtype=np.int64), len(wide))
    return WantedSums(wide, np.asarray(aim, dtype=np.longdouble), limits.copy())
