"""Intervals by the likelihood profile, as R's confint() gives them of logistic, Poisson and negative binomial
regressions.

R interpolates between some points of the profile, so that its ends are off by up to a thousandth of a standard error.
An end of the interval is where the deviance, with one coefficient held there and the others fitted anew, is a quantile
of χ² above its least (Venzon and Moolgavkar 1988).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.regression import Regression
from divulge.readers.handed_in.matching.fits import Fit

PROFILED = frozenset({"logistic", "poisson", "negative-binomial"})
_Law = tuple[str, float]
"""A kind, and how much more than its mean the variance of a count is: held, as R does, while others are fitted."""

_RISE = 3.841458820694124
"""The 95 % quantile of χ² with one degree of freedom."""

_STEPS = 30
_NEWTON = 40


def profile_end(fit: Fit, label: str, is_upper: bool) -> float:
    """The end of the 95 % interval of a coefficient; NaN where there is none."""
    labels = list(fit.coefficients)
    if fit.output.kind not in PROFILED or label not in labels or not isinstance(fit.output, Regression):
        return np.nan
    return _ends(fit, labels.index(label), is_upper)


@lru_cache(maxsize=64)
def _rows(fit: Fit) -> ModelRows | None:
    output = fit.output
    assert isinstance(output, Regression), "asked for regressions"
    rows = model_rows(output, output.model(fit.table.schema), fit.table, is_collapsed=True)
    return rows if rows.x.shape[1] == len(fit.coefficients) - ("alpha" in fit.coefficients) else None


@lru_cache(maxsize=512)
def _ends(fit: Fit, place: int, is_upper: bool) -> float:
    rows = _rows(fit)
    if rows is None:
        return np.nan
    with np.errstate(all="ignore"):
        return _searched(fit, rows, place, is_upper)


def _searched(fit: Fit, rows: ModelRows, place: int, is_upper: bool) -> float:
    beta = np.array([v for k, v in fit.coefficients.items() if k != "alpha"])
    error = list(fit.errors.values())[place]
    law = (fit.output.kind, fit.coefficients.get("alpha", 0.0))
    least = _deviance(rows, law, rows.x @ beta)
    if not (np.isfinite(error) and error > 0 and np.isfinite(least)):
        return np.nan
    sign = 1.0 if is_upper else -1.0
    others = np.delete(beta, place)
    near, far = 0.0, 2.0
    at = 1.96
    # The root of the deviance: nearly straight in the coefficient, so few steps are needed.
    for _ in range(_STEPS):
        value = beta[place] + sign * at * error
        rise, others = _profile(rows, law, place, value, others)
        gap = np.sqrt(max(rise - least, 0.0)) - np.sqrt(_RISE)
        if not np.isfinite(gap):
            return np.nan
        if abs(gap) < 1e-9:
            break
        near, far = (at, far) if gap < 0 else (near, at)
        step = at * np.sqrt(_RISE) / max(gap + np.sqrt(_RISE), 1e-9)
        if gap < 0 and step > far:
            far = step + 1.0
        at = step if near < step < far else (near + far) / 2
    return float(beta[place] + sign * at * error)


def _profile(rows: ModelRows, law: _Law, place: int, value: float, others: Floats) -> tuple[float, Floats]:
    """The least deviance with one coefficient held, and the other coefficients there (Newton's method)."""
    x = np.delete(rows.x, place, axis=1)
    fixed = rows.x[:, place] * value
    least = _deviance(rows, law, x @ others + fixed)
    for _ in range(_NEWTON):
        gap, slope = _scored(rows, law, x @ others + fixed)
        score = x.T @ (rows.weight * gap)
        information = (x * (rows.weight * slope)[:, None]).T @ x
        try:
            step = np.linalg.solve(information, score)
        except np.linalg.LinAlgError:
            return np.nan, others
        found = _deviance(rows, law, x @ (others + step) + fixed)
        while not found <= least + 1e-9 and np.max(np.abs(step), initial=0.0) > 1e-10:
            step = step / 2  # too far: the deviance has to fall
            found = _deviance(rows, law, x @ (others + step) + fixed)
        others, least = others + step, min(least, found)
        if np.max(np.abs(step), initial=0.0) < 1e-10:
            break
    return least, others


def _scored(rows: ModelRows, law: _Law, eta: Floats) -> tuple[Floats, Floats]:
    """How the log-likelihood of a row grows with its predictor, and how that falls."""
    kind, alpha = law
    if kind == "logistic":
        mu = 1.0 / (1.0 + np.exp(-np.clip(eta, -700, 700)))
        return rows.y - mu, mu * (1 - mu)
    mu = np.exp(np.clip(eta, -700, 700))
    return (rows.y - mu) / (1 + alpha * mu), mu / (1 + alpha * mu)


def _deviance(rows: ModelRows, law: _Law, eta: Floats) -> float:
    """Minus twice the log-likelihood, up to what the coefficients do not change."""
    kind, alpha = law
    if kind == "logistic":
        return float(-2 * np.sum(rows.weight * (rows.y * eta - np.logaddexp(0.0, eta))))
    mu = np.exp(np.clip(eta, -700, 700))
    taken = (rows.y + 1 / alpha) * np.log1p(alpha * mu) if alpha else mu
    return float(-2 * np.sum(rows.weight * (rows.y * eta - taken)))
