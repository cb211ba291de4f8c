"""Complementary log-log regression of a two-valued response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.mean_curves import CLOGLOG, MeanCurve
from divulge.outputs.models.binary import binary_response
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.smooth_scores import GRID, nearly
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Cloglog(Estimated):
    """Coefficients of a regression with the link log(−log(1 − p)) (Fisher 1922): log hazards of grouped times."""

    kind: ClassVar[str] = "cloglog"
    title: ClassVar[str] = "Complementary log-log regression"
    ratio: ClassVar[str] = "hazard ratio"
    as_glm: ClassVar[tuple[str, str] | None] = ("Binomial", "CLogLog")
    has_likelihood: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Who rents, by sex and illness", {"formula": "TENURE ~ SEX + LTILL", "statistics": ["se"]}),
    )

    formula: Annotated[str, "The model, as in `ILL ~ AGE + C(AREA)`."]
    event: Annotated[str | None, "The value of the response that counts as 1; by default the second of two."] = None
    information: Annotated[
        Literal["expected", "observed"], "Standard errors by the expected information (R) or the observed (Stata)."
    ] = "expected"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return binary_response(self.event, formula, variable, counts)

    def mean_curve(self, further: Floats) -> MeanCurve:
        return CLOGLOG

    def curve(self) -> Curve:
        return Curve(_value, _gradient, _expected if self.information == "expected" else None)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """e^η/(e^(e^η) − 1) where y is 1, which is matched; −e^η where it is 0, which is exact."""
        name, known = model.formula.response.variable, np.isfinite(model.y)
        targets = np.where((model.y == 1.0)[:, None], _of_one(GRID), 0.0)
        matched = nearly(name, np.where(known[:, None], targets, np.nan))
        return (*matched, Piece("exp", {name: np.where(known, -1.0 * (model.y == 0.0), np.nan)}))


def _of_one(eta: Floats) -> Floats:
    """The score of a row with y = 1."""
    raised = np.exp(np.minimum(eta, 6.0))  # e^−403 is nothing
    return np.asarray(raised / np.expm1(raised))


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    raised = np.exp(eta)
    return np.where(rows.y == 1.0, np.log(-np.expm1(-raised)), -raised)


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    return np.where(rows.y == 1.0, _of_one(eta), -np.exp(eta))[:, None]


def _expected(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    """(dμ/dη)² / μ(1 − μ)."""
    return np.exp(eta) * _of_one(eta)
