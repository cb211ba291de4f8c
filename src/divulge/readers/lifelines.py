"""Outputs from fitted models of lifelines, read by their attributes: lifelines itself is never imported.

Figures are taken as its summary prints them: coefficients and standard errors to 2 decimals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.kinds.weibull import Weibull
from divulge.outputs.output import Output
from divulge.readers.statsmodels import formula_of_terms

DECIMALS = 2
"""Of a summary of lifelines."""


def from_lifelines(
    fitter: Any, *, name: str | None = None, where: str | None = None, decimals: int = DECIMALS, observed: str = "1"
) -> Output:
    """The output that a fitted CoxPHFitter or WeibullAFTFitter is.

    observed: the value that says that the event was seen.
    where: the condition by which the rows were chosen, where it was not fitted to the whole frame.
    """
    called = type(fitter).__name__
    if called not in ("CoxPHFitter", "WeibullAFTFitter") or not hasattr(fitter, "params_"):
        raise OutputError(
            f"a fitted CoxPHFitter or WeibullAFTFitter of lifelines is needed, this is of the type {called!r}.",
            hint="Give the fitter after fit().",
        )
    # Where times are tied, its robust and clustered errors are other than those of R and Stata.
    if any(getattr(fitter, name, None) for name in ("weights_col", "cluster_col", "robust")):
        raise OutputError(
            "the model has weights, clusters or robust errors, which are not read from lifelines.",
            hint="Describe the output in a spec.",
        )
    if getattr(fitter, "baseline_estimation_method", "breslow") != "breslow":
        raise OutputError("the baseline is a spline or in pieces, which Divulge has no kind for.")
    if float(np.max(np.abs(getattr(fitter, "penalizer", 0.0)))) > 0.0:
        raise OutputError("the model is penalised, which Divulge has no kind for.")
    figures = [
        (label, float(value), float(error))
        for label, value, error in zip(fitter.params_.index, fitter.params_, fitter.standard_errors_, strict=True)
    ]
    fields: dict[str, Any] = {"event": str(fitter.event_col), "observed": observed}
    if called == "CoxPHFitter":
        found = [(str(label), value, error) for label, value, error in figures]
        fields["strata"] = tuple(fitter.strata or ()) if not isinstance(fitter.strata, str) else (fitter.strata,)
        fields |= {"entry": fitter.entry_col} if getattr(fitter, "entry_col", None) else {}
        kind: type[Cox] | type[Weibull] = Cox
    else:
        # Theirs is the log of 1/σ.
        found = [(str(term), value, error) for (part, term), value, error in figures if part == "lambda_"]
        shapes = [("log(scale)", -value, error) for (part, _), value, error in figures if part == "rho_"]
        if len(shapes) > 1 or getattr(fitter, "entry_col", None):
            raise OutputError("Weibull models are read with one shape, without `ancillary` and late entries.")
        found += shapes
        kind = Weibull
    terms = [term for term, _, _ in found if term != "log(scale)"]
    formula = getattr(fitter, "formula", None)
    if isinstance(formula, str):
        right = formula
    else:
        right = formula_of_terms("y", ["Intercept", *(t for t in terms if t != "Intercept")]).partition("~ ")[2]
    released: dict[str, Any] = {
        label: {"coef": f"{value:.{decimals}f}", "se": f"{error:.{decimals}f}"} for label, value, error in found
    }
    released["n"] = len(fitter.event_observed)
    fields |= {"formula": f"{fitter.duration_col} ~ {right}", "statistics": ("se", "n"), "se_decimals": decimals}
    return kind(name=name, where=where, released=released, decimals=(*[decimals] * len(found), 0), **fields)
