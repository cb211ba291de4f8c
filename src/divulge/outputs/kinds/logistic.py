"""Logistic regression of a two-valued response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError, suggest
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
class Logistic(Output):
    """Coefficients of a logistic regression (log odds). The second value of the response counts as 1."""

    kind: ClassVar[str] = "logistic"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Who rents, by age, area, illness and sex",
            {"formula": "TENURE ~ AGE + C(AREAP, Treatment(57)) + LTILL + SEX"},
        ),
        Example(
            "With standard errors, pseudo R² and the number of rows",
            {"formula": "TENURE ~ AGE + SEX", "statistics": ["se", "r2", "loglik", "n"]},
        ),
        Example(
            "An interaction and a transform, adults",
            {"formula": "LTILL ~ log(AGE) + SEX:TENURE", "where": "AGE >= 18"},
        ),
    )

    formula: Annotated[str, "The model, as in `TENURE ~ AGE + C(AREA) + SEX:ILL + log(INCOME)`."]
    event: Annotated[str | None, "The value of the response that counts as 1; by default the second of two."] = None
    statistics: Annotated[tuple[Statistic, ...], STATISTICS_HELP] = ()
    se_decimals: Annotated[int | None, SE_DECIMALS_HELP] = None

    def own_variables(self) -> tuple[str, ...]:
        return formula_variables(self.formula)

    def _model(self, schema: Schema, counts: Counts) -> Model:
        return read_model(self.formula, schema, "logistic", self._response, counts)

    def _response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        if self.event is not None:
            return _event(self.event, formula, variable)
        if formula.response.text == variable.name:
            if variable.n_values != 2:
                raise OutputError(
                    f"a response with two values is needed, {variable.name!r} has {variable.n_values}.",
                    where="formula",
                    hint="Say which value counts as 1, as in event: 3.",
                )
            return np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=float))
        values = response_values(formula.response, variable, counts)
        if not np.isin(values[np.isfinite(values)], (0.0, 1.0)).all():
            raise OutputError(
                f"a response of 0 and 1 is needed, `{formula.response.text}` has other values.", where="formula"
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
        counted = f" (1: {self.event})" if self.event is not None else ""
        return f"Logistic regression {self.formula}{counted}" + (f", where {self.where}" if self.where else "") + "."


def _event(event: str, formula: Formula, variable: Variable) -> Floats:
    """1 for the event, 0 for every other value."""
    name, equals, value = str(event).partition("=")
    code = variable.code(value.strip() if equals and name.strip() == variable.name else str(event))
    if code is None or code >= variable.n_values or formula.response.text != variable.name:
        raise OutputError(
            f"{variable.name!r} has no value {event!r} to count as 1.",
            where="event",
            hint=suggest(str(event), [*variable.texts, *variable.display]),
        )
    return np.where(variable.is_missing, np.nan, (np.arange(variable.n_codes) == code).astype(float))
