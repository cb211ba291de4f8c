"""Linear regression (least squares)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.design import Counts, schema_counts
from divulge.outputs.models.formula import formula_variables
from divulge.outputs.models.model import (
    SE_DECIMALS_HELP,
    STATISTICS_HELP,
    Model,
    Statistic,
    evaluate_model,
    growth_of,
    labels_of,
    number_response,
    possible_of,
    read_model,
)
from divulge.outputs.models.refit import lower_model
from divulge.outputs.output import Example, Figures, Growth, Output, Statbarn
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Linear(Output):
    """Coefficients of a linear regression, by least squares; standard errors are those of equal variances.

    Weights are inverse variances up to a factor, as in weighted least squares.
    """

    kind: ClassVar[str] = "linear"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by sex, tenure and illness", {"formula": "AGE ~ SEX*TENURE + LTILL", "statistics": ["se", "r2", "n"]}
        ),
        Example(
            "A function of the response, adults", {"formula": "log(AGE) ~ C(MSTATUS) + TENURE", "where": "AGE >= 16"}
        ),
        Example(
            "Through the origin, weighted",
            {"formula": "AGE ~ 0 + C(SEX):C(LTILL)", "weights": "AGE", "statistics": ["se", "r2", "loglik", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `INCOME ~ AGE + I(AGE**2) + C(AREA) + SEX:ILL`."]
    statistics: Annotated[tuple[Statistic, ...], STATISTICS_HELP] = ()
    se_decimals: Annotated[int | None, SE_DECIMALS_HELP] = None

    def own_variables(self) -> tuple[str, ...]:
        return formula_variables(self.formula)

    def _model(self, schema: Schema, counts: Counts) -> Model:
        return read_model(self.formula, schema, "identity", number_response, counts)

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
        return f"Linear regression {self.formula}" + (f", where {self.where}" if self.where else "") + "."
