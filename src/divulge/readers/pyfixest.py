"""Outputs from fitted models of pyfixest, read by their attributes: pyfixest itself is never imported.

Figures are taken as its summary prints them: coefficients and standard errors to 3 decimals.
"""

from __future__ import annotations

from typing import Any

from divulge.errors import OutputError
from divulge.outputs.kinds.fixed_effects import FixedEffects
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.two_stage import TwoStage
from divulge.outputs.output import Output
from divulge.readers.statsmodels import coefficient_figures

DECIMALS = 3
"""Of a summary of pyfixest."""

_ERRORS = {"iid": "model", "HC1": "HC1", "HC2": "HC2", "HC3": "HC3"}
"""By what pyfixest calls its kinds of covariance."""


def from_pyfixest(fit: Any, *, name: str | None = None, where: str | None = None, decimals: int = DECIMALS) -> Output:
    """The output that a model fitted by feols is: without fixed effects, with one, or with instruments.

    where: the condition by which the rows were chosen, where it was not fitted to the whole frame.
    """
    called = type(fit).__name__
    if called not in ("Feols", "Feiv"):
        raise OutputError(
            f"one model fitted by feols is needed, this is of the type {called!r}.",
            hint="Of several give them one by one; describe others in a spec.",
        )
    if fit._has_weights:
        raise OutputError("the model has weights, which are not read from pyfixest.")
    terms = [str(term) for term in fit.coef().index]
    released = coefficient_figures(terms, fit.coef(), fit.se(), decimals)
    released["n"] = int(fit._N)
    fields: dict[str, Any] = {
        "released": released,
        "decimals": (*[decimals] * len(terms), 0),
        "se_decimals": decimals,
        "statistics": ("se", "n"),
        **_errors(fit),
    }
    parts = [part.strip() for part in str(fit._fml).split("|")]
    absorbed = [
        effect.strip() for effect in str(fit._fixef or "").split("+") if effect.strip() not in ("", "None", "0")
    ]
    if len(absorbed) > 1 or (absorbed and called == "Feiv"):
        raise OutputError(
            "models with one set of fixed effects, and without instruments then, are read.",
            hint="A further set may be a category: C(year) in the formula.",
        )
    if called == "Feiv":
        endogenous, instruments = (side.strip() for side in parts[-1].split("~"))
        exogenous = parts[0].partition("~")[2].strip()
        fields |= {
            "formula": f"{parts[0]} + {endogenous}",
            "instruments": f"{exogenous} + {instruments}",
            "scale": "n-k",
        }
        return TwoStage(name=name, where=where, **fields)
    if absorbed:
        return FixedEffects(name=name, where=where, formula=parts[0], absorb=absorbed[0], **fields)
    return Linear(name=name, where=where, formula=parts[0], **fields)


def _errors(fit: Any) -> dict[str, Any]:
    # What it calls hetero is HC1; with fixed effects it counts parameters in another way.
    detail = "HC1" if fit._vcov_type_detail == "hetero" and not fit._fixef else str(fit._vcov_type_detail)
    clusters = [str(one) for one in fit._clustervar or ()]
    if detail == "CRV1" and len(clusters) == 1 and not fit._fixef:
        return {"errors": "cluster", "cluster": clusters[0]}
    if detail in _ERRORS:
        return {"errors": _ERRORS[detail]}
    raise OutputError(
        f"standard errors of the type {detail} are not read here.", hint="Use iid, HC1 to HC3, or one set of clusters."
    )
