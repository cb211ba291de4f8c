"""Linear regression with a random intercept for each group (multilevel model)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.models.group_effects import (
    GroupResiduals,
    blocks,
    lower_group_effects,
)
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Estimate, estimable
from divulge.outputs.models.random_effects import RandomEffects
from divulge.outputs.models.variance_components import Components, Profile
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class RandomIntercept(RandomEffects):
    """Coefficients and two variances, between groups and within them, of a linear model with a random intercept (Laird
    & Ware 1982), as lmer and mixed print them: by restricted maximum likelihood (Patterson & Thompson 1971) or maximum
    likelihood. Standard errors are those of the fixed part."""

    kind: ClassVar[str] = "random-intercept"
    title: ClassVar[str] = "Random intercept regression"
    usual_test: ClassVar[Literal["t", "z"]] = "z"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by sex and tenure, groups by marital status",
            {"formula": "AGE ~ SEX + TENURE", "group": "MSTATUS", "statistics": ["se", "n"], "decimals": 2},
        ),
    )

    formula: Annotated[str, "The fixed part of the model, as in `WAGE ~ AGE + C(AREA)`."]
    group: Annotated[str, "The variable each of whose values has an intercept."]
    likelihood: Annotated[Literal["reml", "ml"], "By restricted likelihood (lmer) or likelihood (mixed)."] = "reml"

    def further(self, schema: Schema) -> tuple[str, ...]:
        return f"variance of {self.group}", "residual variance"

    def range_of(self, label: str) -> tuple[float, float]:
        return 0.0, np.inf

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        model = self.model(table.schema)
        rows = self.rows(model, table)
        return model, rows, self._fit(rows)

    def _fit(self, rows: ModelRows) -> Estimate:
        p = rows.x.shape[1]
        keep, status = estimable(rows.x, rows.weight)
        n_fixed = int(keep.sum())
        if rows.n_rows <= n_fixed + 1 or len(np.unique(rows.second)) < 2:
            status = Status.TOO_FEW_ROWS if rows.n_rows else Status.EMPTY
            return Estimate(
                np.full(p, np.nan), np.full(2, np.nan), np.zeros((p + 2, p + 2)), np.zeros(p + 2, bool), np.nan, status
            )
        fit = Profile.of(rows, keep, self.likelihood == "reml")
        ratio = fit.best()
        beta, variance, information = fit.at(ratio)
        whole = np.zeros((p + 2, p + 2))
        chosen = np.append(keep, [False, False])
        whole[np.ix_(chosen, chosen)] = information / variance
        found = np.full(p, np.nan)
        found[keep] = beta
        return Estimate(found, np.array([ratio * variance, variance]), whole, chosen, np.nan, status)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        p = model.design.n_columns
        theta = released.centre[: p + 2]
        between, inside = np.maximum(theta[p:], 1e-9).tolist()
        at = Components(theta[:p], between, inside, self.likelihood == "reml")
        residuals = GroupResiduals(
            theta,
            p,
            schema[self.group].n_values,
            self._parameters,
            lambda table: at.information(self.rows(model, table)),
            at.slopes,
            at.score,
            float(released.centre[-1]) if released.labels[-1] == "n" else None,
        )
        made = blocks(self, model, schema, self.group, theta[:p])
        return lower_group_effects(self, made, residuals, released, schema)

    def _parameters(self, table: Table) -> Floats | None:
        found = self.fitted(table)[2].theta
        return found if np.isfinite(found).all() else None

    def describe(self) -> str:
        return super().describe()[:-1] + f", with an intercept for each {self.group}."
