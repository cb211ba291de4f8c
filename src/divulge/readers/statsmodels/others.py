"""Results of statsmodels with more than coefficients: thresholds, variances, what makes rows 0; and tables of anova_lm.

Figures are taken as they are printed: those of MixedLM to 3 decimals and its scale to 4, tables as pandas shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.kinds.anova import RESIDUAL, Anova, Shown
from divulge.outputs.kinds.ordered_logit import OrderedLogit
from divulge.outputs.kinds.ordered_probit import OrderedProbit
from divulge.outputs.kinds.random_intercept import RandomIntercept
from divulge.outputs.kinds.zero_inflated import ZeroInflated
from divulge.outputs.output import Output
from divulge.outputs.released.precision import MOST_DECIMALS
from divulge.readers.statsmodels.asked import Asked
from divulge.readers.statsmodels.figures import (
    DECIMALS,
    INTERCEPTS,
    SE_DECIMALS,
    coefficient_figures,
    formula_of_terms,
)
from divulge.table.variable import value_text

_MIXED_DECIMALS = 3
"""Of coefficients, standard errors and variances of groups in a summary of MixedLM."""

_SHOWN: Mapping[str, Shown] = {"df": "df", "sum_sq": "sum sq", "mean_sq": "mean sq", "F": "F", "PR(>F)": "p"}
"""Columns of anova_lm, by what we call them."""

_PANDAS_DECIMALS = 6
"""Of numbers in a frame that pandas shows."""


def read_anova(table: Any, said: Asked) -> Output:
    """What anova_lm(fit, typ) gives. Its terms come in the order in which they were fitted."""
    columns = [str(column) for column in table.columns]
    if "sum_sq" not in columns:
        raise OutputError(
            "a table of anova_lm is read for one model, with sums of squares.",
            hint="Say anova_lm(fit, typ=2), which has a line for each term; a comparison of models is judged by hand.",
        )
    terms = [str(term) for term in table.index if term != "Intercept"]
    orders = [term.count(":") for term in terms]
    if "mean_sq" in columns and orders[:-1] != sorted(orders[:-1]):
        raise OutputError(
            "statsmodels adds numbers after interactions of categories; of type 1 Divulge reads main effects first.",
            hint="Say anova_lm(fit, typ=2), whose figures do not depend on the order.",
        )
    if said.response is None:
        raise OutputError(
            "a table of anova_lm does not say which variable is its response.",
            hint="Say so: check(data, divulge.from_statsmodels(anova_lm(fit), response='wage')).",
        )
    places = _PANDAS_DECIMALS if said.decimals is None else said.decimals
    released, printed = {}, []
    for term in terms:
        for column in columns:
            if term != RESIDUAL or column not in ("F", "PR(>F)"):
                printed.append(0 if column == "df" else places)
                released[f"{_SHOWN[column]} | {term}"] = f"{float(table.loc[term, column]):.{printed[-1]}f}"
    return Anova(
        name=said.name,
        where=said.where,
        formula=formula_of_terms(said.response, ["Intercept", *(t for t in terms if t != RESIDUAL)]),
        type=1 if "mean_sq" in columns else 3 if "Intercept" in table.index else 2,
        show=tuple(_SHOWN[column] for column in columns),
        released=released,
        decimals=tuple(printed),
    )


def _fields(said: Asked, released: dict[str, Any], printed: list[int], result: Any, se: int) -> dict[str, Any]:
    """What all have; released, printed: what they hold beside the number of rows."""
    unknown = [statistic for statistic in said.statistics if statistic not in ("se", "n")]
    if unknown:
        raise OutputError(f"{unknown[0]!r} is not read from this model.", hint="Say statistics=('se', 'n').")
    if not all(np.isfinite(float(v["coef"] if isinstance(v, dict) else v)) for v in released.values()):
        raise OutputError("some coefficients are not known.", hint="Did the fit converge, and are there enough rows?")
    published = tuple(statistic for statistic in ("se", "n") if statistic in said.statistics)
    if "n" in published:
        released, printed = released | {"n": int(result.nobs)}, [*printed, 0]
    shown: dict[str, Any] = {"released": released, "decimals": tuple(printed), "statistics": published}
    return {"name": said.name, "where": said.where, "se_decimals": se, **shown}


def _digits(said: Asked, places: int = DECIMALS, se_places: int = SE_DECIMALS) -> tuple[int, int]:
    """Decimals of coefficients and of standard errors."""
    return (
        places if said.decimals is None else said.decimals,
        se_places if said.se_decimals is None else said.se_decimals,
    )


def _formula_of(model: Any, terms: list[str]) -> str:
    formula = getattr(model, "formula", None)
    return formula if isinstance(formula, str) else formula_of_terms(str(model.endog_names), terms)


def _ordered(result: Any, model: Any, said: Asked, errors: Mapping[str, Any]) -> Output:
    """Thresholds as R and Stata print them. statsmodels prints the first, then logs of the distances between them."""
    kind = {"logistic": OrderedLogit, "norm": OrderedProbit}.get(getattr(model.distr, "name", ""))
    if kind is None:
        raise OutputError("OrderedModel is read as logit or probit.", hint="Say distr='logit' or distr='probit'.")
    k = int(model.k_vars)
    params, covariance = np.asarray(result.params, dtype=float), np.asarray(result.cov_params(), dtype=float)
    steps = np.exp(params[k + 1 :])
    # The derivatives of thresholds: of each in the first and in the distances below it.
    slopes = np.tril(np.ones((len(steps) + 1, len(steps) + 1))) * np.append(1.0, steps)
    cuts = params[k] + np.append(0.0, np.cumsum(steps))
    of_cuts = np.sqrt(np.diagonal(slopes @ covariance[k:, k:] @ slopes.T))
    places, se_places = _digits(said)
    # The log of a distance under 1 says more digits of it than it has itself.
    finer = places + max(0, int(np.ceil(-np.log10(steps.min(initial=1.0)))))
    of_cut = min(finer, MOST_DECIMALS)
    terms = [str(term) for term in model.exog_names[:k]]
    se = se_places if "se" in said.statistics else None
    released = coefficient_figures(terms, params[:k], np.asarray(result.bse, dtype=float)[:k], places, se)
    released |= coefficient_figures([f"cut{i + 1}" for i in range(len(cuts))], cuts, of_cuts, of_cut, se)
    return kind(
        formula=_formula_of(model, ["Intercept", *terms]),
        order=tuple(value_text(v.item() if isinstance(v, np.generic) else v) for v in model.labels),
        **errors,
        **_fields(said, released, [*[places] * k, *[of_cut] * len(cuts)], result, se_places),
    )


def _mixed(result: Any, model: Any, said: Asked, errors: Mapping[str, Any]) -> Output:
    """Standard errors of variances are left out: those that the summary prints are of their ratio, times a root."""
    del errors
    if model.k_vc or model.k_re != 1 or not np.all(np.asarray(model.exog_re) == 1.0):
        raise OutputError(
            "MixedLM is read with a random intercept alone.",
            hint="Describe a model with random slopes in a spec, as kind random-slope.",
        )
    group = said.variable("groups", model.groups, model)
    places, se_places = _digits(said, _MIXED_DECIMALS, _MIXED_DECIMALS)
    terms = [str(term) for term in model.exog_names]
    se = se_places if "se" in said.statistics else None
    of_groups = _errors_of_groups(result, model)
    if se is not None and not np.all(np.abs(of_groups - np.asarray(result.bse_fe)) < 0.5 * 10.0**-se_places):
        raise OutputError(
            "the standard errors of the fit are not those of weighted least squares given its variances.",
            hint="statsmodels' MixedLM has others where groups are few. Leave them out: "
            "divulge.from_statsmodels(result, statistics=('n',)).",
        )
    released = coefficient_figures(terms, result.fe_params, result.bse_fe, places, se)
    of_scale = places + 1 if said.decimals is None else places
    released[f"variance of {group}"] = f"{float(np.asarray(result.cov_re)[0, 0]):.{places}f}"
    released["residual variance"] = f"{float(result.scale):.{of_scale}f}"
    return RandomIntercept(
        formula=_formula_of(model, terms),
        group=group,
        likelihood="reml" if result.reml else "ml",
        **_fields(said, released, [*[places] * (len(terms) + 1), of_scale], result, se_places),
    )


def _errors_of_groups(result: Any, model: Any) -> Floats:
    """Standard errors given the variances, as R and Stata have them: (X'V⁻¹X)⁻¹."""
    x, scale = np.asarray(model.exog, dtype=float), float(result.scale)
    _, group = np.unique(np.asarray(model.groups), return_inverse=True)
    sums = np.zeros((int(group.max(initial=0)) + 1, x.shape[1]))
    np.add.at(sums, group, x)
    ratio = float(np.asarray(result.cov_re)[0, 0]) / scale
    shrunken = ratio / (1.0 + ratio * np.bincount(group))
    return np.sqrt(scale * np.diagonal(np.linalg.inv(x.T @ x - sums.T @ (sums * shrunken[:, None]))))


def _zero_inflated(result: Any, model: Any, said: Asked, errors: Mapping[str, Any]) -> Output:
    if model.inflation != "logit" or not np.all(np.asarray(model.exog_infl) == 1.0) or model.k_inflate != 1:
        raise OutputError(
            "zero-inflated models are read where all rows have the same odds to be 0 anyway.",
            hint="Leave exog_infl out, with inflation='logit'.",
        )
    params, bse = np.asarray(result.params, dtype=float), np.asarray(result.bse, dtype=float)
    places, se_places = _digits(said)
    own = np.sqrt(np.diagonal(result.normalized_cov_params))  # from which robust ones are made too
    if "se" in said.statistics and not np.all(np.abs(_errors_by_score(model, params) - own) < 10.0**-se_places):
        raise OutputError(
            "the standard errors of the fit are not those of its likelihood, so they cannot be computed again.",
            hint="statsmodels' ZeroInflatedPoisson has others where rates are small. Leave them out: "
            "divulge.from_statsmodels(result, statistics=('n',)).",
        )
    names = ["inflate", *(str(term) for term in model.exog_names[1:])]
    is_overdispersed = names[-1] == "alpha" and len(names) == np.shape(model.exog)[1] + 2
    n = len(names) - is_overdispersed
    order = [*range(1, n), 0, *range(n, len(names))]
    se = se_places if "se" in said.statistics else None
    released = coefficient_figures([names[i] for i in order], params[order], bse[order], places, se)
    return ZeroInflated(
        formula=_formula_of(model, [name if name not in INTERCEPTS else "Intercept" for name in names[1:n]]),
        counts="negative-binomial" if is_overdispersed else "poisson",
        **errors,
        **_fields(said, released, [places] * len(order), result, se_places),
    )


def _errors_by_score(model: Any, params: Floats) -> Floats:
    """Standard errors by the curvature of the likelihood, from differences of its score."""
    steps = 1e-5 * np.maximum(np.abs(params), 1e-2)  # far above rounding, far below what bends the score
    ends = [
        (model.score(params + move) - model.score(params - move)) / (2.0 * step)
        for move, step in zip(np.diag(steps), steps, strict=True)
    ]
    with np.errstate(invalid="ignore"):
        return np.sqrt(np.diagonal(np.linalg.pinv(-np.array(ends))))


OTHERS: Mapping[str, Callable[[Any, Any, Asked, Mapping[str, Any]], Output]] = {
    "OrderedModel": _ordered,
    "MixedLM": _mixed,
    "ZeroInflatedPoisson": _zero_inflated,
    "ZeroInflatedNegativeBinomialP": _zero_inflated,
}
"""By the model's class in statsmodels."""
