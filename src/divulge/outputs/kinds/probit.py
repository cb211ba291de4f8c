"""Probit regression of a two-valued response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from scipy.special import log_ndtr

from divulge.kernels.arrays import Floats
from divulge.outputs.mean_curves import PROBIT, MeanCurve
from divulge.outputs.models.binary import binary_response, recoded
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.smooth_scores import GRID, nearly
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Probit(Estimated):
    """Coefficients of a probit regression (Bliss 1935). The second value of the response counts as 1."""

    kind: ClassVar[str] = "probit"
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"probit": {}}
    title: ClassVar[str] = "Probit regression"
    statsmodels: ClassVar[str] = "Probit"
    as_glm: ClassVar[tuple[str, str] | None] = ("Binomial", "Probit")
    has_likelihood: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Who rents, by age and sex", {"formula": "TENURE ~ AGE + SEX", "statistics": ["se", "n"]}),
    )

    formula: Annotated[str, "The model, as in `TENURE ~ AGE + C(AREA)`."]
    event: Annotated[str | None, "The value of the response that counts as 1; by default the second of two."] = None
    information: Annotated[
        Literal["expected", "observed"], "Standard errors by the observed information (Stata) or the expected (R)."
    ] = "observed"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return binary_response(self.event, formula, variable, counts)

    def mean_curve(self, further: Floats) -> MeanCurve:
        return PROBIT

    def curve(self) -> Curve:
        return Curve(
            lambda rows, eta, extra: np.asarray(log_ndtr(_signed(rows.y) * eta)),
            lambda rows, eta, extra: (_signed(rows.y) * _mills(_signed(rows.y) * eta))[:, None],
            (lambda rows, eta, extra: _mills(eta) * _mills(-eta)) if self.information == "expected" else None,
        )

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        sign = np.where(np.isfinite(model.y), _signed(model.y), np.nan)
        return nearly(model.formula.response.variable, sign[:, None] * _mills(sign[:, None] * GRID))

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model":
            return None
        made = recoded(self.formula, self.event, schema)
        if made is None:
            return None
        code, formula = made
        return [*code, f"model = smf.probit({formula!r}, rows).fit(disp=0, maxiter=100)", *self.figures_code()]


def _signed(y: Floats) -> Floats:
    return 2.0 * y - 1.0


def _mills(x: Floats) -> Floats:
    """φ/Φ, by logarithms so that it does not divide by nothing."""
    return np.asarray(np.exp(-0.5 * x * x - 0.5 * np.log(2.0 * np.pi) - log_ndtr(x)))
