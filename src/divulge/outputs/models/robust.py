"""Robust and clustered standard errors of the regressions that have a compiled fit (linear, logistic, Poisson, …)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.kernels import glm, lowering
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.models.standard_errors import Errors, Scores, glm_scores
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Table


def robust_errors(
    output: Output,
    model: Model,
    table: Table,
    fit: glm.Fit,
    errors: Errors,
    cluster: str | None,
    stratum: str | None = None,
) -> Floats:
    """Standard errors by one estimator, in the order of the coefficients."""
    rows = model_rows(output, model, table, [name for name in (cluster, stratum) if name is not None])
    scores = fitted_scores(rows, model, fit.beta)
    clusters = None if cluster is None else table[cluster][rows.kept].astype(np.int64)
    strata = None if stratum is None else table[stratum][rows.kept].astype(np.int64)
    return np.where(np.isfinite(fit.se.ravel()), scores.standard_errors(errors, clusters, strata), np.nan)


def _recomputed_errors(
    output: Output, model: Model, table: Table, beta: Floats, clusters: Sequence[str] = ()
) -> dict[tuple[Errors, str], Floats]:
    """Every estimator's standard errors at given coefficients: to find which of them made the printed ones.

    clusters: variables that may have made clusters. Rows where one of them is missing are left out of all.
    """
    rows = model_rows(output, model, table, clusters)
    codes = {name: table[name][rows.kept].astype(np.int64) for name in clusters}
    return fitted_scores(rows, model, beta).every_standard_error(codes)


def agreeing_errors(
    output: Output, model: Model, table: Table, beta: Floats, released: Released, is_ratio: bool
) -> Errors | None:
    """The estimator that gives the standard errors that were printed; None where none does.

    beta: the coefficients of the data. is_ratio: whether e^coefficient was printed, with an error of its own.
    """
    if not np.isfinite(beta).any():
        return None
    more = np.full(len(released.values) - len(beta), np.nan)
    for (errors, _), se in _recomputed_errors(output, model, table, beta.reshape(model.n_classes, -1)).items():
        if released.agrees_se(np.concatenate([se * np.exp(beta) if is_ratio else se, more])).all():
            return errors
    return None


def fitted_scores(rows: ModelRows, model: Model, beta: Floats) -> Scores:
    """Scores at coefficients (classes, columns); those that are not known count as 0 and have no error."""
    beta = np.atleast_2d(beta)
    known: Integers = np.flatnonzero(np.isfinite(beta.ravel())).astype(np.int64)
    eta = rows.x @ np.where(np.isfinite(beta), beta, 0.0).T
    if model.kernel == lowering.MULTINOMIAL:
        return _multinomial(rows, eta, known)
    if model.kernel == lowering.IDENTITY:
        mu, slope = eta[:, 0], np.ones(rows.size)
    elif model.kernel == lowering.LOGISTIC:
        mu = 1.0 / (1.0 + np.exp(-eta[:, 0]))
        slope = mu * (1.0 - mu)
    else:
        mu = np.exp(eta[:, 0])
        slope = mu
    return glm_scores(rows.x, rows.y - mu, slope, rows.weight, known.tolist())


def _multinomial(rows: ModelRows, eta: Floats, known: Integers) -> Scores:
    """Class by class; there is no leverage of a row in several predictors."""
    raised = np.exp(eta - np.maximum(eta.max(axis=1), 0.0)[:, None])
    mu = raised / (raised.sum(axis=1) + np.exp(-np.maximum(eta.max(axis=1), 0.0)))[:, None]
    n_classes = eta.shape[1]
    gap = (rows.y[:, None] == np.arange(1, n_classes + 1)) - mu
    parts = (rows.weight[:, None, None] * gap[:, :, None] * rows.x[:, None, :]).reshape(rows.size, -1)
    blocks = [
        [rows.x.T @ (rows.x * (rows.weight * mu[:, k] * ((k == j) - mu[:, j]))[:, None]) for j in range(n_classes)]
        for k in range(n_classes)
    ]
    information = np.block(blocks)
    inverse = glm.solve_scaled(information[np.ix_(known, known)], np.eye(len(known)))
    bread = np.full(information.shape, np.nan)
    if inverse is not None:
        bread = np.zeros_like(information)
        bread[np.ix_(known, known)] = inverse
    return Scores(parts, bread, None, len(known))
