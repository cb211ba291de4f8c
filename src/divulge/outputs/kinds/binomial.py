"""Binomial regression of events among trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.positive import count_response
from divulge.outputs.models.statsmodels_code import fits_statsmodels, without_missing
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Binomial(Estimated):
    """Coefficients (log odds) of a binomial regression whose rows hold events and trials (McCullagh & Nelder 1989), as
    R's `cbind(events, others)` and Stata's `family(binomial trials)` have it. It is lowered: its score is a sum over
    rows."""

    kind: ClassVar[str] = "binomial"
    title: ClassVar[str] = "Binomial regression"
    ratio: ClassVar[str] = "odds ratio"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Who rents, with the marital status as if it were a number of trials",
            {"formula": "TENURE ~ SEX + AGE", "trials": "MSTATUS", "statistics": ["se", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `EVENTS ~ AGE + C(AREA)`."]
    trials: Annotated[str, "The variable that says of how many trials the response counts the events."]

    def needs(self) -> tuple[str, ...]:
        return (self.trials, *super().needs())

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        if self.trials not in schema:
            raise unknown_variable(self.trials, schema.names, where="trials")
        with in_field("trials"):
            if numeric(schema, self.trials).numbers.min(initial=0.0) < 0.0:
                raise OutputError("trials of at least 0 are needed.")

    def second(self, schema: Schema) -> tuple[str, Floats] | None:
        return self.trials, self._trials(schema)

    def _trials(self, schema: Schema) -> Floats:
        """Of every code; a row without trials takes no part."""
        variable = schema[self.trials]
        return np.where(variable.is_missing | (variable.numbers <= 0.0), np.nan, variable.numbers)

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return count_response(formula, variable, counts)

    def pearson(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        mu = 1.0 / (1.0 + np.exp(-eta))
        df = rows.n_rows - n_fitted
        squares = (rows.y - rows.second * mu) ** 2 / (rows.second * mu * (1.0 - mu))
        return float(rows.weight @ squares) / df if df > 0 else np.nan

    def curve(self) -> Curve:
        return Curve(_value, _gradient)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """y − n/(1 + e^−η)."""
        name, trials = model.formula.response.variable, self._trials(schema)
        is_known = {name: np.where(np.isfinite(model.y), 1.0, np.nan)}
        return (
            Piece("one", {name: model.y, self.trials: np.where(np.isfinite(trials), 1.0, np.nan)}),
            Piece("sigmoid", {**is_known, self.trials: -trials}),
        )

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model":
            return None
        name = self.model(schema).formula.response.variable
        events, trials = (f"rows[{n!r}].astype(float)" for n in (name, self.trials))
        return [
            without_missing(self.trials),
            f"rows = rows[{trials} > 0]",
            f"rows = rows.assign(share={events} / {trials})",
            f"model = smf.glm({self.with_response('share')!r}, rows, family=sm.families.Binomial(), "
            f"var_weights={trials}).fit(tol=1e-12)",
            *self.figures_code(),
        ]


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    return np.asarray(rows.y * eta - rows.second * np.logaddexp(0.0, eta))


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    return (rows.y - rows.second / (1.0 + np.exp(-eta)))[:, None]
