"""Gamma regression of a positive response, such as costs."""

from __future__ import annotations

from collections.abc import Mapping
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
from divulge.outputs.models.positive import LINKS, Link, PositiveMeans, check_ratios, positive_response
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Gamma(Estimated):
    """Coefficients of a Gamma regression, with a logarithmic link unless said otherwise. Standard errors use Pearson's
    dispersion (McCullagh & Nelder 1989, 8.3.6), as R and statsmodels do."""

    kind: ClassVar[str] = "gamma"
    title: ClassVar[str] = "Gamma regression"
    ratio: ClassVar[str] = "ratio of means"
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    as_glm: ClassVar[tuple[str, str] | None] = ("Gamma", "Log")
    links: ClassVar[Mapping[str, str]] = LINKS
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

    link: Annotated[
        Link, "How the mean follows from the predictor: log, inverse (R's own for Gamma), identity, inverse-squared."
    ] = "log"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ratios(self.link, self.exponentiated, self.statistics)

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return positive_response(formula, variable, counts)

    def _means(self) -> PositiveMeans:
        return PositiveMeans(self.link, 2.0, self.information == "expected")

    def curve(self) -> Curve:
        return self._means().curve()

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return self._means().start(rows), np.zeros(n_further)

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        return self._means().dispersion(rows, eta, n_fitted)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        return self._means().pieces(model.formula.response.variable, model.y)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model":
            return None
        links = {link: name for name, link in LINKS.items()}
        family = f"sm.families.Gamma(sm.families.links.{links[self.link]}())"
        return [f"model = smf.glm({self.formula!r}, rows, family={family}).fit(tol=1e-12)", *self.figures_code()]
