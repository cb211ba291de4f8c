"""Means of numeric variables, by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import What
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.grouped import Grouped, known_numbers, present, undefined_as_status
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.residuals import RatioResiduals, SizedResiduals
from divulge.outputs.lowering.rows import Groups, group_keys, half_row, weight_term
from divulge.outputs.lowering.sizes import Moments, sizes_of_means
from divulge.outputs.output import Example
from divulge.outputs.recipes import by_groups, weighted_by_groups
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Means(Grouped):
    """The mean of each variable, in each group: Σ w y / Σ w."""

    kind: ClassVar[str] = "means"
    statbarn: ClassVar[Statbarn] = Statbarn.AGGREGATES
    can_suppress: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"mean": {}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Mean age by tenure and sex", {"variables": ["AGE"], "by": ["TENURE", "SEX"], "decimals": 2}),
        Example("Share of renters among adults", {"variables": ["TENURE"], "where": "AGE >= 18", "decimals": 3}),
        Example("Weighted means", {"variables": ["TENURE"], "by": ["LTILL"], "weights": "AGE", "significant": 3}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose means are shown."]

    def heading(self) -> str:
        return "mean"

    def whats(self) -> Sequence[tuple[What, float]]:
        return (("mean", np.nan),)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights:
            return weighted_by_groups(self.variables, self.by, schema, self.weights, is_mean=True)
        return by_groups(self.variables, self.by, schema, ["x.mean()"])

    def describe(self) -> str:
        return self.describe_as("Means")

    def usual_decimals(self) -> int:
        return 2

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        n_groups = Groups.of(schema, self.by).n_groups
        numbers = [schema[name].numbers[: schema[name].n_values] for name in self.variables]
        least = np.repeat([v.min(initial=np.inf) for v in numbers], n_groups)
        most = np.repeat([v.max(initial=-np.inf) for v in numbers], n_groups)
        return least, most

    def evaluate(self, table: Table) -> Figures:
        above, below = [], []
        for column in self.columns(table):
            above.append(column.sums(column.numbers))
            below.append(column.sums())
        size = np.concatenate(below)
        values = np.full(len(size), np.nan)
        np.divide(np.concatenate(above), size, out=values, where=size > 0)
        return undefined_as_status(self.labels(table.schema), values, size)

    def linear(self, schema: Schema, released: Released) -> Linear:
        groups = Groups.of(schema, self.by)
        n = groups.n_groups * len(self.variables)
        terms = []
        for v, name in enumerate(self.variables):
            at = v * groups.n_groups + np.arange(groups.n_groups)
            terms.append(groups.term(index=at, factor=known_numbers(schema, name)))
            terms.append(groups.term(index=n + at, factor=present(schema, name)))
        block = Block(tuple(terms), 2 * n, weight=weight_term(self, schema))
        return Linear.of_ratios(block, np.arange(n), 1.0, released)

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        return self.few_in_groups(table, released, most, lambda mean: (mean, None))

    def lower(self, schema: Schema, released: Released) -> Lowered:
        # Σ w (y − μ*) of each group is zero where its mean is as released; divided by Σ w it is the residual.
        groups = Groups.of(schema, self.by)
        n = groups.n_groups * len(self.variables)
        terms = []
        for v, name in enumerate(self.variables):
            at = v * groups.n_groups + np.arange(groups.n_groups)
            terms.append(groups.term(index=at, factor=known_numbers(schema, name)))
            terms.append(groups.term(index=at, scale=-released.centre[at], factor=present(schema, name)))
            terms.append(groups.term(index=n + at, factor=present(schema, name)))
        occupied = np.flatnonzero(released.is_given)
        ratio = RatioResiduals(np.arange(n), np.zeros(n), 1.0, occupied)
        keys = [key for name in self.variables for key in group_keys(self, schema, groups, (name, *self.by))]
        sized = SizedResiduals(ratio, released.centre, self._sizes(schema, released), tuple(keys))
        return Lowered(
            (Block(tuple(terms), 2 * n, weight=weight_term(self, schema)),),
            np.zeros(2 * n),
            ratio if self.weights else sized,
            *ratio.bounds(released, half_row(self, schema)),
            is_linear=False,
            sized=None if self.weights else sized,
            moments=self.moments(schema, released, lambda mean: Moments(mean=mean)),
        )

    def _sizes(self, schema: Schema, released: Released) -> tuple[Integers, ...]:
        """The sizes of each group that can carry its mean."""
        low, high = np.split(released.low, len(self.variables)), np.split(released.high, len(self.variables))
        values = [schema[name].numbers[: schema[name].n_values] for name in self.variables]
        return tuple(size for own in zip(values, low, high, strict=True) for size in sizes_of_means(*own))
