"""Poisson regression of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.design import Counts, response_values, schema_counts
from divulge.outputs.models.formula import Formula, formula_variables
from divulge.outputs.models.model import (
    SE_DECIMALS_HELP,
    STATISTICS_HELP,
    Model,
    Statistic,
    evaluate_model,
    growth_of,
    labels_of,
    possible_of,
    read_model,
)
from divulge.outputs.models.refit import lower_model
from divulge.outputs.output import Example, Figures, Growth, Output, Statbarn
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, kw_only=True)
class Poisson(Output):
    """Coefficients of a Poisson regression with a logarithmic link (log rates)."""

    kind: ClassVar[str] = "poisson"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age as a count, by sex and tenure", {"formula": "AGE ~ SEX + TENURE", "statistics": ["se"]}),
        Example(
            "With an interaction, adults",
            {"formula": "AGE ~ SEX*LTILL", "where": "AGE >= 18", "statistics": ["r2", "loglik", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `VISITS ~ AGE + C(AREA) + log(INCOME)`."]
    statistics: Annotated[tuple[Statistic, ...], STATISTICS_HELP] = ()
    se_decimals: Annotated[int | None, SE_DECIMALS_HELP] = None

    def own_variables(self) -> tuple[str, ...]:
        return formula_variables(self.formula)

    def _model(self, schema: Schema, counts: Counts) -> Model:
        return read_model(self.formula, schema, "poisson", self._response, counts)

    def _response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        values = response_values(formula.response, variable, counts)
        if np.isnan(values[: variable.n_values]).any() or (values[: variable.n_values] < 0.0).any():
            raise OutputError(
                f"a response of counts is needed, {formula.response.text!r} has values below 0 or that are no numbers.",
                where="formula",
            )
        return values

    def check_fields(self, schema: Schema) -> None:
        self._model(schema, schema_counts(schema))

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return labels_of(self._model(schema, schema_counts(schema)), self.statistics)

    def find_label(self, text: str, schema: Schema) -> str | None:
        return self._model(schema, schema_counts(schema)).find(text)

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        return possible_of(self._model(schema, schema_counts(schema)), self.statistics, n_rows)

    @property
    def publishes_se(self) -> bool:
        return "se" in self.statistics

    @property
    def growth(self) -> Growth:
        return growth_of(self.statistics)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        return model_behind(self, table, self._model(table.schema, schema_counts(table.schema)))

    def evaluate(self, table: Table) -> Figures:
        return evaluate_model(self, table, self._model, self.statistics)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return lower_model(self, self._model(schema, schema_counts(schema)), schema, released, self.statistics)

    def describe(self) -> str:
        return f"Poisson regression {self.formula}" + (f", where {self.where}" if self.where else "") + "."
