"""Quantile regression: the plane with the least sum of τ-weighted distances (Koenker & Bassett 1978), and how surely.

The plane passes through as many rows as it has coefficients. It is found as a linear programme in the weights that rows
have in the dual problem (Koenker 2005, 6.2), rows that are alike counting as one with the weight of all: the answer
does not depend on the order of rows. Where several planes are equally good, any of these may be printed by a program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command
from scipy.special import ndtri

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Mask

Density = Literal["kernel", "kernel-iid", "nid", "iid", "ker", "fitted"]
"""How the density of the response at the plane is estimated, of which standard errors are made. kernel, kernel-iid: as
statsmodels' QuantReg by default and with vcov="iid" (Powell 1991). nid (Hendricks & Koenker 1992), iid (Koenker &
Bassett 1978), ker (Powell 1991): as summary.rq of R's quantreg names them. fitted: Stata's qreg, from the planes of
nearby quantiles at the mean of the covariates."""

DENSITIES: tuple[Density, ...] = ("kernel", "kernel-iid", "nid", "iid", "ker", "fitted")

_ON_THE_PLANE = 1e-7
"""A residual below it, in units of the largest response, is a row on the plane."""


def quantile_plane(x: Floats, y: Floats, weight: Floats, tau: float) -> Floats | None:
    """The coefficients; None where the programme has no answer. Columns of x are independent."""
    columns = np.abs(x).max(axis=0, initial=0.0)
    unit = float(np.abs(y).max(initial=0.0)) or 1.0
    w = weight * (len(y) / weight.sum())
    scaled = x / columns
    found = scipy.optimize.linprog(
        -y / unit,
        A_eq=scaled.T,
        b_eq=(1.0 - tau) * (scaled.T @ w),
        bounds=np.column_stack([np.zeros(len(y)), w]),
        method="highs-ds",
    )
    if found.status != 0:
        return None
    return _through_rows(x, y, -np.asarray(found.eqlin.marginals, dtype=float) * unit / columns)


def _through_rows(x: Floats, y: Floats, beta: Floats) -> Floats:
    """The plane through the rows that lie on it, without the rounding of the programme."""
    near = np.flatnonzero(_is_on(y - x @ beta, y))
    if len(near) < len(beta):
        return beta
    exact, _, rank, _ = np.linalg.lstsq(x[near], y[near], rcond=1e-12)
    return np.asarray(exact, dtype=float) if rank == len(beta) else beta


def _is_on(residual: Floats, y: Floats) -> Mask:
    """Which rows lie on the plane."""
    return np.abs(residual) <= _ON_THE_PLANE * max(float(np.abs(y).max(initial=0.0)), 1e-300)


def _bandwidth(tau: float, n: int) -> float:
    """Of quantiles about τ (Hall & Sheather 1988), narrow enough to stay between 0 and 1."""
    z = float(ndtri(tau))
    h = n ** (-1 / 3) * float(ndtri(0.975)) ** (2 / 3) * (1.5 * _normal(z) ** 2 / (2.0 * z * z + 1.0)) ** (1 / 3)
    while tau - h <= 0.0 or tau + h >= 1.0:
        h /= 2.0
    return float(h)


def plane_covariance(x: Floats, y: Floats, beta: Floats, tau: float, density: Density) -> Floats:
    """The covariance of the coefficients of unweighted rows; NaN where the density cannot be estimated."""
    with np.errstate(all="ignore"):
        found = _ESTIMATORS[density](x, y, y - x @ beta, tau)
    return found if found is not None else np.full((x.shape[1], x.shape[1]), np.nan)


def _normal(z: Floats | float) -> Floats:
    return np.asarray(np.exp(-0.5 * np.square(z)) / np.sqrt(2.0 * np.pi))


def _inverse(square: Floats) -> Floats | None:
    return glm.solve_scaled(square, np.eye(len(square)))


def _reach(residual: Floats, tau: float, n: int, spread: float) -> float:
    """A bandwidth of residuals: the lesser of two spreads times that of normal quantiles."""
    h = _bandwidth(tau, n)
    quarter = float(np.subtract(*np.percentile(residual, [75, 25])))
    return min(spread, quarter / 1.34) * float(ndtri(tau + h) - ndtri(tau - h))


def _epanechnikov(y: Floats, residual: Floats, tau: float) -> float:
    """The density at the plane, one for all rows; NaN where no row is near it."""
    n = len(y)
    h = _reach(residual, tau, n, float(np.std(y)))
    if h <= 0.0:
        return np.nan
    u = residual / h
    near = float(np.where(np.abs(u) <= 1.0, 0.75 * (1.0 - u * u), 0.0).sum())
    return near / (n * h) if near > 0.0 else np.nan


def _kernel(x: Floats, y: Floats, residual: Floats, tau: float) -> Floats | None:
    inverse, f = _inverse(x.T @ x), _epanechnikov(y, residual, tau)
    if inverse is None:
        return None
    above = (residual > 0.0) & ~_is_on(residual, y)
    d = np.where(above, (tau / f) ** 2, ((1.0 - tau) / f) ** 2)
    return inverse @ ((x.T * d) @ x) @ inverse


def _kernel_iid(x: Floats, y: Floats, residual: Floats, tau: float) -> Floats | None:
    inverse, f = _inverse(x.T @ x), _epanechnikov(y, residual, tau)
    return None if inverse is None else tau * (1.0 - tau) / f**2 * inverse


def _sandwich(x: Floats, f: Floats, tau: float) -> Floats | None:
    inverse = _inverse((x.T * f) @ x)
    return None if inverse is None else tau * (1.0 - tau) * inverse @ (x.T @ x) @ inverse


def _nearby(x: Floats, y: Floats, tau: float, h: float) -> Floats | None:
    """The difference of the planes of τ + h and τ − h."""
    ends = [quantile_plane(x, y, np.ones(len(y)), tau + sign * h) for sign in (1.0, -1.0)]
    return None if ends[0] is None or ends[1] is None else ends[0] - ends[1]


def _nid(x: Floats, y: Floats, residual: Floats, tau: float) -> Floats | None:
    h = _bandwidth(tau, len(y))
    apart = _nearby(x, y, tau, h)
    if apart is None:
        return None
    f = np.maximum(0.0, 2.0 * h / (x @ apart - np.finfo(float).eps ** 0.5))
    return _sandwich(x, f, tau)


def _ker(x: Floats, y: Floats, residual: Floats, tau: float) -> Floats | None:
    h = _reach(residual, tau, len(y), float(np.std(residual, ddof=1)))
    return _sandwich(x, _normal(residual / h) / h, tau)


def _iid(x: Floats, y: Floats, residual: Floats, tau: float) -> Floats | None:
    n, p = x.shape
    inverse = _inverse(x.T @ x)
    if inverse is None:
        return None
    on = int(_is_on(residual, y).sum())
    wide = max(p + 1, int(np.ceil(n * _bandwidth(tau, n))))
    place = np.arange(on + 1, wide + on + 2)
    if place[-1] > n or n <= p:
        return None
    nearest = np.sort(residual[np.argsort(np.abs(residual), kind="stable")][place - 1])
    line = quantile_plane(np.column_stack([np.ones(len(place)), place / (n - p)]), nearest, np.ones(len(place)), 0.5)
    return None if line is None else tau * (1.0 - tau) * line[1] ** 2 * inverse


def _fitted(x: Floats, y: Floats, residual: Floats, tau: float) -> Floats | None:
    h = _bandwidth(tau, len(y))
    inverse, apart = _inverse(x.T @ x), _nearby(x, y, tau, h)
    if inverse is None or apart is None:
        return None
    return tau * (1.0 - tau) * (float(x.mean(axis=0) @ apart) / (2.0 * h)) ** 2 * inverse


_ESTIMATORS: dict[Density, Callable[[Floats, Floats, Floats, float], Floats | None]] = {
    "kernel": _kernel,
    "kernel-iid": _kernel_iid,
    "nid": _nid,
    "iid": _iid,
    "ker": _ker,
    "fitted": _fitted,
}
