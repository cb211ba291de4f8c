"""Outputs from fitted models of statsmodels, read by their attributes: statsmodels itself is never imported.

Figures are taken as its summary prints them: coefficients to 4 decimals, standard errors to 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.standard_errors import Errors
from divulge.outputs.models.summaries import CODES, LABELS
from divulge.outputs.output import Output
from divulge.outputs.released.precision import MOST_DECIMALS
from divulge.readers.statsmodels.asked import Asked
from divulge.readers.statsmodels.figures import (
    DECIMALS,
    INTERCEPTS,
    PRINTED,
    SE_DECIMALS,
    coefficient_figures,
    formula_of_terms,
    printed_decimals,
)
from divulge.readers.statsmodels.others import OTHERS, read_anova

TEST_DECIMALS = 3
"""Of tests, p values and intervals there."""

_ESTIMATORS: Mapping[str, Errors] = {"nonrobust": "model", "HC0": "HC0", "HC1": "HC1", "HC2": "HC2", "HC3": "HC3"}
"""By what statsmodels calls its kinds of covariance."""

_REGRESSIONS = tuple(kind for kind in OUTPUTS if issubclass(kind, Regression))


def from_statsmodels(  # noqa: PLR0913 - what a researcher may say in one call
    result: Any,
    *,
    name: str | None = None,
    where: str | None = None,
    decimals: int | None = None,
    se_decimals: int | None = None,
    statistics: Sequence[str] = ("se", "n"),
    weights: str | None = None,
    groups: str | None = None,
    response: str | None = None,
) -> Output:
    """The output that a fitted model of statsmodels (0.14 or later) is: OLS, WLS, Logit, Poisson, MNLogit and their
    GLMs, OrderedModel, MixedLM with a random intercept, zero-inflated counts; and what anova_lm or get_margeff gives.

    where: the condition by which the rows were chosen, where the model was not fitted to the whole frame.
    decimals, se_decimals: how coefficients and standard errors will be printed; None: as in the summary.
    statistics: what will be published beside the coefficients: se, r2, loglik, n, t, p, interval; adj-r2, f, f-p, lr-p,
    aic, bic, df, df-residual; of the last three models se and n.
    weights, groups: the variables of weights, and of clusters or random intercepts, where the result does not say.
    response: that of a table of anova_lm, which does not say.
    """
    asked = Asked(
        name=name,
        where=where,
        decimals=decimals,
        se_decimals=se_decimals,
        statistics=statistics,
        weights=weights,
        groups=groups,
        response=response,
    )
    if "PR(>F)" in getattr(result, "columns", ()) or "Pr(>F)" in getattr(result, "columns", ()):
        return read_anova(result, asked)
    digits = DECIMALS if decimals is None else decimals, SE_DECIMALS if se_decimals is None else se_decimals
    if type(result).__name__ == "DiscreteMargins":
        return _margins(result, name=name, where=where, decimals=digits[0], se_decimals=digits[1])
    model = _fitted_model(result)
    other = OTHERS.get(type(model).__name__)
    if other is None:
        return _regression(result, model, asked, digits)
    _check_plain(model)
    return other(result, model, asked, _estimator(result, model, asked))


def _regression(result: Any, model: Any, asked: Asked, digits: tuple[int, int]) -> Output:
    """Models with a coefficient for each term, and with what the summary prints beside them."""
    (decimals, se_decimals), statistics = digits, asked.statistics
    kind = _kind(model)
    _check_plain(model)
    terms = [str(term) for term in model.exog_names]
    response = str(model.endog_names)
    formula = getattr(model, "formula", None)
    if not isinstance(formula, str):
        formula = _formula(response, [t for t in terms if (kind.statsmodels, t) != ("NegativeBinomial", "alpha")])
    errors = _estimator(result, model, asked)
    published = ["se"] if "se" in statistics else []
    released = _coefficients(result, model, terms, response, (decimals, se_decimals if published else None))
    labels = list(released)
    printed = [decimals] * len(released)
    for statistic, shown, value in _statistics(result, model):
        if statistic in statistics and statistic in kind.beside and value is not None and np.isfinite(value):
            published.append(statistic)
            printed.append(printed_decimals(shown, float(value)))
            released[statistic] = repr(round(float(value), printed[-1]))
    for statistic, columns in _derived(result, statistics).items():
        published.append(statistic)
        for head, values in columns.items():
            texts = [f"{v:.{TEST_DECIMALS}f}" for v in values]
            released |= {f"{label} ({head})": text for label, text in zip(labels, texts, strict=True)}
            printed += [TEST_DECIMALS] * len(labels)
    for statistic, label, value in _summaries(result, model, statistics):
        published.append(statistic)
        printed.append(min(printed_decimals(statistic, value), MOST_DECIMALS))
        released[label] = repr(round(value, printed[-1]))
    given: dict[str, Any] = {"formula": formula, "statistics": tuple(published), "se_decimals": se_decimals}
    given |= errors
    if type(model).__name__ == "WLS":
        given["weights"] = asked.variable("weights", model.weights, model)
    given |= {field: float(getattr(result, attribute)) for field, attribute in kind.attributes.items()}
    if type(model).__name__ == "GLM" and kind.links:
        given["link"] = kind.links[type(model.family.link).__name__]
    if type(model).__name__ == "GLM" and hasattr(kind, "information"):
        given["information"] = "expected"
    return kind(name=asked.name, where=asked.where, released=released, decimals=tuple(printed), **given)


def _fitted_model(result: Any) -> Any:
    model = getattr(result, "model", None)
    if model is None or not hasattr(result, "params") or not hasattr(result, "bse"):
        raise OutputError(
            f"a fitted model of statsmodels is needed, this is of the type {type(result).__name__!r}.",
            hint="Give what fit() returned, not the model.",
        )
    return model


def _estimator(result: Any, model: Any, asked: Asked) -> dict[str, str]:
    """The estimator of the standard errors as fields of a regression; none where they are not released."""
    if "se" not in asked.statistics:
        return {}
    called = str(getattr(result, "cov_type", "nonrobust"))
    if called in _ESTIMATORS:
        # Only of least squares are HC1 to HC3 others than HC0 in statsmodels.
        is_plain = called == "nonrobust" or type(model).__name__ in ("OLS", "WLS")
        return {"errors": _ESTIMATORS[called] if is_plain else "HC0"}
    said = getattr(result, "cov_kwds", None) or {}
    groups = said.get("groups")
    if called != "cluster" or groups is None or np.ndim(groups) != 1:
        raise OutputError(
            f"standard errors of the type {result.cov_type!r} cannot be computed again, so they cannot be checked.",
            hint="Fit with cov_type='HC1', or by one set of clusters; or leave them out of what you release, and check "
            "the rest: divulge.from_statsmodels(result, statistics=('n',)).",
        )
    is_corrected = said.get("use_correction", True)
    errors = "cluster" if is_corrected else "cluster-plain"
    return {"errors": errors, "cluster": asked.variable("groups", groups, model)}


def _formula(response: str, terms: list[str]) -> str:
    """The formula of a model that was fitted to columns instead."""
    if response == "y" and all(re.fullmatch(r"const|x\d+", term) for term in terms):
        raise OutputError(
            "the model was fitted to arrays without names, so its variables are not known.",
            hint="Fit it to columns of a data frame, or by a formula.",
        )
    return formula_of_terms(response, terms)


def _margins(margins: Any, *, name: str | None, where: str | None, decimals: int, se_decimals: int) -> Output:
    """What get_margeff() gives: average effects, of numbers and of categories with two values or as slopes."""
    options, model = margins.margeff_options, margins.results.model
    kinds = {"Logit": "logistic", "Probit": "probit", "Poisson": "poisson"}
    called, formula = type(model).__name__, getattr(model, "formula", None)
    if (options.get("at"), options.get("method")) != ("overall", "dydx") or called not in kinds:
        raise OutputError(
            "average marginal effects of Logit, Probit or Poisson models are read.",
            hint="Say get_margeff(at='overall', method='dydx').",
        )
    if not isinstance(formula, str):
        raise OutputError("the model was not fitted by a formula.", hint="Fit it by a formula, as smf.logit does.")
    labels = [str(term) for term in model.exog_names if term not in INTERCEPTS]
    columns = zip(labels, np.ravel(margins.margeff), np.ravel(margins.margeff_se), strict=True)
    released = {label: {"coef": f"{b:.{decimals}f}", "se": f"{se:.{se_decimals}f}"} for label, b, se in columns}
    fields: Any = {
        "formula": formula,
        "model": kinds[called],
        "dummies": "slope",  # whether dummy=True was said, the figures tell
        "statistics": ("se",),
        "se_decimals": se_decimals,
    }
    kind = next(k for k in OUTPUTS if k.kind == "marginal-effects")
    return kind(name=name, where=where, released=released, decimals=decimals, **fields)


def _derived(result: Any, statistics: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """What the summary prints beside coefficients and standard errors, as far as it is asked for: by head, in the order
    of the coefficients (class by class where the response has several)."""
    asked = [name for name in ("t", "p", "interval") if name in statistics]
    ends = np.asarray(result.conf_int(), dtype=float).reshape(-1, 2) if asked else np.zeros((0, 2))
    found = {
        "t": {"t": np.asarray(result.tvalues, dtype=float).T.ravel()},
        "p": {"p": np.asarray(result.pvalues, dtype=float).T.ravel()},
        "interval": {"2.5 %": ends[:, 0], "97.5 %": ends[:, 1]},
    }
    return {name: {head: values.tolist() for head, values in found[name].items()} for name in asked}


def _summaries(result: Any, model: Any, statistics: Sequence[str]) -> list[tuple[str, str, float]]:
    """Figures that sum up the fit, as far as they are asked for and the result has them: name, label, value."""
    asked = [name for name in LABELS if name in statistics and name in PRINTED and name != "loglik"]
    if type(model).__name__ == "GLM":
        asked = []  # its likelihoods and their degrees of freedom are counted otherwise
    found = [(name, getattr(result, CODES[name].removeprefix("model."), None)) for name in asked]
    return [(name, LABELS[name], float(value)) for name, value in found if value is not None and np.isfinite(value)]


def _kind(model: Any) -> type[Regression]:
    called = type(model).__name__
    if called == "GLM":
        family, link = type(model.family).__name__, type(model.family.link).__name__
        glms = [(kind, kind.as_glm) for kind in _REGRESSIONS if kind.as_glm is not None and kind.as_glm[0] == family]
        found = [kind for kind, named in glms if named[1] == link or link in kind.links]
        called = f"GLM with family {family} and link {link}"
    else:
        found = [kind for kind in _REGRESSIONS if kind.statsmodels == ("OLS" if called == "WLS" else called)]
    if not found:
        raise OutputError(
            f"{called} is not a model that Divulge has a kind for.",
            hint="It has OLS, WLS, QuantReg, Logit, Probit, Poisson, NegativeBinomial, MNLogit, OrderedModel, MixedLM, "
            "ZeroInflatedPoisson, and GLM of Gaussian, Binomial, Poisson, Gamma and InverseGaussian.",
        )
    asked = [f.name for f in fields(found[0]) if f.default is MISSING and f.default_factory is MISSING]
    if asked != ["formula"]:
        raise OutputError(
            f"a fitted {called} does not say which variable is its {asked[-1]}.",
            hint="Describe the output in a spec, or as an output of Divulge's own.",
        )
    return found[0]


def _check_plain(model: Any) -> None:
    """Raise where rows have weights, offsets or exposures, which the outputs have no field for."""
    for field in ("offset", "exposure", "freq_weights", "var_weights", "_offset_exposure"):
        value = getattr(model, field, None)
        usual = 1.0 if field.endswith("weights") else 0.0
        if value is not None and not np.all(np.asarray(value, dtype=float) == usual):
            raise OutputError(
                f"the model has {field.strip('_').replace('_', ' ')}, which Divulge does not take into account.",
                hint="Judge it by hand, or describe the output in a spec.",
            )


def _coefficients(
    result: Any, model: Any, terms: Sequence[str], response: str, decimals: tuple[int, int | None]
) -> dict[str, Any]:
    """Coefficients, with standard errors where they have decimals."""
    places, se_places = decimals
    params, errors = np.asarray(result.params, dtype=float), np.asarray(result.bse, dtype=float)
    labels = list(terms)
    if params.ndim == 2:  # a column for each class of the response but the first
        classes = [str(v).removesuffix(".0") for _, v in sorted(model._ynames_map.items())][1:]
        labels = [f"{response}={c} & {term}" for c in classes for term in terms]
        params, errors = params.T.ravel(), errors.T.ravel()
    if len(params) != len(labels) or not np.isfinite(params).all():
        raise OutputError("some coefficients are not known.", hint="Did the fit converge, and are there enough rows?")
    return coefficient_figures(labels, params, errors, places, se_places)


def _statistics(result: Any, model: Any) -> list[tuple[str, str, float | None]]:
    """R², log-likelihood and rows: what it is, how it is printed, its value."""
    if type(model).__name__ == "GLM":
        # A linear GLM has a likelihood of its own, with another estimate of the variance.
        is_linear = type(model.family).__name__ == "Gaussian"
        r2: tuple[str, str, float | None] = ("r2", "r2", None)
        loglik = None if is_linear else getattr(result, "llf", None)
    elif type(model).__name__ in ("OLS", "WLS"):
        # Without a constant statsmodels' R² is another one.
        r2 = ("r2", "r2", result.rsquared if getattr(model, "k_constant", 1) else None)
        loglik = result.llf
    else:
        r2, loglik = ("r2", "pseudo r2", getattr(result, "prsquared", None)), result.llf
    return [r2, ("loglik", "loglik", loglik), ("n", "n", getattr(result, "nobs", None))]
