"""Extremes: the smallest and the largest value of numeric variables, by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import What
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.grouped import Grouped, undefined_as_status
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.residuals import DiagonalResiduals
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.output import Example
from divulge.outputs.recipes import by_groups
from divulge.outputs.released.precision import SLACK, Released
from divulge.outputs.statbarn import Statbarn
from divulge.settings import Entries
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Extremes(Grouped):
    """The minimum and the maximum of each variable, in each group."""

    kind: ClassVar[str] = "extremes"
    statbarn: ClassVar[Statbarn] = Statbarn.EXTREMES
    takes_weights: ClassVar[bool] = False
    can_suppress: ClassVar[bool] = True
    residuals_are_figures: ClassVar[bool] = False
    stays_whole: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"min": {"show": ("minimum",)}, "max": {"show": ("maximum",)}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Youngest and oldest by marital status", {"variables": ["AGE"], "by": ["MSTATUS"], "decimals": 0}),
        Example("The oldest of those who rent", {"variables": ["AGE"], "show": ["maximum"], "where": "TENURE = 1"}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose extremes are shown."]
    show: Annotated[tuple[Literal["minimum", "maximum"], ...], "Which of the two.", Entries(least=1, differ=True)] = (
        "minimum",
        "maximum",
    )

    def statistics(self) -> tuple[str, ...]:
        return self.show

    def whats(self) -> Sequence[tuple[What, float]]:
        return [(which, np.nan) for which in self.show]

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        code = {"minimum": "x.min()", "maximum": "x.max()"}
        return by_groups(self.variables, self.by, schema, [code[which] for which in self.show])

    def describe(self) -> str:
        return self.describe_as(" and ".join(self.show).capitalize())

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        numbers = [schema[name].numbers[: schema[name].n_values] for name in self.variables]
        n_each = len(self.show) * Groups.of(schema, self.by).n_groups
        least = np.repeat([v.min(initial=np.inf) for v in numbers], n_each)
        return least, np.repeat([v.max(initial=-np.inf) for v in numbers], n_each)

    def evaluate(self, table: Table) -> Figures:
        parts, sizes = [], []
        for column in self.columns(table):
            for which in self.show:
                values = np.full(column.n_groups, np.inf if which == "minimum" else -np.inf)
                (np.minimum if which == "minimum" else np.maximum).at(values, column.groups, column.numbers)
                parts.append(np.where(np.isfinite(values), values, np.nan))
                sizes.append(column.sums())
        return undefined_as_status(self.labels(table.schema), np.concatenate(parts), np.concatenate(sizes))

    def linear(self, schema: Schema, released: Released) -> Linear:
        return Linear.of_bounds(self.lower(schema, released), 2)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        # A maximum between a and b: no row above b, at least one between. Two counts a figure, both linear.
        groups = Groups.of(schema, self.by)
        n_groups, n = groups.n_groups, len(released.labels)
        slack = SLACK * np.maximum(np.abs(released.centre), released.half)
        low, high = released.low - slack, released.high + slack
        terms = []
        for v, name in enumerate(self.variables):
            numbers = schema[name].numbers[: schema[name].n_values]
            spanned = Groups.of(schema, (*self.by, name))
            for s, which in enumerate(self.show):
                figure = ((v * len(self.show) + s) * n_groups + np.arange(n_groups))[:, None]
                beyond = numbers > high[figure] if which == "maximum" else numbers < low[figure]
                at = (numbers >= low[figure]) & (numbers <= high[figure])
                terms.append(spanned.term(index=np.where(beyond, 2 * figure, np.where(at, 2 * figure + 1, -1)).ravel()))
        given = np.repeat(released.is_given, 2)
        return Lowered(
            (Block(tuple(terms), 2 * n, weight=weight_term(self, schema)),),
            np.zeros(2 * n),
            DiagonalResiduals(np.ones(2 * n)),
            # Counts are whole numbers, so half a row is a safe distance from both sides.
            np.where(given, np.tile([-np.inf, 0.5], n), -np.inf),
            np.where(given, np.tile([0.5, np.inf], n), np.inf),
            np.full(2 * n, 0.5),
        )
