"""Standard errors by other estimators than the model's own: robust to unequal variances, and clustered.

All are A⁻¹ B A⁻¹ with A the information and B a sum of squared scores (Huber 1967; White 1980). Programs differ in the
factor in front, so each has its own name here; `every_standard_error` recomputes all, to see which one was printed.
`robust_errors` has those of the regressions with a compiled fit (linear, logistic, Poisson, …).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge.kernels import glm, lowering
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Table

Errors = Literal[
    "model",
    "HC0",
    "HC1",
    "HC2",
    "HC3",
    "robust-ml",
    "quasi",
    "cluster",
    "cluster-ml",
    "cluster-plain",
    "cluster-nested",
    "survey",
]
"""HC0 to HC3: MacKinnon & White 1985. robust-ml: HC0 · n/(n − 1), Stata's vce(robust) after maximum likelihood.
quasi: the model's own times the root of Pearson's dispersion (Wedderburn 1974), as quasi-families have them.
cluster: Liang & Zeger 1986 with G/(G − 1) · (n − 1)/(n − k); cluster-ml: with G/(G − 1) alone; cluster-plain: without a
factor, as R's coxph has them. cluster-nested: as cluster, without counting absorbed effects, which lie within clusters
(xtreg of Stata; Cameron & Miller 2015). survey: Taylor series of a design with strata and clusters (Binder 1983)."""

ROBUST: tuple[Errors, ...] = ("HC0", "HC1", "HC2", "HC3", "robust-ml", "quasi")
CLUSTERED: tuple[Errors, ...] = ("cluster", "cluster-ml", "cluster-plain")
"""Of any model."""
OF_CLUSTERS: tuple[Errors, ...] = (*CLUSTERED, "cluster-nested")


@dataclass(frozen=True, eq=False)
class Scores:
    """What a sandwich is made of, at the estimates.

    rows: each row's part of the score, (rows, coefficients). bread: the inverse of the information, not scaled by a
    variance. leverage: each row's own weight in its fitted value; None where the estimator has none (a Cox model).
    n_fitted: coefficients that were estimated. dispersion: Pearson's; None where the model has no such thing.
    """

    rows: Floats
    bread: Floats
    leverage: Floats | None
    n_fitted: int
    dispersion: float | None = None

    def covariance(self, errors: Errors, clusters: Integers | None = None, strata: Integers | None = None) -> Floats:
        """The covariance of the coefficients; NaN where the estimator is not defined.

        clusters, strata: the number of each row's. Clusters of one row each are HC0 but for the factor.
        """
        n, k = len(self.rows), self.n_fitted
        rows, factor = self.rows, 1.0
        if errors == "quasi":
            return np.nan * self.bread if self.dispersion is None else self.dispersion * self.bread
        if errors == "survey":
            side = _within_strata(self.rows, clusters, strata) @ self.bread
            return side.T @ side
        with np.errstate(divide="ignore", invalid="ignore"):
            if errors in OF_CLUSTERS:
                assert clusters is not None, "clustered errors need clusters"
                _, number = np.unique(clusters, return_inverse=True)
                n_clusters = int(number.max(initial=-1)) + 1
                rows = np.zeros((n_clusters, self.rows.shape[1]))
                np.add.at(rows, number, self.rows)
                factor = 1.0 if errors == "cluster-plain" else float(np.float64(n_clusters) / (n_clusters - 1))
                if errors == "cluster-nested":
                    k = int(np.count_nonzero(np.diagonal(self.bread))) + 1  # those that are printed, and the constant
                factor *= float(np.float64(n - 1) / (n - k)) if errors in ("cluster", "cluster-nested") else 1.0
            elif errors == "HC1":
                factor = float(np.float64(n) / (n - k))
            elif errors == "robust-ml":
                factor = float(np.float64(n) / (n - 1))
            elif errors in ("HC2", "HC3"):
                if self.leverage is None:
                    return np.full(self.bread.shape, np.nan)
                rows = rows / ((1.0 - self.leverage) ** (0.5 if errors == "HC2" else 1.0))[:, None]
            side = rows @ self.bread
            return factor * (side.T @ side)

    def standard_errors(
        self, errors: Errors, clusters: Integers | None = None, strata: Integers | None = None
    ) -> Floats:
        """The roots of the diagonal; NaN where the estimator is not defined."""
        variance = np.diagonal(self.covariance(errors, clusters, strata))
        return np.sqrt(np.where(np.isfinite(variance) & (variance >= 0.0), variance, np.nan))

    def every_standard_error(self, clusters: Mapping[str, Integers]) -> dict[tuple[Errors, str], Floats]:
        """By estimator and, where it has clusters, the variable that makes them (else an empty text)."""
        found: dict[tuple[Errors, str], Floats] = {(e, ""): self.standard_errors(e) for e in ROBUST}
        for name, codes in clusters.items():
            found.update({(e, name): self.standard_errors(e, codes) for e in CLUSTERED})
        return found


def _within_strata(rows: Floats, clusters: Integers | None, strata: Integers | None) -> Floats:
    """Sums of clusters less the mean of their stratum, times the root of m/(m − 1) for m clusters there.

    A stratum of one cluster has no variance that could be estimated, and so the whole design has none.
    """
    n = len(rows)
    cluster = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    stratum = np.zeros(n, dtype=np.int64) if strata is None else np.unique(strata, return_inverse=True)[1]
    pairs, number = np.unique(stratum * (int(cluster.max(initial=0)) + 1) + cluster, return_inverse=True)
    of_pair = pairs // (int(cluster.max(initial=0)) + 1)
    sums = np.zeros((len(pairs), rows.shape[1]))
    np.add.at(sums, number, rows)
    m = np.bincount(of_pair).astype(float)
    mean = np.zeros((len(m), rows.shape[1]))
    np.add.at(mean, of_pair, sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (sums - (mean / m[:, None])[of_pair]) * np.sqrt(m / (m - 1.0))[of_pair, None]


def _glm_scores(x: Floats, gap: Floats, slope: Floats, weight: Floats, known: Sequence[int]) -> Scores:
    """The parts of a model with one predictor. gap: ∂l/∂η of each row; slope: −∂²l/∂η², which is the variance of a row
    with a canonical link; known: estimated columns.

    Leverage is wslope · x' A⁻¹ x, as for least squares (Pregibon 1981).
    """
    chosen = list(known)
    inside = x[:, chosen]
    weighted = inside * (weight * slope)[:, None]
    inverse = glm.solve_scaled(inside.T @ weighted, np.eye(len(chosen)))
    bread = np.full((x.shape[1], x.shape[1]), np.nan)
    if inverse is None:
        return Scores(x * (weight * gap)[:, None], bread, None, len(chosen))
    bread = np.zeros_like(bread)
    bread[np.ix_(chosen, chosen)] = inverse
    leverage = ((weighted @ inverse) * inside).sum(axis=1)
    df = len(x) - len(chosen)
    pearson = float((weight * gap**2 / np.maximum(slope, np.finfo(float).tiny)).sum()) / df if df > 0 else None
    return Scores(x * (weight * gap)[:, None], bread, leverage, len(chosen), pearson)


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
    return _glm_scores(rows.x, rows.y - mu, slope, rows.weight, known.tolist())


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
