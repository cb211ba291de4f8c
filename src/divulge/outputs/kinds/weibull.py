"""Survival times by a Weibull or exponential regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.models.durations import event_behind, event_values
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import positive_response, start_at_mean
from divulge.outputs.output import Example
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table, Variable

_STEP = 1e-4
"""Of the difference that gives η e^η from e^η: its error is the square of it."""


@dataclass(frozen=True, kw_only=True)
class Weibull(Estimated):
    """Coefficients of log time, and the log of the scale σ, of an accelerated failure time model, as R's survreg prints
    them (Kalbfleisch & Prentice 2002). Log hazard ratios are −b/σ."""

    kind: ClassVar[str] = "weibull"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    title: ClassVar[str] = "Weibull regression"
    ratio: ClassVar[str] = "time ratio"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age at illness by sex",
            {"formula": "AGE ~ SEX", "event": "LTILL", "observed": "Yes", "where": "AGE >= 1", "statistics": ["se"]},
        ),
    )

    formula: Annotated[str, "The model, as in `DAYS ~ AGE + C(AREA)`: the time is on the left."]
    event: Annotated[str, "The variable that says whether the event was seen."]
    observed: Annotated[str | None, "The value that says so; by default the second of two."] = None
    distribution: Annotated[Literal["weibull", "exponential"], "Exponential: the scale is 1."] = "weibull"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return positive_response(formula, variable, counts)

    def needs(self) -> tuple[str, ...]:
        return (self.event, *super().needs())

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        event_values(schema, self.event, self.observed)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        whole, *more = super().behind(table)
        return whole, *more, event_behind(whole, table, self.event, self.observed)

    def second(self, schema: Schema) -> tuple[str, Floats] | None:
        return self.event, event_values(schema, self.event, self.observed)

    def further(self, schema: Schema) -> tuple[str, ...]:
        return ("log(scale)",) if self.distribution == "weibull" else ()

    def curve(self) -> Curve:
        return Curve(_value, _gradient)

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        """Mean log times, later by what those who have not seen the event yet have before them."""
        beta = start_at_mean(rows)
        events = max(float(rows.weight @ rows.second), 0.5)
        beta[0] += np.log(rows.weight.sum() / events) if np.ptp(rows.x[:, 0]) == 0.0 else 0.0
        return beta, np.zeros(n_further)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """With z = (log t − η)/σ: (e^z − δ)/σ; for log σ: z e^z − δ(z + 1)."""
        time = model.formula.response.variable
        seen = event_values(schema, self.event, self.observed)
        known = np.where(np.isfinite(seen), 1.0, np.nan)
        sigma = float(np.exp(further[0])) if len(further) else 1.0
        log_time = np.log(model.y)
        raised = np.exp(log_time / sigma)
        found = [
            Piece("exp", {time: raised / sigma, self.event: known}, -1.0 / sigma),
            Piece("one", {self.event: -seen / sigma, time: np.where(np.isfinite(model.y), 1.0, np.nan)}),
        ]
        if not len(further):
            return tuple(found)
        # η e^(sη) is the derivative of e^(sη) in s.
        for sign in (1.0, -1.0):
            factor = raised * -sign / (2.0 * _STEP * sigma)
            found.append(Piece("exp", {time: factor, self.event: known}, -1.0 / sigma + sign * _STEP, parameter=0))
        return (
            *found,
            Piece("exp", {time: raised * log_time / sigma, self.event: known}, -1.0 / sigma, parameter=0),
            Piece("eta", {self.event: seen / sigma, time: np.where(np.isfinite(model.y), 1.0, np.nan)}, parameter=0),
            Piece("one", {self.event: -seen, time: log_time / sigma + 1.0}, parameter=0),
        )

    def describe(self) -> str:
        return super().describe()[:-1] + f", until {self.event}."


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    log_sigma = extra[0] if len(extra) else 0.0
    z = (np.log(rows.y) - eta) / np.exp(log_sigma)
    return np.asarray(rows.second * (z - log_sigma) - np.exp(z))


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    sigma = np.exp(extra[0]) if len(extra) else 1.0
    z = (np.log(rows.y) - eta) / sigma
    columns = [(np.exp(z) - rows.second) / sigma]
    if len(extra):
        columns.append(z * np.exp(z) - rows.second * (z + 1.0))
    return np.stack(columns, axis=1)
