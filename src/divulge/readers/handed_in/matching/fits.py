"""Fits of models by our own kinds, and every figure that programs print of them.

A kind that is not in `outputs.kinds` yet is recognised and not recomputed; as soon as it is there, it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, stdtr, stdtrit

from divulge.errors import DivulgeError
from divulge.outputs.figures import Status
from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.models.matrix import model_rows
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.standard_errors import CLUSTERED, ROBUST
from divulge.outputs.output import Output
from divulge.table import Table

_Z = 1.959963984540054

MAIN = ("coefficient", "marginal effect")
"""What a term's own figure is called."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A model fitted to the data: coefficients and errors by label, rows, R², likelihood.

    given: the fields with which a spec says it.
    """

    output: Output
    given: Mapping[str, Any]
    table: Table
    coefficients: Mapping[str, float]
    errors: Mapping[str, float]
    n: float
    r2: float
    loglik: float
    absorbed: int = 0
    """Effects of groups that are estimated and not printed."""

    @property
    def df(self) -> float:
        """Degrees of freedom that are left."""
        return max(self.n - self.k - self.absorbed, 1.0)

    @property
    def dfs(self) -> tuple[float, ...]:
        """Degrees of freedom by which a program may judge t: those left, or with clusters one less than clusters."""
        if "cluster" not in self.given:
            return (self.df,)
        return (float(max(self.table.schema[self.given["cluster"]].n_values - 1, 1)), self.df)

    @property
    def errors_named(self) -> str:
        """How its standard errors are computed, where not as the kind does it by itself."""
        by = f" by {self.given['cluster']}" if "cluster" in self.given else ""
        return str(self.given.get("errors") or self.given.get("information") or "") + by

    @property
    def k(self) -> int:
        return len(self.coefficients)

    def find(self, text: str) -> str | None:
        """The label of a coefficient, however it is written."""
        if text in self.coefficients:
            return text
        try:
            return self.output.find_label(text, self.table.schema)
        except DivulgeError:
            return None


_CALLED = {"ordered": "ordered-logit"}
"""Kinds of models by what readers call them, where that differs."""

_WAYS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "cox": ({"ties": "efron"}, {"ties": "breslow"}),
    "marginal-effects": ({"dummies": "difference"}, {"dummies": "slope"}),
}
"""Settings of a kind in which programs differ: each is tried."""


def kind_named(kind: str) -> type[Output] | None:
    """The kind of output of that name that takes a formula; None where there is none yet."""
    called = _CALLED.get(kind, kind)
    return next((k for k in OUTPUTS if k.kind == called and any(f.name == "formula" for f in fields(k))), None)


def fits_of(
    kind: str, table: Table, formula: str, where: str | None, weights: str | None, more: Mapping[str, Any] | None = None
) -> list[Fit] | str:
    """The fits that a program may mean, or why there is none. more: further fields of the kind."""
    known = kind_named(kind)
    if known is None:
        return f"recognised; Divulge has no kind for {kind} models yet"
    given: dict[str, Any] = {"kind": known.kind, **_response(formula), **(more or {})}
    given |= {name: value for name, value in (("where", where), ("weights", weights)) if value is not None}
    tried = [_fit(table, tuple({**given, **way}.items())) for way in _WAYS.get(kind, ({},))]
    found = [fit for fit in tried if isinstance(fit, Fit)]
    return found or next(fit for fit in reversed(tried) if isinstance(fit, str))


def other_errors(fit: Fit, clusters: Sequence[str]) -> Iterator[Fit]:
    """The same fit with standard errors by every other estimator that its kind has."""
    known = type(fit.output)
    taken = {f.name for f in fields(known)}
    ways: list[dict[str, Any]] = []
    if "information" in taken:
        ways += [{"information": i} for i in ("observed", "expected") if i != vars(fit.output)["information"]]
    if "errors" in taken:
        ways += [{"errors": e, "cluster": c} for c in clusters for e in CLUSTERED]
        ways += [{"errors": e} for e in (*ROBUST, "survey")]
    for way in ways:
        found = _fit(fit.table, tuple({**fit.given, **way}.items()))
        if isinstance(found, Fit):
            yield found


def _response(formula: str) -> dict[str, str]:
    """`time, event ~ x` as the formula of the time and the event."""
    left, _, right = formula.partition("~")
    time, _, event = left.partition(",")
    return {"formula": f"{time.strip()} ~ {right.strip()}", **({"event": event.strip(" `")} if event.strip() else {})}


@lru_cache(maxsize=256)
def _fit(table: Table, fields_given: tuple[tuple[str, Any], ...]) -> Fit | str:
    """A model fitted, once for every place of a folder that shows it; or why it cannot be."""
    given = dict(fields_given)
    known = kind_named(given["kind"])
    assert known is not None, "asked for kinds that are known"
    try:
        output = _most_told(known, {k: v for k, v in given.items() if k != "kind"})
        figures = output.evaluate(table)
    except DivulgeError as error:
        return error.message
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        return f"cannot be computed ({type(error).__name__})"
    if figures.status not in (Status.OK, Status.CONSTANT, Status.COLLINEAR, Status.VANISHED_LEVEL):
        return str(figures.status.sentence)
    values = dict(zip(figures.labels, figures.values.tolist(), strict=True))
    beside = {name: values.pop(name, np.nan) for name in ("r2", "loglik", "n")}
    se = figures.se if figures.se is not None else np.full(len(figures.labels), np.nan)
    errors = {label: float(s) for label, s in zip(figures.labels, se, strict=True) if label in values}
    # A level that nobody of these rows has is in no program's table.
    values = {k: v for k, v in values.items() if np.isfinite(v)}
    absorbed = table.schema[given["absorb"]].n_values if "absorb" in given else 0
    if np.isnan(beside["r2"]) and np.isfinite(beside["loglik"]) and output.kind in _OF_CLASSES:
        beside["r2"] = 1 - beside["loglik"] / _of_shares(output, table)
    return Fit(output, given, table, values, errors, beside["n"], beside["r2"], beside["loglik"], absorbed)


_OF_CLASSES = ("probit", "cloglog", "ordered-logit", "ordered-probit")


def _of_shares(output: Output, table: Table) -> float:
    """The likelihood of the constants alone, where the response has classes: that of their shares."""
    assert isinstance(output, Regression), "asked for regressions"
    rows = model_rows(output, output.model_in(table), table)
    sizes = np.bincount(np.unique(rows.y, return_inverse=True)[1], rows.weight)
    return float((sizes * np.log(sizes / sizes.sum())).sum())


def _most_told(known: type[Output], given: Mapping[str, Any]) -> Output:
    """An output with everything beside the coefficients that its kind can tell, or with the statistics asked for."""
    if "statistics" in given:
        return known(**given)
    for statistics in (("se", "r2", "loglik", "n"), ("se", "loglik", "n")):
        try:
            return known(**{**given, "statistics": statistics})
        except DivulgeError:
            continue
    return known(**{**given, "statistics": ("se", "n")})


def term_figure(fit: Fit, label: str, what: str) -> list[float] | None:
    """What a program may print of a coefficient; several values where programs differ (t or normal)."""
    b, se = fit.coefficients.get(label, np.nan), fit.errors.get(label, np.nan)
    dfs = fit.dfs
    t = b / se if se else np.nan
    if what in MAIN:
        return [b]
    if what in ("odds ratio", "hazard ratio", "rate ratio", "relative risk ratio", "exp(coefficient)"):
        return [_exp(b)]
    if what == "exp(-coefficient)":
        return [_exp(-b)]
    if what == "standard error":
        return [se, se * _exp(b)]
    if what in ("t", "z"):
        return [t]
    if what == "Wald":
        return [t * t]
    if what in ("p-value", "-log2(p)"):
        likely = [*(2 * float(stdtr(df, -abs(t))) for df in dfs), 2 * float(ndtr(-abs(t)))]
        return likely if what == "p-value" else [-math.log2(p) if p > 0 else np.nan for p in likely]
    if what == "df":
        return [1.0]
    if what == "compared to":
        return [0.0]
    if what in ("lower 95%", "upper 95%", "exp lower 95%", "exp upper 95%"):
        sign = -1 if "lower" in what else 1
        ends = [b + sign * q * se for q in (*(float(stdtrit(df, 0.975)) for df in dfs), _Z)]
        exponentials = [_exp(end) for end in ends]
        return exponentials if what.startswith("exp") else [*ends, *exponentials]
    return None


def _exp(value: float) -> float:
    return float(np.exp(min(value, 700.0)))


_OF_SCALE = frozenset(
    {
        "root mean squared error",
        "residual standard error",
        "standard error of regression",
        "standard error of estimate",
        "residual sum of squares",
        "log-likelihood",
        "AIC",
        "BIC",
    }
)


def fit_figure(fit: Fit, what: str) -> list[float] | None:
    """What a program may print of a whole model."""
    n, k, ll = fit.n, fit.k, fit.loglik
    if fit.output.kind in ("fixed-effects", "random-intercept", "marginal-effects"):
        return [n] if what == "n" else [fit.df] if what == "residual df" and fit.absorbed else None
    if "weights" in fit.given and what in _OF_SCALE:
        return None  # what weights mean for the scale of the errors differs from program to program
    found: dict[str, list[float]] = {
        "n": [n],
        "log-likelihood": [ll],
        "AIC": [-2 * ll + 2 * k, -2 * ll + 2 * (k + 1)],
        "BIC": [-2 * ll + np.log(n) * k, -2 * ll + np.log(n) * (k + 1)],
        "Hannan-Quinn": [-2 * ll + 2 * j * float(np.log(np.log(n))) for j in (k, k + 1)] if n > math.e else [np.nan],
        "residual df": [n - k],
        "df2": [n - k, *(fit.dfs if "cluster" in fit.given else ())],
        "null df": [n - 1],
        "df1": [k - 1.0],
        "df": [k - 1.0, float(k)],
        "total df": [n - 1],
    }
    found |= _of_least_squares(fit) if fit.output.kind == "linear" else _of_likelihood(fit)
    if "alpha" in fit.coefficients:
        found |= _of_dispersion(fit)
    return found.get(what)


def _of_dispersion(fit: Fit) -> dict[str, list[float]]:
    """The dispersion of a negative binomial model and its logarithm, in which Stata estimates it."""
    alpha, error = fit.coefficients["alpha"], fit.errors.get("alpha", np.nan)
    found = {"alpha": [alpha], "standard error of alpha": [error]}
    if alpha > 0:
        log, off = math.log(alpha), error / alpha
        found |= {"lnalpha": [log], "standard error of lnalpha": [off]}
        for end, sign in (("lower", -1), ("upper", 1)):
            found[f"{end} 95% of lnalpha"] = [log + sign * _Z * off]
            found[f"{end} 95% of alpha"] = [_exp(log + sign * _Z * off)]
    return found


def _of_least_squares(fit: Fit) -> dict[str, list[float]]:
    """What follows from R² and the likelihood of a linear model."""
    n, k, r2, ll = fit.n, fit.k, fit.r2, fit.loglik
    df = max(n - k, 1.0)
    rss = n * float(np.exp(-2 * ll / n)) / (2 * np.pi * math.e)
    sigma = float(np.sqrt(rss / df))
    f = (r2 / max(k - 1, 1)) / ((1 - r2) / df) if r2 < 1 else np.inf
    found = {
        "r-squared": [r2],
        "r": [float(np.sqrt(max(r2, 0.0)))],
        "adjusted r-squared": [1 - (1 - r2) * (n - 1) / df],
        "F": [f],
        "p-value": [float(fdtrc(max(k - 1, 1), df, f))],
        "residual sum of squares": [rss],
        "total sum of squares": [rss / (1 - r2) if r2 < 1 else np.nan],
        "model sum of squares": [rss * r2 / (1 - r2) if r2 < 1 else np.nan],
        "residual mean square": [rss / df],
        "total mean square": [rss / (1 - r2) / max(n - 1, 1.0) if r2 < 1 else np.nan],
        "model mean square": [rss * r2 / (1 - r2) / max(k - 1, 1) if r2 < 1 else np.nan],
    }
    for name in (
        "root mean squared error",
        "residual standard error",
        "standard error of regression",
        "standard error of estimate",
    ):
        # Some divide by the rows; R shows four digits, also of whole numbers.
        found[name] = [sigma, float(np.sqrt(rss / n)), float(f"{sigma:.4g}")]
    return found


def _of_likelihood(fit: Fit) -> dict[str, list[float]]:
    """What follows from the likelihoods of a model with and without its terms."""
    n, k, r2, ll = fit.n, fit.k, fit.r2, fit.loglik
    null = ll / (1 - r2) if r2 < 1 else np.nan
    beside = ("Intercept", "|", "alpha")
    slopes = sum(not any(b in name for b in beside) and not name.startswith("cut") for name in fit.coefficients)
    chi = 2 * (ll - null)
    snell = 1 - float(np.exp(2 * (null - ll) / n))
    found = {
        "pseudo r-squared": [r2],
        "r-squared": [r2],
        "null log-likelihood": [null],
        "chi-squared": [chi],
        "likelihood ratio chi-squared": [chi],
        "p-value": [float(chdtrc(max(slopes, 1), max(chi, 0.0)))],
        "residual df": [n - k, n - k + ("alpha" in fit.coefficients)],
        "df1": [float(slopes)],
        "df": [float(slopes), float(k)],
        "-2 log likelihood": [-2 * ll],
        "Cox & Snell r-squared": [snell],
        "Nagelkerke r-squared": [snell / (1 - float(np.exp(2 * null / n)))],
    }
    if fit.output.kind in ("logistic", "multinomial", "probit", "ordered-logit", "ordered-probit"):
        found |= {"deviance": [-2 * ll], "null deviance": [-2 * null]}
    found |= {"2 × log-likelihood": [2 * ll], "adjusted r-squared": [1 - (ll - k) / null]}
    return found
