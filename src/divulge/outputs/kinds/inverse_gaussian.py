"""Inverse Gaussian regression of a positive response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import pearson, positive_response, start_at_mean
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class InverseGaussian(Estimated):
    """Coefficients of an inverse Gaussian regression with a logarithmic link (McCullagh & Nelder 1989)."""

    kind: ClassVar[str] = "inverse-gaussian"
    title: ClassVar[str] = "Inverse Gaussian regression"
    ratio: ClassVar[str] = "ratio of means"
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    as_glm: ClassVar[tuple[str, str] | None] = ("InverseGaussian", "Log")
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age of adults by sex", {"formula": "AGE ~ SEX", "where": "AGE >= 18", "statistics": ["se"]}),
    )

    formula: Annotated[str, "The model, as in `COST ~ AGE + C(AREA)`."]
    information: Annotated[
        Literal["expected", "observed"], "Standard errors by the expected information (R) or the observed (Stata)."
    ] = "expected"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return positive_response(formula, variable, counts)

    def curve(self) -> Curve:
        return Curve(
            lambda rows, eta, extra: np.exp(-eta) - rows.y * np.exp(-2.0 * eta) / 2.0,
            lambda rows, eta, extra: (rows.y * np.exp(-2.0 * eta) - np.exp(-eta))[:, None],
            (lambda rows, eta, extra: np.exp(-eta)) if self.information == "expected" else None,
        )

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return start_at_mean(rows), np.zeros(n_further)

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        return pearson(rows, eta, n_fitted, 3.0)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """y e^−2η − e^−η."""
        name = model.formula.response.variable
        known = np.where(np.isfinite(model.y), -1.0, np.nan)
        return Piece("exp", {name: model.y}, scale=-2.0), Piece("exp", {name: known}, scale=-1.0)
