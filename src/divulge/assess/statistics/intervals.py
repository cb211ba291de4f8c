"""Means over splits with their 95 % intervals. Which splits are like independent draws is said where these are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from divulge.kernels.arrays import Floats

_FEWEST_FOR_SKEWNESS = 10
"""Splits below which a skewness cannot be told from chance, and Student's interval is left as it is."""


@dataclass(frozen=True)
class Mean:
    """A mean over splits with its 95 % interval; `n` splits, `spread` their standard deviation."""

    value: float
    low: float
    high: float
    n: int
    spread: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def mean_over(values: Sequence[float] | Floats, centre: float | None = None, inflate: float = 1.0) -> Mean:
    """The mean of splits with Student's interval, corrected for skewness (Hall 1992).

    A contrast rests on squares of how unevenly groups were split, so single splits are skewed to the right, and an
    interval as long to both sides lies too low. With g the skewness, k = g/√n and T Student's ratio,
    T + k·T²/3 + k²·T³/27 + k/6 is free of it to the next order; its inverse is in closed form.

    centre: the mean, where it is known better than from the values. inflate: what the spread is multiplied with.
    """
    v = np.asarray(values, dtype=float)
    v = v[np.isfinite(v)]
    if not len(v):
        return Mean(float("nan"), float("nan"), float("nan"), 0, float("nan"))
    value = float(v.mean()) if centre is None else centre
    n = len(v)
    if n < 2:
        return Mean(value, float("nan"), float("nan"), n, float("nan"))
    spread = float(v.std(ddof=1)) * inflate
    quantile = float(stdtrit(n - 1, 0.975))
    above, below = quantile, -quantile
    deviations = v - v.mean()
    scale = float(np.sqrt(np.mean(deviations**2)))
    if n >= _FEWEST_FOR_SKEWNESS and scale > 0:
        k = float(np.mean((deviations / scale) ** 3)) / np.sqrt(n)
        above, below = _unskewed(quantile, k), _unskewed(-quantile, k)
    error = spread / np.sqrt(n)
    return Mean(value, value - above * error, value - below * error, n, spread)


def _unskewed(q: float, k: float) -> float:
    """The ratio T at which Hall's transformation is q."""
    # Below this the cube root and its argument round to the same number, and the correction is of no account.
    if abs(k) < 1e-6:
        return q
    return float(3 / k * (np.cbrt(1 + k * (q - k / 6)) - 1))
