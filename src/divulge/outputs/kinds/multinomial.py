"""Multinomial logistic regression of a response with several values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.design import Counts, schema_counts
from divulge.outputs.models.formula import Formula, formula_variables, parse_formula
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
from divulge.outputs.output import Example, Figures, Growth, Output, Statbarn, in_field
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, kw_only=True)
class Multinomial(Output):
    """Coefficients of a multinomial logistic regression: log odds of each value of the response against its first.

    Published standard errors are computed but not searched for: the search has the coefficients to go by.
    """

    kind: ClassVar[str] = "multinomial"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Area by sex and tenure", {"formula": "AREAP ~ SEX + TENURE"}),
        Example(
            "With pseudo R² and the number of rows",
            {"formula": "AREAP ~ AGE", "where": "AGE >= 16", "statistics": ["r2", "loglik", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `STATUS ~ AGE + C(AREA)`."]
    statistics: Annotated[tuple[Statistic, ...], STATISTICS_HELP] = ()
    se_decimals: Annotated[int | None, SE_DECIMALS_HELP] = None

    def own_variables(self) -> tuple[str, ...]:
        return formula_variables(self.formula)

    def _model(self, schema: Schema, counts: Counts) -> Model:
        with in_field("formula"):
            response = schema[parse_formula(self.formula, schema).response.variable]
        classes = tuple(f"{response.name}={text}" for text in response.texts[1 : response.n_values])
        return read_model(self.formula, schema, "multinomial", self._response, counts, classes)

    def _response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        del counts
        if variable.n_values < 2 or (not formula.response.is_categorical and formula.response.text != variable.name):
            raise OutputError(
                f"a response with several values is needed, {formula.response.text!r} has not.", where="formula"
            )
        return np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=float))

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
        return f"Multinomial regression {self.formula}" + (f", where {self.where}" if self.where else "") + "."
