"""Negative binomial regression of counts that vary more than Poisson's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.mean_curves import MeanCurve, overdispersed
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.overdispersed import nb_gradient, nb_pieces, nb_value, start_of_alpha
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import count_response, start_at_mean
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class NegativeBinomial(Estimated):
    """Coefficients (log rates) and α of a negative binomial regression with variance μ + αμ² (NB2: Lawless 1987).

    R prints θ = 1/α; the doors turn it over.
    """

    kind: ClassVar[str] = "negative-binomial"
    title: ClassVar[str] = "Negative binomial regression"
    ratio: ClassVar[str] = "rate ratio"
    statsmodels: ClassVar[str] = "NegativeBinomial"
    has_likelihood: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age as a count, by sex and illness", {"formula": "AGE ~ SEX + LTILL", "statistics": ["se", "n"]}),
    )

    formula: Annotated[str, "The model, as in `VISITS ~ AGE + C(AREA)`."]
    information: Annotated[
        Literal["expected", "observed"],
        "Standard errors by the observed information (Stata, statsmodels) or expected (R).",
    ] = "observed"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return count_response(formula, variable, counts)

    def further(self, schema: Schema) -> tuple[str, ...]:
        return ("alpha",)

    def range_of(self, label: str) -> tuple[float, float]:
        return 0.0, np.inf

    def mean_curve(self, further: Floats) -> MeanCurve | None:
        return overdispersed(float(further[0])) if np.isfinite(further[0]) else None

    def curve(self) -> Curve:
        return Curve(
            lambda rows, eta, extra: nb_value(rows, eta, float(extra[0])),
            lambda rows, eta, extra: nb_gradient(rows, eta, float(extra[0])),
            (lambda rows, eta, extra: np.exp(eta) / (1.0 + extra[0] * np.exp(eta)))
            if self.information == "expected"
            else None,
            positive=1,
        )

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return start_at_mean(rows), np.array([start_of_alpha(rows)])

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        return nb_pieces(model.formula.response.variable, model.y, float(further[0]), 0)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model":
            return None
        fit = f"smf.negativebinomial({self.formula!r}, rows).fit(disp=0, maxiter=500, method='newton')"
        return [f"model = {fit}", *self.figures_code()]
