"""Gamma regression of a positive response, such as costs."""

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
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Gamma(Estimated):
    """Coefficients of a Gamma regression with a logarithmic link. Standard errors use Pearson's dispersion (McCullagh &
    Nelder 1989, 8.3.6), as R and statsmodels do."""

    kind: ClassVar[str] = "gamma"
    title: ClassVar[str] = "Gamma regression"
    ratio: ClassVar[str] = "ratio of means"
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    as_glm: ClassVar[tuple[str, str] | None] = ("Gamma", "Log")
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age as a positive amount, by sex and tenure",
            {"formula": "AGE ~ SEX + TENURE", "where": "AGE >= 1", "statistics": ["se", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `COST ~ AGE + C(AREA)`."]
    information: Annotated[
        Literal["expected", "observed"], "Standard errors by the expected information (R) or the observed (Stata)."
    ] = "expected"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return positive_response(formula, variable, counts)

    def curve(self) -> Curve:
        expected = (lambda rows, eta, extra: np.ones_like(eta)) if self.information == "expected" else None
        return Curve(
            lambda rows, eta, extra: -rows.y * np.exp(-eta) - eta,
            lambda rows, eta, extra: (rows.y * np.exp(-eta) - 1.0)[:, None],
            expected,
        )

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return start_at_mean(rows), np.zeros(n_further)

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        return pearson(rows, eta, n_fitted, 2.0)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """y e^−η − 1."""
        name = model.formula.response.variable
        return Piece("exp", {name: model.y}, scale=-1.0), Piece(
            "one", {name: np.where(np.isfinite(model.y), -1.0, np.nan)}
        )

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model":
            return None
        family = "sm.families.Gamma(sm.families.links.Log())"
        return [f"model = smf.glm({self.formula!r}, rows, family={family}).fit(tol=1e-12)", *self.figures_code()]
