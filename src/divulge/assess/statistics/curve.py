"""Two lines: how the marginal risk falls with the number of rows, and how risk goes with the error of the embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.assess.statistics.intervals import Mean


@dataclass(frozen=True)
class CurvePoint:
    """The marginal risk at one size: so many rows were in."""

    part: str
    n_rows: int
    risk: Mean


@dataclass(frozen=True)
class Curve:
    """The marginal risk by size, and extrapolated to all rows: risk = a + b/rows, weighted least squares.

    The first part is what does not fall with size (people alone in their cell), the second what does (a model with p
    parameters learns of the order p/n about those it was fitted to). low, high: 95 %, wider where the line fits badly.
    """

    points: tuple[CurvePoint, ...]
    at_full_size: float | None = None
    low: float | None = None
    high: float | None = None


def fit_curve(points: Sequence[CurvePoint], n_rows: int) -> Curve:
    """The extrapolation; without one where fewer than three sizes were measured."""
    usable = [p for p in points if np.isfinite(p.risk.value) and np.isfinite(p.risk.spread)]
    if len(usable) < 3:
        return Curve(tuple(points))
    x = np.array([n_rows / p.n_rows for p in usable])
    y = np.array([p.risk.value for p in usable])
    # A size whose splits all agree would have all the weight; 1e-6 is far below any risk that matters.
    se = np.array([max(p.risk.spread / np.sqrt(p.risk.n), 1e-6) for p in usable])
    design = np.column_stack([np.ones_like(x), x]) / se[:, None]
    covariance = np.linalg.inv(design.T @ design)
    beta = covariance @ design.T @ (y / se)
    misfit = float(np.sum((y / se - design @ beta) ** 2)) / (len(usable) - 2)
    at_one = np.array([1.0, 1.0])
    value = float(at_one @ beta)
    error = float(np.sqrt(at_one @ covariance @ at_one * max(1.0, misfit)))
    return Curve(tuple(points), value, value - 1.96 * error, value + 1.96 * error)


@dataclass(frozen=True)
class Trajectory:
    """Risk against embedding error along one search, with the least-squares line (Elliot et al., Figure 3).

    steps: how many changes had been proposed at each point.
    at_zero: the line where the error is 0, an extrapolation.
    """

    measure: str
    scenario: str
    steps: tuple[int, ...]
    errors: tuple[float, ...]
    risks: tuple[float, ...]
    at_zero: float | None
    slope: float | None
    correlation: float | None


def fit_trajectory(
    measure: str, scenario: str, steps: Sequence[int], errors: Sequence[float], risks: Sequence[float]
) -> Trajectory:
    """The line; without one where the search was over before three points were taken."""
    x, y = np.asarray(errors, float), np.asarray(risks, float)
    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    shown = tuple(int(s) for s, g in zip(steps, good, strict=True) if g), tuple(map(float, x)), tuple(map(float, y))
    if len(x) < 3 or np.ptp(x) == 0:
        return Trajectory(measure, scenario, *shown, None, None, None)
    slope, at_zero = np.polyfit(x, y, 1)
    correlation = float(np.corrcoef(x, y)[0, 1]) if np.ptp(y) > 0 else None
    return Trajectory(measure, scenario, *shown, float(at_zero), float(slope), correlation)
