"""Linear regression with absorbed fixed effects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.outputs.few_people import FewPeople
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.models.dense import few_of_least_squares
from divulge.outputs.models.group_effects import (
    GroupEffects,
    GroupResiduals,
    GroupSums,
    blocks,
    lower_group_effects,
)
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import LEAST_SQUARES, Curve, Estimate
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class FixedEffects(GroupEffects):
    """Coefficients of a linear regression in which every group has an effect of its own that is not printed (the
    within estimator: Mundlak 1978), as areg, xtreg fe, feols and linearmodels have it.

    A second set of effects is a category of the formula: `WAGE ~ AGE + C(YEAR)` with `absorb: FIRM`. A covariate that
    does not vary within groups has no coefficient. Clustered errors count the absorbed effects, as areg does.
    """

    kind: ClassVar[str] = "fixed-effects"
    is_of_sums: ClassVar[bool] = True
    title: ClassVar[str] = "Fixed effects regression"
    has_intercept: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by sex and tenure, within areas",
            {"formula": "AGE ~ SEX + TENURE", "absorb": "AREAP", "statistics": ["se", "n"]},
        ),
    )

    formula: Annotated[str, "The model without the absorbed effects, as in `WAGE ~ AGE + C(YEAR)`."]
    absorb: Annotated[str, "The variable each of whose values has an effect that is not printed."]

    def grouped_by(self) -> str:
        return self.absorb

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        if self.absorb not in schema:
            raise unknown_variable(self.absorb, schema.names, where="absorb")
        if not self.model(schema).design.n_columns:
            raise OutputError("at least one covariate is needed.", where="formula")

    def curve(self) -> Curve:
        return LEAST_SQUARES

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        """Least squares of what is left when the means of groups are taken out."""
        model = self.model_in(table)
        rows = _within(self.rows(model, table))
        return model, rows, self.curve().maximise(rows, np.zeros(rows.x.shape[1]), np.zeros(0))

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        """Σ x (y − x'b) is 0 with predictors x less the means of their groups, whatever the effects are."""
        model = self.model_in(table)
        said = self.of_coefficients(table.schema, released)
        found = few_of_least_squares(self, table, model, said, most, lambda: self.fitted(table)[1])
        return () if found is None else (found,)

    def n_estimated(self, rows: ModelRows, fit: Estimate) -> int:
        return int(fit.keep.sum()) + len(np.unique(rows.second))

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        df = rows.n_rows - n_fitted
        return float(((rows.y - eta) ** 2).sum()) / df if df > 0 else np.nan

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        p = model.design.n_columns
        beta = released.centre[:p]
        residuals = GroupResiduals(
            beta,
            p,
            schema[self.absorb].n_values,
            self._parameters,
            self._information,
            lambda sums: sums.shrunken(_inverse(sums.n), -(_inverse(sums.n) ** 2)),
            lambda sums: sums.xr - sums.x.T @ (sums.r * _inverse(sums.n)),
            float(released.centre[-1]) if released.labels[-1] == "n" else None,
        )
        made = blocks(self, model, schema, self.absorb, beta)
        return lower_group_effects(self, made, residuals, released, schema)

    def _parameters(self, table: Table) -> Floats | None:
        found = self.fitted(table)[2].beta
        return found if np.isfinite(found).all() else None

    def _information(self, table: Table) -> Floats:
        rows = _within(self.rows(self.model_in(table), table))
        return rows.x.T @ rows.x

    def describe(self) -> str:
        return super().describe()[:-1] + f", within {self.absorb}."


def _within(rows: ModelRows) -> ModelRows:
    """The same rows with the means of their groups taken out."""
    if not rows.size:
        return rows
    sums = GroupSums.of_rows(rows, np.zeros(rows.x.shape[1]))
    _, group = np.unique(rows.second, return_inverse=True)
    x = rows.x - (sums.x / sums.n[:, None])[group]
    # What does not vary within groups is left with rounding errors alone: none at all, so that it has no coefficient.
    scale = np.abs(rows.x).max(axis=0, initial=0.0)
    x[:, np.abs(x).max(axis=0, initial=0.0) <= 1e-12 * scale] = 0.0
    return replace(rows, x=x, y=rows.y - (sums.r / sums.n)[group])


def _inverse(n: Floats) -> Floats:
    """1/n; 0 for groups without rows."""
    return np.where(n > 0.5, 1.0 / np.maximum(n, 0.5), 0.0)
