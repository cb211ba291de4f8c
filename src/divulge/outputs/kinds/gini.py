"""Gini coefficient: how unequally a total is shared out among rows, by groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import What
from divulge.outputs.figures import Figures
from divulge.outputs.kinds.herfindahl import check_not_negative
from divulge.outputs.lowering.grouped import Grouped, undefined_as_status
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Gini(Grouped):
    """Σᵢ Σⱼ |xᵢ − xⱼ| / (2 n² x̄) (Gini 1912), without a correction for small samples; weights count as rows."""

    kind: ClassVar[str] = "gini"
    statbarn: ClassVar[Statbarn] = Statbarn.GINI
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Inequality of ages by sex", {"variables": ["AGE"], "by": ["SEX"]}),
        Example("Weighted, adults only", {"variables": ["AGE"], "where": "AGE >= 18", "weights": "MSTATUS"}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose coefficients are shown; none may be negative."]

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        check_not_negative(self.variables, schema)

    def heading(self) -> str:
        return "Gini coefficient"

    def whats(self) -> Sequence[tuple[What, float]]:
        return (("concentration", np.nan),)

    def describe(self) -> str:
        return self.describe_as("Gini coefficient")

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        del schema, n_rows
        return 0.0, 1.0

    def evaluate(self, table: Table) -> Figures:
        parts, sizes = [], []
        for column in self.columns(table):
            found = np.full(column.n_groups, np.nan)
            for group, rows in column.by_group():
                differences, _, n, total = _pair_differences(column.numbers[rows], column.weights[rows])
                found[group] = differences / (2 * n * total) if n > 0 and total > 0 else np.nan
            parts.append(found)
            sizes.append(column.sums())
        return undefined_as_status(self.labels(table.schema), np.concatenate(parts), np.concatenate(sizes))

    def lower(self, schema: Schema, released: Released) -> Lowered:
        n_groups = Groups.of(schema, self.by).n_groups
        terms, values, offset = [], [], 0
        for name in self.variables:
            spanned = Groups.of(schema, (*self.by, name))
            numbers = schema[name].numbers[: schema[name].n_values]
            order = np.argsort(numbers, kind="stable")
            rank = np.empty(len(order), dtype=np.int64)
            rank[order] = np.arange(len(order))
            at = offset + (np.arange(n_groups)[:, None] * len(order) + rank).ravel()
            terms.append(spanned.term(index=at))
            values.append(numbers[order])
            offset += spanned.n_groups
        return Lowered(
            (Block(tuple(terms), offset, weight=weight_term(self, schema)),),
            np.zeros(offset),
            _GiniResiduals(tuple(values), n_groups, released.centre, released.beyond),
            released.residual_low,
            released.residual_high,
            released.half,
            is_linear=False,
        )


def _pair_differences(ordered: Floats, counts: Floats) -> tuple[float, Floats, float, float]:
    """(Σⱼ Σₖ Nⱼ Nₖ |vⱼ − vₖ|, for each j Σₖ Nₖ |vⱼ − vₖ|, Σ N, Σ N v) for values v in order that are there N times."""
    up_to, sum_up_to = np.cumsum(counts), np.cumsum(counts * ordered)
    n, total = (float(up_to[-1]), float(sum_up_to[-1])) if len(ordered) else (0.0, 0.0)
    distance = ordered * (2 * up_to - n) - (2 * sum_up_to - total)
    return float(counts @ distance), distance, n, total


@dataclass(frozen=True, eq=False)
class _GiniResiduals:
    """The coefficient as a function of how many rows have each value, with its exact slopes.

    Totals are those counts, variable by variable, group by group, in the order of the values. undefined: what stands
    for the coefficient where there is nothing to share out.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    values: tuple[Floats, ...]
    n_groups: int
    released: Floats
    undefined: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        residuals = self.undefined.copy()
        jacobian = np.zeros((len(residuals), len(totals)))
        figure, at = 0, 0
        for ordered in self.values:
            for _ in range(self.n_groups):
                counts = totals[at : at + len(ordered)]
                differences, distance, n, total = _pair_differences(ordered, counts)
                if n > 0 and total > 0:
                    gini = differences / (2 * n * total)
                    slopes = distance / (n * total) - gini * (1 / n + ordered / total)
                    residuals[figure], jacobian[figure, at : at + len(ordered)] = gini, slopes
                figure, at = figure + 1, at + len(ordered)
        return residuals - self.released, jacobian
