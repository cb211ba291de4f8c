"""Bits: what printed figures hold against what rows have. Fewer in the rows, and only the data themselves may fit.

Counted as if sums over many rows were normal: h = ½ log₂(2πe · variance) for each independent direction, less the
width of what can be told apart (Shannon 1948). A rule of thumb to within a few bits, and no proof of anything.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Floats = NDArray[np.float64]

HALF_UNITS = math.sqrt(2 * math.pi * math.e) / 2
"""Of a normal distribution, in standard deviations. A printed interval is 2 half units wide."""

_FOLLOWS = 1e-7
"""If less than this is left of a figure beside the others, that is rounding: it follows from them, as p from t."""


class Bits(NamedTuple):
    """Of one output, or of one group of rows."""

    printed: float  # that the figures tell about the rows
    secret: float  # that the rows have

    @property
    def is_determined(self) -> bool:
        """Whether the figures hold more than the rows have: more than one set of rows would then be a coincidence."""
        return self.printed > self.secret


def figure_bits(shifts: NDArray[np.floating], variances: NDArray[np.floating] | float) -> float:
    """What sums in half units tell about rows: shifts (rows, figures) for one step of a row, variances of its steps.

    Figures that follow from each other are counted once, by the eigenvalues of what they vary by together; a figure
    that varies by less than its width tells nothing.
    """
    if not shifts.size:
        return 0.0
    spread = np.asarray(shifts, dtype=np.float64) * np.sqrt(np.broadcast_to(variances, len(shifts)))[:, None]
    eigenvalues = np.linalg.eigvalsh(spread.T @ spread)
    # A printed interval is 2 half units wide.
    bits = 0.5 * np.log2(np.maximum(2 * np.pi * math.e * eigenvalues / 4, 1.0))
    return float(bits.sum())


def independent_bits(moves: NDArray[np.floating]) -> float:
    """The same of figures whose last digits lie far apart: each counts what it tells beside those before it.

    moves (rows, figures): what each row does to each figure, in half units.
    """
    if not moves.size:
        return 0.0
    triangle, order = linalg.qr(moves - moves.mean(axis=0), mode="r", pivoting=True)[:2]
    left = np.abs(np.diagonal(triangle))
    size = np.sqrt((moves**2).sum(axis=0))[order[: len(left)]]
    told = np.where(left > _FOLLOWS * size, left, 0.0) * HALF_UNITS
    return float(np.log2(np.maximum(told, 1.0)).sum())


def set_bits(n: int, k: float) -> float:
    """Bits of n rows in any order, out of k different ones: log₂ of (n + k − 1 over n)."""
    if n < 1 or k <= 1:
        return 0.0
    if k > 1e9 * n:  # differences of logarithms of such numbers are rounding
        return (n * math.log(k) - math.lgamma(n + 1)) / math.log(2)
    return (math.lgamma(n + k) - math.lgamma(n + 1) - math.lgamma(k)) / math.log(2)


def whole_bits(predictors: NDArray[np.floating], variances: NDArray[np.floating] | float) -> float:
    """The most that any digits tell where predictors are whole multiples of some step: then their sums are, too.

    predictors (rows, columns); infinite where a column has no step down to a millionth.
    """
    steps = np.array([common_step(column) for column in np.asarray(predictors, dtype=np.float64).T])
    if (steps == 0).any():
        return np.inf
    return figure_bits(2 * predictors / steps, variances)  # sums that differ by 1 are told apart: half units of ½


def _secret_bits(n_values: NDArray[np.integer] | int, n_rows: int) -> float:
    """What rows have: log₂ of the number of values each may take."""
    return float(np.log2(np.maximum(np.broadcast_to(n_values, n_rows), 1)).sum())


def response_bits(
    shifts: NDArray[np.floating], spans: NDArray[np.integer], predictors: NDArray[np.floating] | None = None
) -> Bits:
    """Bits of responses that take spans + 1 equally spaced values, each as likely as another.

    shifts (people, figures): what one step of a response does to the figures, in half units (`Sums`).
    """
    variances = ((spans + 1.0) ** 2 - 1) / 12
    printed = figure_bits(shifts, variances)
    if predictors is not None:
        printed = min(printed, whole_bits(predictors, variances))
    return Bits(printed, _secret_bits(spans + 1, len(spans)))


def common_step(column: Floats) -> float:
    """The largest step, a decimal one or a whole multiple of it, of which every value is a multiple; 0 where none."""
    for decimals in range(7):
        whole = np.round(column * 10.0**decimals)
        if np.allclose(whole, column * 10.0**decimals, rtol=0, atol=1e-6):  # of a unit: decimals as they were read
            return float(np.gcd.reduce(whole.astype(np.int64)) or 1) / 10.0**decimals
    return 0.0
