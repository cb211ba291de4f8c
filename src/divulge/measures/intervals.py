"""Confidence intervals for shares, means and their differences. Nothing here knows a measure."""

from __future__ import annotations

import math

from scipy.special import betaincinv, ndtri

from divulge.errors import MeasureError
from divulge.measures.estimate import Interval


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """The score interval of a share (Wilson 1927); None where there are no trials."""
    if n <= 0:
        return None
    z = _z(level)
    p, z2 = successes / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    # At 0 and n successes the bound is 0 or 1 exactly; rounding would leave it a hair off.
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    high = 1.0 if successes >= n else min(1.0, centre + half)
    return Interval(low, high, "wilson", level)


def clopper_pearson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """The exact interval of a share (Clopper and Pearson 1934); None where there are no trials."""
    if n <= 0:
        return None
    tail = (1 - level) / 2
    low = 0.0 if successes <= 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes >= n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low, high, "clopper-pearson", level)


def normal(value: float, standard_error: float, level: float = 0.95) -> Interval | None:
    """value ± z·SE; None where either is undefined."""
    if not (math.isfinite(value) and math.isfinite(standard_error)):
        return None
    half = _z(level) * standard_error
    return Interval(value - half, value + half, "normal", level)


def difference(a: float, of_a: Interval | None, b: float, of_b: Interval | None) -> Interval | None:
    """The interval of a − b for two independent figures from their own intervals (Newcombe 1998, method 10).

    With Wilson intervals it is Newcombe's for two shares; with normal ones it is the unpaired normal interval.
    """
    if of_a is None or of_b is None or not (math.isfinite(a) and math.isfinite(b)):
        return None
    if of_a.level != of_b.level:
        raise MeasureError(f"intervals at {of_a.level} and {of_b.level} cannot be combined: one level is needed.")
    low = a - b - math.hypot(a - of_a.low, of_b.high - b)
    high = a - b + math.hypot(of_a.high - a, b - of_b.low)
    return Interval(low, high, "newcombe", of_a.level)


def ratio_standard_error(n: float, aa: float, ab: float, bb: float, numerator: float, denominator: float) -> float:
    """The standard error of Σa/Σb over n independent rows, linearised; aa = Σa², ab = Σab, bb = Σb².

    With b = 1 it is the usual standard error of a mean. NaN for fewer than two rows or a denominator of 0.
    """
    if n < 2 or denominator <= 0:
        return math.nan
    value = numerator / denominator
    squares = max(aa - 2 * value * ab + value * value * bb, 0.0)
    return math.sqrt(squares * n / (n - 1)) / denominator


def _z(level: float) -> float:
    if not 0 < level < 1:
        raise MeasureError(f"a confidence level between 0 and 1 is needed, {level} is given.")
    return float(ndtri((1 + level) / 2))
