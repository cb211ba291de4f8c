"""Outputs from fitted models of linearmodels, read by their attributes: linearmodels itself is never imported.

Figures are taken as its summary prints them: coefficients and standard errors to 4 decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.errors import OutputError
from divulge.outputs.kinds.fixed_effects import FixedEffects
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.two_stage import TwoStage
from divulge.outputs.output import Output
from divulge.readers.statsmodels import INTERCEPTS, coefficient_figures, formula_of_terms

DECIMALS = 4
"""Of a summary of linearmodels."""


def from_linearmodels(
    result: Any, *, name: str | None = None, where: str | None = None, decimals: int = DECIMALS
) -> Output:
    """The output that a fitted IV2SLS, OLS or PanelOLS with entity effects is.

    where: the condition by which the rows were chosen, where it was not fitted to the whole frame.
    """
    model: Any = getattr(result, "model", None)
    called = type(model).__name__
    if called not in ("IV2SLS", "_OLS", "OLS", "PanelOLS") or not hasattr(result, "std_errors"):
        raise OutputError(
            f"a fitted IV2SLS, OLS or PanelOLS of linearmodels is needed, this is of {called!r}.",
            hint="Give what fit() returned; describe others in a spec.",
        )
    terms = [str(term) for term in result.params.index]
    released = coefficient_figures(terms, result.params, result.std_errors, decimals)
    released["n"] = int(result.nobs)
    fields: dict[str, Any] = {
        "released": released,
        "decimals": (*[decimals] * len(terms), 0),
        "se_decimals": decimals,
        "statistics": ("se", "n"),
    }
    if called == "PanelOLS":
        return FixedEffects(name=name, where=where, **fields, **_panel(result, model, terms))
    if (model.weights.ndarray != model.weights.ndarray[0]).any():
        raise OutputError("the model has weights, which are not read from linearmodels.")
    response, endogenous = str(model.dependent.cols[0]), list(model.endog.cols)
    fields |= {"formula": formula_of_terms(response, terms), "errors": _errors(result)}
    if not endogenous:
        if not result.debiased and fields["errors"] == "model":
            raise OutputError(
                "its standard errors divide by n, which those of a linear regression do not.",
                hint="Fit it by fit(debiased=True), or check what statsmodels gives.",
            )
        return Linear(name=name, where=where, **fields)
    exogenous = [*model.exog.cols, *model.instruments.cols]
    instruments = formula_of_terms(response, [str(term) for term in exogenous]).partition("~ ")[2]
    fields |= {"instruments": instruments, "scale": "n-k" if result.debiased else "n"}
    return TwoStage(name=name, where=where, **fields)


def _errors(result: Any) -> str:
    kind = str(result.cov_type)
    if kind == "unadjusted":
        return "model"
    if kind == "robust":
        return "HC1" if result.debiased else "HC0"
    raise OutputError(f"standard errors of the type {kind!r} are not read.", hint="Use unadjusted or robust ones.")


def _panel(result: Any, model: Any, terms: Sequence[str]) -> dict[str, Any]:
    if not model.entity_effects or model.time_effects or getattr(model, "other_effects", False):
        raise OutputError(
            "PanelOLS is read with entity effects alone.",
            hint="Time effects may be a category: C(year) in the formula.",
        )
    if str(result._cov_type) != "Unadjusted":
        raise OutputError("PanelOLS is read with cov_type='unadjusted'.")
    if (model.weights.values2d != model.weights.values2d[0]).any():
        raise OutputError("the model has weights, which are not read from linearmodels.")
    response = str(model.dependent.vars[0])
    kept = [term for term in terms if term not in INTERCEPTS]
    return {
        "formula": formula_of_terms(response, ["Intercept", *kept]),
        "absorb": str(model.dependent.dataframe.index.names[0]),
    }
