"""What Gamma and inverse Gaussian regressions share: their variance is the mean to a power, any link will do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.mean_curves import MeanCurve
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import LINKS, Link, PositiveMeans, check_ratios, positive_response
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class PositiveModel(Estimated):
    """A regression of a positive response. power: the variance is the mean to this power."""

    power: ClassVar[float]
    ratio: ClassVar[str] = "ratio of means"
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    links: ClassVar[Mapping[str, str]] = LINKS

    formula: Annotated[str, "The model, as in `COST ~ AGE + C(AREA)`."]
    information: Annotated[
        Literal["expected", "observed"], "Standard errors by the expected information (R) or the observed (Stata)."
    ] = "expected"

    link: Annotated[
        Link, "How the mean follows from the predictor: log, inverse (R's own for Gamma), identity, inverse-squared."
    ] = "log"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ratios(self.link, self.exponentiated, self.statistics)

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return positive_response(formula, variable, counts)

    def _means(self) -> PositiveMeans:
        return PositiveMeans(self.link, self.power, self.information == "expected")

    def mean_curve(self, further: Floats) -> MeanCurve:
        return self._means().mean_curve()

    def curve(self) -> Curve:
        return self._means().curve()

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return self._means().start(rows), np.zeros(n_further)

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        return self._means().dispersion(rows, eta, n_fitted)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        return self._means().pieces(model.formula.response.variable, model.y)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model" or self.as_glm is None:
            return None
        links = {link: name for name, link in LINKS.items()}
        family = f"sm.families.{self.as_glm[0]}(sm.families.links.{links[self.link]}())"
        return [f"model = smf.glm({self.formula!r}, rows, family={family}).fit(tol=1e-12)", *self.figures_code()]
