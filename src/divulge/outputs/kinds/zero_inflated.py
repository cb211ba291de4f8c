"""Zero-inflated regression of counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy.special import expit, gammaln, logit

from divulge.kernels.arrays import Floats
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.overdispersed import nb_gradient, nb_pieces, nb_value, start_of_alpha
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import count_response, start_at_mean
from divulge.outputs.models.smooth_scores import GRID, nearly
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class ZeroInflated(Estimated):
    """Coefficients (log rates) of a Poisson regression in which some rows are 0 whatever their rate (Lambert 1992), and
    the log odds of these, `inflate`, the same for all rows: as zip, zeroinfl(y ~ x | 1) and ZeroInflatedPoisson have
    it. Counts may be negative binomial too, with their α (Greene 1994). It is lowered: what 0s add to the score is
    matched within some thousandths, and the fit is exact."""

    kind: ClassVar[str] = "zero-inflated"
    title: ClassVar[str] = "Zero-inflated regression"
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
    counts: Annotated[Literal["poisson", "negative-binomial"], "What the counts of those are who are not 0 anyway."] = (
        "poisson"
    )

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return count_response(formula, variable, counts)

    def further(self, schema: Schema) -> tuple[str, ...]:
        return ("inflate", "alpha") if self.is_overdispersed else ("inflate",)

    @property
    def is_overdispersed(self) -> bool:
        return self.counts == "negative-binomial"

    def range_of(self, label: str) -> tuple[float, float]:
        return (0.0 if label == "alpha" else -np.inf), np.inf

    def curve(self) -> Curve:
        return Curve(_value, _gradient, positive=int(self.is_overdispersed))

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        share = float(np.average(rows.y == 0.0, weights=rows.weight))
        odds = logit(min(max(share, 0.05), 0.95))
        above = rows.where(rows.y > 0.0)
        if not self.is_overdispersed or not above.size:
            return start_at_mean(rows), np.array([odds, 1.0][:n_further])
        return start_at_mean(above), np.array([odds, start_of_alpha(above)])

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """What a count above 0 adds, which is exact; what a 0 adds is matched about a rate of e."""
        name, y, known = model.formula.response.variable, model.y, np.isfinite(model.y)
        above = np.where(known, 1.0 * (y > 0.0), np.nan)
        odds, alpha = float(further[0]), float(further[1]) if self.is_overdispersed else 0.0
        is_zero = np.where(known, 1.0 * (y == 0.0), np.nan)[:, None]
        if self.is_overdispersed:
            counts = nb_pieces(name, y, alpha, 1)
            of_counts = tuple(replace(p, factors={name: above * p.factors[name]}) for p in counts)
        else:
            of_counts = (Piece("one", {name: y}), Piece("exp", {name: -above}))
        of_zeros = _of_zero(GRID + 1.0, odds, alpha)[: 2 + self.is_overdispersed]
        return (
            *of_counts,
            Piece("one", {name: -above * expit(odds)}, parameter=0),
            *(p for k, of in enumerate(of_zeros) for p in nearly(name, is_zero * of, 1.0, parameter=k - 1)),
        )


def _of_zero(eta: Floats, odds: float, alpha: float) -> tuple[Floats, Floats, Floats]:
    """∂ log(π + (1 − π) P(0)) by η, by the log odds of π, and by α. P(0): e^−μ, or (1 + αμ)^(−1/α)."""
    mu, share = np.exp(np.minimum(eta, 30.0)), expit(odds)
    if alpha > 0.0:
        none, slope = np.exp(-np.log1p(alpha * mu) / alpha), mu / (1.0 + alpha * mu)
        bend = np.log1p(alpha * mu) / alpha**2 - slope / alpha
    else:
        none, slope, bend = np.exp(-mu), mu, np.zeros_like(mu)
    whole = share + (1.0 - share) * none
    other = (1.0 - share) * none / whole
    return -other * slope, share * (1.0 - share) * (1.0 - none) / whole, other * bend


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    share, is_overdispersed = expit(extra[0]), len(extra) > 1
    if is_overdispersed and extra[1] <= 0.0:
        return np.full(rows.size, np.nan)
    none = np.exp(-np.log1p(extra[1] * np.exp(eta)) / extra[1]) if is_overdispersed else np.exp(-np.exp(eta))
    if is_overdispersed:
        counts = nb_value(rows, eta, float(extra[1]))
    else:
        counts = rows.y * eta - np.exp(eta) - gammaln(rows.y + 1.0)
    return np.where(rows.y == 0.0, np.log(share + (1.0 - share) * none), np.log1p(-share) + counts)


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    alpha = float(extra[1]) if len(extra) > 1 else 0.0
    of_zeros = _of_zero(eta, float(extra[0]), alpha)
    of_counts = nb_gradient(rows, eta, alpha).T if alpha > 0.0 else (rows.y - np.exp(eta), np.zeros_like(eta))
    by_row = (of_counts[0], np.full_like(eta, -expit(extra[0])), of_counts[1])
    both = [np.where(rows.y == 0.0, zero, above) for zero, above in zip(of_zeros, by_row, strict=True)]
    return np.stack(both[: 1 + len(extra)], axis=1)
