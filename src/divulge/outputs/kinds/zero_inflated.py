"""Zero-inflated Poisson regression of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import expit, gammaln, logit

from divulge.kernels.arrays import Floats
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import count_response, start_at_mean
from divulge.outputs.models.smooth_scores import GRID, nearly
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class ZeroInflated(Estimated):
    """Coefficients (log rates) of a Poisson regression in which some rows are 0 whatever their rate (Lambert 1992), and
    the log odds of these, `inflate`, the same for all rows: as zip, zeroinfl(y ~ x | 1) and ZeroInflatedPoisson have
    it. It is lowered: what 0s add to the score is matched within some thousandths, and the fit is exact."""

    kind: ClassVar[str] = "zero-inflated"
    title: ClassVar[str] = "Zero-inflated Poisson regression"
    ratio: ClassVar[str] = "rate ratio"
    has_likelihood: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Weeks worked, by sex",
            {"formula": "weeks_worked ~ sex", "statistics": ["se", "n"], "decimals": 3},
            data="cps",
        ),
    )

    formula: Annotated[str, "The model of the rate, as in `VISITS ~ AGE + C(AREA)`."]

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return count_response(formula, variable, counts)

    def further(self, schema: Schema) -> tuple[str, ...]:
        return ("inflate",)

    def curve(self) -> Curve:
        return Curve(_value, _gradient)

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        share = float(np.average(rows.y == 0.0, weights=rows.weight))
        return start_at_mean(rows), np.array([logit(min(max(share, 0.05), 0.95))])

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """y − e^η where y is above 0, which is exact; what a 0 adds is matched about a rate of e."""
        name, y, known = model.formula.response.variable, model.y, np.isfinite(model.y)
        above = np.where(known, 1.0 * (y > 0.0), np.nan)
        odds = float(further[0])
        of_rate, of_odds = _of_zero(GRID + 1.0, odds)
        is_zero = np.where(known, 1.0 * (y == 0.0), np.nan)[:, None]
        return (
            Piece("one", {name: y}),
            Piece("exp", {name: -above}),
            *nearly(name, is_zero * of_rate, 1.0),
            Piece("one", {name: -above * expit(odds)}, parameter=0),
            *nearly(name, is_zero * of_odds, 1.0, parameter=0),
        )


def _of_zero(eta: Floats, odds: Floats | float) -> tuple[Floats, Floats]:
    """∂ log(π + (1 − π) e^−μ) by η and by the log odds of π."""
    mu, share = np.exp(np.minimum(eta, 30.0)), expit(odds)
    none = np.exp(-mu)
    whole = share + (1.0 - share) * none
    return -(1.0 - share) * mu * none / whole, share * (1.0 - share) * (1.0 - none) / whole


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    share = expit(extra[0])
    zero = np.log(share + (1.0 - share) * np.exp(-np.exp(eta)))
    above = np.log1p(-share) + rows.y * eta - np.exp(eta) - gammaln(rows.y + 1.0)
    return np.where(rows.y == 0.0, zero, above)


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    of_rate, of_odds = _of_zero(eta, extra[0])
    is_zero = rows.y == 0.0
    return np.stack(
        [np.where(is_zero, of_rate, rows.y - np.exp(eta)), np.where(is_zero, of_odds, -expit(extra[0]))], axis=1
    )
