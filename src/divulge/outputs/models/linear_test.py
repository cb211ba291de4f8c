"""What tests of linear models share: the analysis of variance and the F of a whole model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.outputs.behind import Behind
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.design import LevelCounts, schema_counts
from divulge.outputs.models.formula import formula_variables
from divulge.outputs.models.model import Model, number_response, read_model
from divulge.outputs.output import Growth, Output
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class LinearTest(Output):
    """Tests of a linear model. A kind says which figures it shows."""

    statbarn: ClassVar[Statbarn] = Statbarn.TESTS
    is_of_sums: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = False
    can_suppress: ClassVar[bool] = True

    formula: Annotated[str, "The model, as in `INCOME ~ C(AREA) + SEX`."]

    @property
    def growth(self) -> Growth:
        return "neither"

    def responses(self) -> tuple[str, ...]:
        return formula_variables(self.formula)[:1]

    def own_variables(self) -> tuple[str, ...]:
        return formula_variables(self.formula)

    def model(self, schema: Schema, counts: LevelCounts | None = None) -> Model:
        """The model. counts: how often each level occurs; each level of the schema, where None."""
        counts = schema_counts(schema) if counts is None else counts
        return read_model(self.formula, schema, "identity", number_response, counts)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        """Those behind the model. Its figures are no coefficients, so levels and terms have none of their own."""
        model = self.model(table.schema)
        whole, *more = model_behind(self, table, model, "test")
        found = [whole]
        for behind in more:
            if behind.what == "term":
                names = [
                    model.design.labels[k] if k >= 0 else text
                    for k, text in zip(behind.figures.tolist(), behind.texts, strict=True)
                ]
                found.append(replace(behind, figures=np.full(behind.n_groups, -1), texts=tuple(names)))
        return tuple(found)
