"""Logistic regression of a yes or no on a few columns, with standard errors: for attribution and for propensities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from divulge.kernels.arrays import Floats, Mask

_RIDGE = 1e-6
"""A penalty too small to be seen in a coefficient (it is added to an information of order n), large enough to keep
collinear columns and columns that separate yes from no finite."""


class _Logistic(NamedTuple):
    """coefficients: the intercept first. fitted: the probability of every row. rank: of the columns and intercept."""

    coefficients: Floats
    standard_errors: Floats
    fitted: Floats
    rank: int
    converged: bool


def fit_logistic(columns: Floats, y: Mask, ridge: float = _RIDGE) -> _Logistic:
    """Maximum likelihood by Newton's method (iteratively reweighted least squares), the intercept not penalised.

    columns: (rows, columns) without an intercept; best on a scale of about 1.
    """
    design = np.column_stack([np.ones(len(y)), columns])
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 0.0
    response = y.astype(np.float64)
    # The intercept of the empty model, half a row from certainty: a start from which Newton's steps do not overshoot.
    share = (response.sum() + 0.5) / (len(response) + 1.0)
    beta = np.zeros(design.shape[1])
    beta[0] = np.log(share / (1 - share))
    before, converged = _objective(design, response, beta, penalty), False
    for _ in range(60):  # Newton's method needs about ten; separated columns take one more for every unit they grow
        mu = expit(design @ beta)
        information = (design * np.maximum(mu * (1 - mu), 1e-10)[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.lstsq(information, design.T @ (response - mu) - penalty * beta, rcond=None)[0]
        scale = 1.0
        while (after := _objective(design, response, beta + scale * step, penalty)) > before + 1e-12 and scale > 1e-4:
            scale /= 2
        beta = beta + scale * step
        if before - after <= 1e-10 * (abs(before) + 1e-3):
            converged = True
            break
        before = after
    mu = expit(design @ beta)
    information = (design * (mu * (1 - mu))[:, None]).T @ design + np.diag(penalty)
    errors = np.sqrt(np.clip(np.diag(np.linalg.pinv(information, hermitian=True)), 0.0, None))
    return _Logistic(beta, errors, mu, _rank(design), converged)


def _rank(design: Floats) -> int:
    """The rank of the columns from their products, each on a scale of 1: cheaper than from the columns themselves."""
    lengths = np.sqrt((design**2).sum(axis=0))
    scaled = design[:, lengths > 0] / lengths[lengths > 0]
    if not scaled.size:
        return 0
    values = np.linalg.eigvalsh(scaled.T @ scaled)
    # Products square the rounding of the columns; what is dependent has an eigenvalue of about 1e-16.
    return int((values > 1e-10 * values[-1]).sum())


def _objective(design: Floats, response: Floats, beta: Floats, penalty: Floats) -> float:
    """Minus the log-likelihood, plus half the penalty."""
    eta = design @ beta
    return float((np.logaddexp(0.0, eta) - response * eta).sum() + 0.5 * penalty @ beta**2)
