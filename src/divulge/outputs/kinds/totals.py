"""Totals of numeric variables by groups, and each group's share of the total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import What
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.grouped import Grouped, known_numbers
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.residuals import DiagonalResiduals, RatioResiduals
from divulge.outputs.lowering.rows import Groups, half_row, weight_term
from divulge.outputs.output import Example, Growth
from divulge.outputs.recipes import by_groups, weighted_by_groups
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Totals(Grouped):
    """The sum of each variable in each group: Σ w y; or its share of the sum over all groups."""

    kind: ClassVar[str] = "totals"
    statbarn: ClassVar[Statbarn] = Statbarn.AGGREGATES
    can_suppress: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    stays_whole: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"sum": {}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Years lived, by area", {"variables": ["AGE"], "by": ["AREAP"]}),
        Example("Renters among the ill", {"variables": ["TENURE"], "where": "LTILL = Yes", "weights": "AGE"}),
        Example(
            "Each sex's share of the years lived",
            {"variables": ["AGE"], "by": ["SEX"], "statistic": "percentages", "decimals": 1},
        ),
    )

    variables: Annotated[tuple[str, ...], "The variables whose totals are shown."]
    statistic: Annotated[
        Literal["totals", "proportions", "percentages"], "Totals, or the groups' shares of the total over all groups."
    ] = "totals"

    @property
    def _scale(self) -> float:
        return 100.0 if self.statistic == "percentages" else 1.0

    @property
    def growth(self) -> Growth:
        return "extensive" if self.statistic == "totals" else "intensive"

    def heading(self) -> str:
        return "total" if self.statistic == "totals" else self.statistic.removesuffix("s")

    def whats(self) -> Sequence[tuple[What, float]]:
        return (("total", np.nan),)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights and self.statistic == "totals":
            return weighted_by_groups(self.variables, self.by, schema, self.weights, is_mean=False)
        if self.weights:
            return None
        shares = {"totals": "", "proportions": " / x.sum().sum()", "percentages": " / x.sum().sum() * 100"}
        return by_groups(self.variables, self.by, schema, [f"x.sum(){shares[self.statistic]}"])

    def describe(self) -> str:
        what = "Totals" if self.statistic == "totals" else f"{self.statistic.capitalize()} of the total"
        return self.describe_as(what)

    def usual_decimals(self) -> int:
        return 0 if self.statistic == "totals" else 1 if self._scale == 100 else 4

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        numbers = [schema[name].numbers[: schema[name].n_values] for name in self.variables]
        least = np.repeat([v.min(initial=0.0) for v in numbers], Groups.of(schema, self.by).n_groups)
        most = np.repeat([v.max(initial=0.0) for v in numbers], Groups.of(schema, self.by).n_groups)
        if self.statistic != "totals":
            # With values of both signs a share has no bounds.
            return np.where(least < 0, -np.inf, 0.0), np.where(least < 0, np.inf, self._scale)
        if n_rows is None or self.weights:
            return np.where(least < 0, -np.inf, 0.0), np.where(most > 0, np.inf, 0.0)
        return n_rows * least, n_rows * most

    def evaluate(self, table: Table) -> Figures:
        sums, shares, n_rows = [], [], 0
        for column in self.columns(table):
            by_group = column.sums(column.numbers)
            whole = by_group.sum()
            sums.append(by_group)
            shares.append(self._scale * by_group / whole if whole else np.full(len(by_group), np.nan))
            n_rows += len(column.codes)
        values = np.concatenate(sums if self.statistic == "totals" else shares)
        status = Status.OK if n_rows else Status.EMPTY
        if status is Status.OK and np.isnan(values).any():
            status = Status.CONSTANT
        return Figures(self.labels(table.schema), values, status)

    def linear(self, schema: Schema, released: Released) -> Linear:
        groups = Groups.of(schema, self.by)
        n, n_variables = groups.n_groups * len(self.variables), len(self.variables)
        terms = []
        for v, name in enumerate(self.variables):
            at = v * groups.n_groups + np.arange(groups.n_groups)
            terms.append(groups.term(index=at, factor=known_numbers(schema, name)))
            if self.statistic != "totals":
                whole = np.full(groups.n_groups, n + v)
                terms.append(groups.term(index=whole, factor=known_numbers(schema, name)))
        weight = weight_term(self, schema)
        if self.statistic == "totals":
            numbers = np.concatenate([schema[name].numbers[: schema[name].n_values] for name in self.variables])
            is_whole = self.weights is None and bool((numbers == np.round(numbers)).all())
            summed = tuple(np.repeat(self.variables, groups.n_groups).tolist()) if self.weights is None else ()
            return Linear.of_totals(Block(tuple(terms), n, weight=weight), released, is_whole, summed)
        below = np.repeat(np.arange(n_variables), groups.n_groups)
        block = Block(tuple(terms), n + n_variables, weight=weight)
        return Linear.of_ratios(block, below, self._scale, released)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        groups = Groups.of(schema, self.by)
        n, n_variables = groups.n_groups * len(self.variables), len(self.variables)
        terms, whole = [], []
        for v, name in enumerate(self.variables):
            at = v * groups.n_groups + np.arange(groups.n_groups)
            terms.append(groups.term(index=at, factor=known_numbers(schema, name)))
            whole.append(groups.term(index=np.full(groups.n_groups, n + v), factor=known_numbers(schema, name)))
        weight = weight_term(self, schema)
        if self.statistic == "totals":
            bounds = released.residual_low, released.residual_high, released.half
            return Lowered(
                (Block(tuple(terms), n, weight=weight),), released.centre, DiagonalResiduals(np.ones(n)), *bounds
            )
        of = np.repeat(np.arange(n_variables), groups.n_groups)
        residuals = RatioResiduals(of, released.centre, self._scale, np.zeros(0, dtype=np.int64))
        return Lowered(
            (Block((*terms, *whole), n + n_variables, weight=weight),),
            np.zeros(n + n_variables),
            residuals,
            *residuals.bounds(released, half_row(self, schema)),
            is_linear=False,
        )
