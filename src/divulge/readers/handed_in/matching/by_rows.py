"""What programs print of a model that follows from its rows, not from its coefficients alone: residuals and their
tests, the deviance, joint tests by a robust covariance, the tests of a Cox model and its concordance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, polygamma, xlogy

from divulge.kernels.arrays import Floats
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.hazards import Spells
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.standard_errors import fitted_scores
from divulge.readers.handed_in.matching.fits import Fit
from divulge.readers.handed_in.matching.statistics import statistic

_RESIDUAL = " of residuals"
_QUANTILES = ("minimum", "first quartile", "median", "third quartile", "maximum")


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a fit with its coefficients in the order of the columns."""

    rows: ModelRows
    beta: Floats
    alpha: float = 0.0

    @property
    def eta(self) -> Floats:
        return np.asarray(self.rows.x @ self.beta)


def row_figure(fit: Fit, what: str) -> list[float] | None:
    """What a program may print of a whole model; None where it is not one of these."""
    if isinstance(fit.output, Cox):
        return _of_hazards(fit).get(what)
    if fit.output.kind == "fixed-effects":
        return _within(fit).get(what)
    if what in _JOINT and fit.errors_named:
        return _joint(fit).get(what)
    found = _rows_of(fit) if _is_plain(fit) else None
    if found is None:
        return None
    if what.endswith(_RESIDUAL) or what in _DIAGNOSTICS:
        return _of_residuals(fit, what)
    if what == "density at the means" and fit.output.kind in ("logistic", "probit"):
        middle = float(np.average(found.rows.x, axis=0, weights=found.rows.weight) @ found.beta)
        share = 1 / (1 + math.exp(-middle))
        normal = math.exp(-(middle**2) / 2) / math.sqrt(2 * math.pi)
        return [share * (1 - share) if fit.output.kind == "logistic" else normal]
    if what in ("deviance", "null deviance") and fit.output.kind in _VARIED:
        fitted = _mean(fit.output.kind, found.eta)
        mean = np.average(found.rows.y, weights=found.rows.weight)
        mu = fitted if what == "deviance" else np.full_like(fitted, mean)
        return [float((found.rows.weight * _deviances(fit.output.kind, found.rows.y, mu, found.alpha)).sum())]
    if what in ("residual sum of squares", "standard error of regression"):
        square = float((found.rows.weight * (found.rows.y - _mean(fit.output.kind, found.eta)) ** 2).sum())
        return [square if what.startswith("residual") else math.sqrt(square / max(fit.n - len(found.beta), 1.0))]
    if what in ("scale", "Pearson chi-squared"):
        spread = _spread(fit.output.kind, _mean(fit.output.kind, found.eta), found.alpha)
        parts = (found.rows.y - _mean(fit.output.kind, found.eta)) ** 2 / spread
        chi = float((found.rows.weight * parts).sum())
        return [chi] if what != "scale" else [1.0 if fit.output.kind != "linear" else chi / fit.df]
    if what in ("theta", "standard error of theta") and found.alpha > 0:
        return [1 / found.alpha if what == "theta" else _error_of_theta(found)]
    return None


def _error_of_theta(found: _Rows) -> float:
    """By the information about θ = 1/α alone, as R has it (Venables & Ripley 2002)."""
    theta, y, mu = 1 / found.alpha, found.rows.y, np.exp(found.eta)
    parts = -polygamma(1, theta + y) + polygamma(1, theta) - 1 / theta + 2 / (mu + theta)
    information = float((found.rows.weight * (parts - (y + theta) / (mu + theta) ** 2)).sum())
    return 1 / math.sqrt(information) if information > 0 else np.nan


def standardised(fit: Fit, label: str) -> list[float] | None:
    """A coefficient in standard deviations of its column and of the response."""
    found = _rows_of(fit) if _is_plain(fit) and fit.output.kind == "linear" else None
    if found is None:
        return None
    place = list(fit.coefficients).index(label)
    spread = float(found.rows.y.std())
    return [float(found.beta[place] * found.rows.x[:, place].std() / spread)] if spread > 0 else None


_VARIED = ("logistic", "probit", "poisson", "negative-binomial")
_DIAGNOSTICS = frozenset(
    {"Durbin-Watson", "omnibus", "p-value of omnibus", "Jarque-Bera", "p-value of Jarque-Bera", "condition number"}
    | {"autocorrelation"}
)
_JOINT = frozenset({"F", "chi-squared", "Wald chi-squared", "p-value", "likelihood ratio chi-squared"})


def _is_plain(fit: Fit) -> bool:
    return isinstance(fit.output, Regression) and fit.output.kind in ("linear", *_VARIED)


@lru_cache(maxsize=64)
def _rows_of(fit: Fit) -> _Rows | None:
    output = fit.output
    assert isinstance(output, Regression), "asked for regressions"
    cluster = [str(fit.given["cluster"])] if "cluster" in fit.given else []
    rows = model_rows(output, output.model(fit.table.schema), fit.table, cluster)
    beta = np.array([v for k, v in fit.coefficients.items() if k != "alpha"])
    return _Rows(rows, beta, fit.coefficients.get("alpha", 0.0)) if rows.x.shape[1] == len(beta) and rows.size else None


def _mean(kind: str, eta: Floats) -> Floats:
    if kind in ("poisson", "negative-binomial"):
        return np.asarray(np.exp(np.minimum(eta, 700.0)))
    return np.asarray(ndtr(eta) if kind == "probit" else 1.0 / (1.0 + np.exp(-eta)) if kind == "logistic" else eta)


def _spread(kind: str, mu: Floats, alpha: float) -> Floats:
    """The variance of a row with a given mean, up to the scale."""
    if kind == "linear":
        return np.ones_like(mu)
    return np.asarray(mu * (1 - mu) if kind in ("logistic", "probit") else mu + alpha * mu**2)


def _deviances(kind: str, y: Floats, mu: Floats, alpha: float) -> Floats:
    """Twice what each row's likelihood falls short of a perfect fit (McCullagh & Nelder 1989)."""
    with np.errstate(all="ignore"):
        if kind == "linear":
            return np.asarray((y - mu) ** 2)
        if kind == "poisson":
            return np.asarray(2 * (xlogy(y, y / mu) - (y - mu)))
        if kind == "negative-binomial":
            return np.asarray(2 * (xlogy(y, y / mu) - (y + 1 / alpha) * np.log((1 + alpha * y) / (1 + alpha * mu))))
        return np.asarray(-2 * (xlogy(y, mu) + xlogy(1 - y, 1 - mu)))


def _of_residuals(fit: Fit, what: str) -> list[float] | None:
    found = _rows_of(fit)
    assert found is not None, "asked where there are rows"
    y, weight = found.rows.y, found.rows.weight
    mu = _mean(fit.output.kind, found.eta)
    raw = y - mu
    signed = np.sign(raw) * np.sqrt(np.maximum(weight * _deviances(fit.output.kind, y, mu, found.alpha), 0.0))
    if what.endswith(_RESIDUAL):
        ways = [signed, raw]
        return [v for r in ways for v in statistic(what.removesuffix(_RESIDUAL), r) or []]
    if fit.output.kind != "linear":
        return None
    n = len(raw)
    square = float(raw @ raw)
    lagged = float((raw[1:] * raw[:-1]).sum())
    skewness, kurtosis = (statistic(w, raw) or [np.nan] for w in ("skewness", "kurtosis"))
    bera = n / 6 * (skewness[0] ** 2 + kurtosis[0] ** 2 / 4)
    normal = _omnibus(n, skewness[0], kurtosis[0] + 3)
    values = np.linalg.svd(found.rows.x, compute_uv=False)
    return {
        "Durbin-Watson": [float((np.diff(raw) ** 2).sum()) / square if square else np.nan],
        "autocorrelation": [lagged / float(raw[:-1] @ raw[:-1]) if n > 1 and square else np.nan],
        "omnibus": [normal],
        "p-value of omnibus": [float(chdtrc(2, normal))],
        "Jarque-Bera": [bera],
        "p-value of Jarque-Bera": [float(chdtrc(2, bera))],
        "condition number": [float(values[0] / values[-1]) if values[-1] > 0 else np.nan],
    }.get(what)


def _omnibus(n: float, skewness: float, kurtosis: float) -> float:
    """D'Agostino & Pearson's 1973 test of normality: the squares of normal scores of skewness and kurtosis."""
    if n < 8:
        return np.nan
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2.0) * (n + 5) * (n + 7) * (n + 9))
    w = math.sqrt(2 * (beta - 1)) - 1
    z = math.asinh(y / math.sqrt(2.0 / (w - 1))) / math.sqrt(0.5 * math.log(w))
    spread = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis - 3.0 * (n - 1) / (n + 1)) / math.sqrt(spread)
    # Anscombe & Glynn 1983.
    root = 6.0 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6.0 + 8.0 / root * (2.0 / root + math.sqrt(1 + 4.0 / root**2))
    low = 1 + x * math.sqrt(2 / (a - 4.0))
    third = math.copysign(((1 - 2.0 / a) / abs(low)) ** (1 / 3), low) if low else 0.0
    return z**2 + ((1 - 2 / (9.0 * a) - third) / math.sqrt(2 / (9.0 * a))) ** 2


@lru_cache(maxsize=64)
def _within(fit: Fit) -> dict[str, list[float]]:
    """What programs print of a model whose groups are absorbed: around the means of the groups, and with them."""
    assert isinstance(fit.output, Estimated), "asked for models with absorbed groups"
    schema = fit.table.schema
    model = fit.output.model(schema)
    rows = model_rows(fit.output, model, fit.table, fit.output.needs(), fit.output.second(schema))
    beta = np.array(list(fit.coefficients.values()))
    _, group = np.unique(rows.second, return_inverse=True)
    if rows.x.shape[1] != len(beta) or len(group) != rows.size or "weights" in fit.given:
        return {}
    sizes = np.bincount(group, rows.weight)
    inner = rows.y - (np.bincount(group, rows.weight * rows.y) / sizes)[group]
    gap = rows.y - rows.x @ beta
    gap = gap - (np.bincount(group, rows.weight * gap) / sizes)[group]
    n, k, g = float(rows.weight.sum()), len(beta), len(sizes)
    rest, around = float(rows.weight @ gap**2), float(rows.weight @ inner**2)
    whole = float(rows.weight @ (rows.y - rows.weight @ rows.y / n) ** 2)
    df = n - k - g
    if df <= 0 or rest <= 0:
        return {}
    # Tests of the slopes alone, and of slopes and groups together.
    tests = [((around - rest) / k / (rest / df), k), ((whole - rest) / (k + g - 1) / (rest / df), k + g - 1)]
    ll = -n / 2 * (math.log(2 * math.pi * rest / n) + 1)
    return {
        "r-squared": [1 - rest / around, 1 - rest / whole],
        "within r-squared": [1 - rest / around],
        "adjusted r-squared": [1 - rest / around * (n - 1) / df, 1 - rest / whole * (n - 1) / df],
        "residual sum of squares": [rest],
        "total sum of squares": [around],
        "standard error of regression": [math.sqrt(rest / df)],
        "root mean squared error": [math.sqrt(rest / df)],
        "groups": [float(g)],
        "log-likelihood": [ll],
        "AIC": [-2 * ll + 2 * j for j in (k + g, k, k + 1)],
        "BIC": [-2 * ll + math.log(n) * j for j in (k + g, k, k + 1)],
        "Hannan-Quinn": [-2 * ll + 2 * math.log(math.log(n)) * j for j in (k + g, k, k + 1)],
        "F": [f for f, _ in tests] if not fit.errors_named else [],
        "p-value": [float(fdtrc(q, df, f)) for f, q in tests] if not fit.errors_named else [],
        "df1": [float(q) for _, q in tests],
        "df2": [df],
        **{f"{w}{_RESIDUAL}": statistic(w, gap) or [] for w in _QUANTILES},
    }


def _joint(fit: Fit) -> dict[str, list[float]]:
    """The Wald test of all slopes by the covariance that the standard errors come from."""
    found = (
        _rows_of(fit)
        if _is_plain(fit) and fit.output.kind not in ("probit", "negative-binomial") and "errors" in fit.given
        else None
    )
    if found is None or not isinstance(fit.output, Regression):
        return {}
    groups = None
    if "cluster" in fit.given:
        groups = fit.table[str(fit.given["cluster"])][found.rows.kept].astype(np.int64)
    scores = fitted_scores(found.rows, fit.output.model(fit.table.schema), found.beta)
    whole = scores.covariance(fit.given["errors"], groups)
    slopes = [i for i, name in enumerate(fit.coefficients) if "Intercept" not in name]
    try:
        side = np.linalg.solve(whole[np.ix_(slopes, slopes)], found.beta[slopes])
    except np.linalg.LinAlgError:
        return {}
    wald, q = float(found.beta[slopes] @ side), len(slopes)
    left = [fit.n - fit.k] + ([len(np.unique(groups)) - 1.0] if groups is not None else [])
    return {
        "F": [wald / q],
        "chi-squared": [wald],
        "Wald chi-squared": [wald, float(np.round(wald, 2))],
        "p-value": [*(float(fdtrc(q, df, wald / q)) for df in left), float(chdtrc(q, wald))],
    }


@lru_cache(maxsize=64)
def _of_hazards(fit: Fit) -> dict[str, list[float]]:
    """The three tests of a Cox model (Cox 1972), its likelihoods and its concordance (Harrell et al. 1982)."""
    output = fit.output
    assert isinstance(output, Cox), "asked for Cox models"
    spells, rows = output.spells(output.model(fit.table.schema), fit.table, is_collapsed=False)
    beta = np.array(list(fit.coefficients.values()))
    if spells.x.shape[1] != len(beta) or not rows.size:
        return {}
    at, null = spells.partial(beta), spells.partial(np.zeros(len(beta)))
    k = len(beta)
    ratio = 2 * (at.value - null.value)
    wald = float(beta @ at.information @ beta)
    score = float(null.score @ np.linalg.pinv(null.information) @ null.score)
    events = float((spells.counts * spells.seen).sum())
    agreeing, error = _concordance(spells, beta)
    usual = not fit.errors_named
    return {
        "events": [events],
        "time at risk": [float((rows.y * rows.counts).sum())],
        "log-likelihood": [at.value],
        "null log-likelihood": [null.value],
        "AIC": [-2 * at.value + 2 * k],
        "BIC": [-2 * at.value + math.log(max(m, 1.0)) * k for m in (events, fit.n)],
        # R rounds them to two decimals before it shows as many digits as were asked for.
        "likelihood ratio chi-squared": [ratio, float(np.round(ratio, 2))],
        "score chi-squared": [score, float(np.round(score, 2))],
        **{what: [float(k)] for what in ("df", "df1", "df of Wald", "df of score")},
        "p-value of likelihood ratio": [float(chdtrc(k, max(ratio, 0.0)))],
        "p-value of score": [float(chdtrc(k, max(score, 0.0)))],
        "concordance": [agreeing],
        "standard error of concordance": [error],
        **({"Wald chi-squared": [wald], "p-value of Wald": [float(chdtrc(k, wald))]} if usual else {}),
        **({"chi-squared": [ratio, wald]} if usual else {}),
        **({"p-value": [float(chdtrc(k, max(v, 0.0))) for v in (ratio, wald)]} if usual else {}),
    }


_MOST_PAIRS = 20_000
"""Rows up to which pairs of people are counted."""


def _concordance(spells: Spells, beta: Floats) -> tuple[float, float]:
    """The share of comparable pairs in which whoever has the event first is at the higher risk, ties as half; and its
    standard error by the infinitesimal jackknife (Therneau & Atkinson 2020)."""
    if len(spells.exit) > _MOST_PAIRS or spells.n_strata > 1 or (spells.entry >= 0).any():
        return np.nan, np.nan
    # Rounding of the sums is no difference of risk.
    risk = np.round(spells.x @ beta, 10)
    right, pairs = np.zeros(len(risk)), np.zeros(len(risk))
    for i in np.flatnonzero(spells.seen > 0):
        later = np.flatnonzero((spells.exit > spells.exit[i]) | ((spells.exit == spells.exit[i]) & (spells.seen == 0)))
        agrees = (risk[later] < risk[i]) + 0.5 * (risk[later] == risk[i])
        right[later] += agrees
        right[i] += agrees.sum()
        pairs[later] += 1
        pairs[i] += len(later)
    whole = pairs.sum() / 2
    if not whole:
        return np.nan, np.nan
    share = float(right.sum() / 2 / whole)
    return share, float(np.sqrt((((right - share * pairs) / whole) ** 2).sum()))
