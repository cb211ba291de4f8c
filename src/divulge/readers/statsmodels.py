"""Outputs from fitted models of statsmodels, read by their attributes: statsmodels itself is never imported.

Figures are taken as its summary prints them: coefficients to 4 decimals, standard errors to 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.standard_errors import Errors
from divulge.outputs.models.summaries import CODES, LABELS
from divulge.outputs.output import Output
from divulge.outputs.released.precision import MOST_DECIMALS

DECIMALS = 4
"""Of coefficients in a summary of statsmodels."""

SE_DECIMALS = 3
"""Of standard errors there."""

TEST_DECIMALS = 3
"""Of tests, p values and intervals there."""

_PRINTED: Mapping[str, tuple[str, int]] = {
    "r2": ("decimals", 3),
    "pseudo r2": ("significant", 4),
    "loglik": ("significant", 5),
    "n": ("decimals", 0),
    "adj-r2": ("decimals", 3),
    "f": ("significant", 4),
    "f-p": ("significant", 3),
    "lr-p": ("significant", 4),
    "aic": ("significant", 4),
    "bic": ("significant", 4),
    "df": ("decimals", 0),
    "df-residual": ("decimals", 0),
}

_ESTIMATORS: Mapping[str, Errors] = {
    "nonrobust": "model",
    **{name: name for name in ("HC0", "HC1", "HC2", "HC3")},
}
"""By what statsmodels calls its kinds of covariance."""

_REGRESSIONS = tuple(kind for kind in OUTPUTS if issubclass(kind, Regression))
_LEVEL = re.compile(r"\[(T\.|S\.)?[^\[\]]*\]")
INTERCEPTS = frozenset({"const", "Intercept"})


def printed_decimals(statistic: str, value: float) -> int:
    """With how many decimals a summary shows a statistic: r2, pseudo r2, loglik, n, and those that sum up."""
    how, digits = _PRINTED[statistic]
    if how == "decimals":
        return digits
    return digits - 1 - (int(np.floor(np.log10(abs(value)))) if value else 0)


def formula_of_terms(response: str, terms: Sequence[str]) -> str:
    """A formula from the names of a model's terms: `y ~ x + C(a)` from const, x, C(a)[T.2], C(a)[T.3]."""
    factors = list(dict.fromkeys(_LEVEL.sub("", term) for term in terms if term not in INTERCEPTS))
    named = [*([] if INTERCEPTS & set(terms) else ["0"]), *(_quoted(factor) for factor in factors)] or ["1"]
    return f"{_quoted(response)} ~ {' + '.join(named)}"


def _quoted(factor: str) -> str:
    """A name that is no word needs backticks; calls, and products of words and calls, do not."""
    part = r"[A-Za-z_][\w.]*(\(.*\))?"
    return factor if re.fullmatch(rf"{part}(:{part})*", factor) else f"`{factor}`"


def from_statsmodels(
    result: Any,
    *,
    name: str | None = None,
    where: str | None = None,
    decimals: int = DECIMALS,
    se_decimals: int = SE_DECIMALS,
    statistics: Sequence[str] = ("se", "n"),
) -> Output:
    """The output that a fitted model of statsmodels (0.14 or later) is: OLS, Logit, Poisson, MNLogit, and their GLMs.

    where: the condition by which the rows were chosen, where the model was not fitted to the whole frame.
    decimals, se_decimals: how coefficients and standard errors will be printed.
    statistics: what will be published beside the coefficients: se, r2, loglik, n, t, p, interval; adj-r2, f, f-p, lr-p,
    aic, bic, df, df-residual.
    """
    if type(result).__name__ == "DiscreteMargins":
        return _margins(result, name=name, where=where, decimals=decimals, se_decimals=se_decimals)
    model = _fitted_model(result)
    kind = _kind(model)
    _check_plain(model)
    terms = [str(term) for term in model.exog_names]
    response = str(model.endog_names)
    formula = getattr(model, "formula", None)
    if not isinstance(formula, str):
        formula = _formula(response, [t for t in terms if (kind.statsmodels, t) != ("NegativeBinomial", "alpha")])
    errors = _estimator(result, statistics)
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
    if errors is not None and published[:1] == ["se"]:
        given["errors"] = errors
    given |= {field: float(getattr(result, attribute)) for field, attribute in kind.attributes.items()}
    if type(model).__name__ == "GLM" and kind.links:
        given["link"] = kind.links[type(model.family.link).__name__]
    if type(model).__name__ == "GLM" and hasattr(kind, "information"):
        given["information"] = "expected"
    return kind(name=name, where=where, released=released, decimals=tuple(printed), **given)


def _fitted_model(result: Any) -> Any:
    model = getattr(result, "model", None)
    if model is None or not hasattr(result, "params") or not hasattr(result, "bse"):
        raise OutputError(
            f"a fitted model of statsmodels is needed, this is of the type {type(result).__name__!r}.",
            hint="Give what fit() returned, not the model.",
        )
    return model


def _estimator(result: Any, statistics: Sequence[str]) -> str | None:
    """What we call the estimator of the standard errors; None: another one, whose errors are not released."""
    errors = _ESTIMATORS.get(str(getattr(result, "cov_type", "nonrobust")))
    if errors is None and "se" in statistics:
        raise OutputError(
            f"standard errors of the type {result.cov_type!r} cannot be computed again, so they cannot be checked.",
            hint="Leave them out of what you release, and check the rest: statistics=('n',).",
        )
    return errors


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
    asked = [name for name in LABELS if name in statistics and name in _PRINTED and name != "loglik"]
    if type(model).__name__ == "GLM":
        asked = []  # its likelihoods and their degrees of freedom are counted otherwise
    found = [(name, getattr(result, CODES[name].removeprefix("model."), None)) for name in asked]
    return [(name, LABELS[name], float(value)) for name, value in found if value is not None and np.isfinite(value)]


def without_summaries(output: Output) -> Output:
    """The same regression without R² and log-likelihood, which follow from the data once the coefficients are right to
    more digits than are printed, and which no search reaches in a time that people wait."""
    fields: Any = vars(output)
    left_out = {"r2", "loglik"} & set(fields["statistics"])
    released, decimals = dict(fields["released"]), fields["decimals"]
    kept = [label for label in released if label not in left_out]
    return replace(
        output,
        released={label: released[label] for label in kept},
        decimals=tuple(d for label, d in zip(released, decimals, strict=True) if label not in left_out),
        statistics=tuple(s for s in fields["statistics"] if s not in left_out),  # type: ignore[call-arg]  # regressions
    )


def _kind(model: Any) -> type[Regression]:
    called = type(model).__name__
    if called == "GLM":
        family, link = type(model.family).__name__, type(model.family.link).__name__
        glms = [(kind, kind.as_glm) for kind in _REGRESSIONS if kind.as_glm is not None and kind.as_glm[0] == family]
        found = [kind for kind, named in glms if named[1] == link or link in kind.links]
        called = f"GLM with family {family} and link {link}"
    else:
        found = [kind for kind in _REGRESSIONS if kind.statsmodels == called]
    if not found:
        raise OutputError(
            f"{called} is not a model that Divulge has a kind for.",
            hint="It has OLS, QuantReg, Logit, Probit, Poisson, NegativeBinomial, MNLogit, and GLM of Gaussian, "
            "Binomial, Poisson, Gamma and InverseGaussian.",
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


def coefficient_figures(
    labels: Sequence[str], params: Any, errors: Any, decimals: int, se_decimals: int | None = -1
) -> dict[str, Any]:
    """Coefficients by label as a spec has them, with standard errors where they have decimals (−1: as many)."""
    places = decimals if se_decimals == -1 else se_decimals
    return {
        label: {"coef": f"{value:.{decimals}f}", "se": f"{se:.{places}f}"}
        if places is not None and np.isfinite(se)
        else f"{value:.{decimals}f}"
        for label, value, se in zip(
            labels, np.asarray(params, dtype=float).tolist(), np.asarray(errors, dtype=float).tolist(), strict=True
        )
    }


def _statistics(result: Any, model: Any) -> list[tuple[str, str, float | None]]:
    """R², log-likelihood and rows: what it is, how it is printed, its value."""
    if type(model).__name__ == "GLM":
        # A linear GLM has a likelihood of its own, with another estimate of the variance.
        is_linear = type(model.family).__name__ == "Gaussian"
        r2: tuple[str, str, float | None] = ("r2", "r2", None)
        loglik = None if is_linear else getattr(result, "llf", None)
    elif type(model).__name__ == "OLS":
        # Without a constant statsmodels' R² is another one.
        r2 = ("r2", "r2", result.rsquared if getattr(model, "k_constant", 1) else None)
        loglik = result.llf
    else:
        r2, loglik = ("r2", "pseudo r2", getattr(result, "prsquared", None)), result.llf
    return [r2, ("loglik", "loglik", loglik), ("n", "n", getattr(result, "nobs", None))]
