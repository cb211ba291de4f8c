"""Frequencies: how many rows have each value of a variable, for several variables one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind, What
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.keys import with_keys
from divulge.outputs.lowering.grouped import check_named
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.residuals import (
    DiagonalResiduals,
    RatioResiduals,
    ShareResiduals,
    SizedResiduals,
)
from divulge.outputs.lowering.rows import Groups, counted, group_keys, half_row, row_weights, weight_term
from divulge.outputs.lowering.sizes import possible_sizes
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.recipes import count_code, every_group
from divulge.outputs.released.precision import Released, outside
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Frequencies(Output):
    """How many rows have each value of each variable, or which share of the rows where it is not missing."""

    kind: ClassVar[str] = "frequencies"
    statbarn: ClassVar[Statbarn] = Statbarn.FREQUENCIES
    can_suppress: ClassVar[bool] = True
    has_threshold: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Marital status and sex", {"variables": ["MSTATUS", "SEX"]}),
        Example("Per cent of adults", {"variables": ["ETHGROUP"], "statistic": "percentages", "where": "AGE >= 18"}),
        Example("Shares of all", {"variables": ["TENURE", "LTILL"], "statistic": "proportions", "significant": 2}),
        Example("Weighted counts, some withheld", {"variables": ["MSTATUS"], "weights": "AGE", "threshold": 3500}),
    )

    variables: Annotated[tuple[str, ...], "The variables, each counted on its own."]
    statistic: Annotated[Literal["counts", "proportions", "percentages"], "What is shown for each value."] = "counts"
    missing: Annotated[Literal["exclude", "include"], "Whether missing values are left out, or are a category."] = (
        "exclude"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and self.statistic != "counts":
            raise OutputError(f"{self.statistic} have no threshold.", where="threshold", hint="List suppressed cells.")
        check_named(self.variables, ())

    @property
    def _scale(self) -> float:
        return 100.0 if self.statistic == "percentages" else 1.0

    @property
    def growth(self) -> Growth:
        return "extensive" if self.statistic == "counts" else "intensive"

    def _groups(self, schema: Schema) -> list[Groups]:
        return [Groups.of(schema, (name,), self.missing == "include") for name in self.variables]

    def own_variables(self) -> tuple[str, ...]:
        return self.variables

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return tuple(label for groups in self._groups(schema) for label in groups.labels())

    def grid(self, schema: Schema) -> Grid:
        groups = self._groups(schema)
        rows = [(each.names[0], *level) for each in groups for level in each.shown(schema)]
        return grid_of(
            ("Variable", "Value"), rows, (self.statistic.capitalize(),), np.arange(len(rows)), picture="bars"
        )

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.missing == "include" or self.weights in self.variables:
            return None
        parts = [count_code([name], self.weights) for name in self.variables]
        shown = {"counts": "n", "proportions": "n / n.sum()", "percentages": "100 * n / n.sum()"}[self.statistic]
        return [
            *every_group(self.variables, schema),
            f"counts = [{', '.join(parts)}]",
            f"found = pd.concat([{shown} for n in counts])",
        ]

    def describe(self) -> str:
        shown = {"counts": "Counts of rows"}.get(self.statistic, self.statistic.capitalize())
        text = f"{shown} for each value of {', '.join(self.variables)}"
        return text + (f", where {self.where}" if self.where else "") + "."

    def usual_decimals(self) -> int:
        return 0 if self.statistic == "counts" else 1 if self._scale == 100 else 4

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        if self.statistic == "counts":
            return 0.0, np.inf if n_rows is None or self.weights else float(n_rows)
        return 0.0, self._scale

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        offset = 0
        counts_rows = self.statistic == "counts" and self.weights is None
        bounds = released.whole() if counts_rows else (released.low, released.high)
        for groups in self._groups(schema):
            at = slice(offset, offset + groups.n_groups)
            offset += groups.n_groups
            low, high = bounds[0][at].sum(), bounds[1][at].sum()
            if self.statistic != "counts" and outside(low, high, self._scale, self._scale) is not None:
                return f"the {self.statistic} of {groups.names[0]!r} do not add to {self._scale:g}."
            has_all_rows = counts_rows and self.where is None and (groups.levels[0] >= 0).all()
            if has_all_rows and n_rows is not None and outside(low, high, n_rows, n_rows) is not None:
                return f"the counts of {groups.names[0]!r} do not add to {n_rows:,}, the number of rows."
        return None

    def found_at(self, what: What, variable: str, schema: Schema) -> tuple[tuple[str, ...], Integers] | None:
        if what != "count" or variable not in self.variables or self.missing == "include":
            return None
        sizes = [schema[name].n_values for name in self.variables]
        at = self.variables.index(variable)
        return (variable,), sum(sizes[:at]) + np.arange(sizes[at])

    def behind(self, table: Table) -> tuple[Behind, ...]:
        keep = counted(self, table)
        found, offset = [], 0
        for groups in self._groups(table.schema):
            figures = offset + np.arange(groups.n_groups)
            offset += groups.n_groups
            group = np.where(keep, groups.numbers(table), -1)
            if self.statistic == "counts":
                found.append(Behind("count", figures, group, None, groups.names, groups.shape))
                continue
            found.append(Behind("share", figures, group, None, groups.names, groups.shape))
            found.append(Behind("base", np.array([-1]), np.where(group < 0, -1, 0), texts=(groups.names[0],)))
        return tuple(found)

    def evaluate(self, table: Table) -> Figures:
        keep = counted(self, table)
        weights = None if self.weights is None else row_weights(self, table)
        parts, below = [], []
        for groups in self._groups(table.schema):
            number = groups.numbers(table)
            known = keep & (number >= 0)
            if weights is None:
                added = table.tally(number, groups.n_groups, known).astype(np.float64)
            else:
                added = np.bincount(number[known], weights[known], minlength=groups.n_groups).astype(np.float64)
            parts.append(added)
            below.append(np.full(groups.n_groups, parts[-1].sum()))
        counts, of = np.concatenate(parts), np.concatenate(below)
        status = Status.OK if of.all() else Status.EMPTY_GROUP if of.any() else Status.EMPTY
        if self.statistic == "counts":
            found = Figures(self.labels(table.schema), counts, Status.OK if keep.any() else Status.EMPTY)
            return with_keys(self, found, table)
        shares = np.full(len(counts), np.nan)
        np.divide(self._scale * counts, of, out=shares, where=of > 0)
        return Figures(self.labels(table.schema), shares, status)

    def linear(self, schema: Schema, released: Released) -> Linear:
        weight, all_groups = weight_term(self, schema), self._groups(schema)
        n = sum(groups.n_groups for groups in all_groups)
        terms, offset = [], 0
        for v, groups in enumerate(all_groups):
            terms.append(groups.term(index=offset + np.arange(groups.n_groups)))
            if self.statistic != "counts":
                terms.append(groups.term(index=np.full(groups.n_groups, n + v)))
            offset += groups.n_groups
        if self.statistic == "counts":
            return Linear.of_totals(Block(tuple(terms), n, weight=weight), released, self.weights is None)
        below = np.repeat(np.arange(len(all_groups)), [groups.n_groups for groups in all_groups])
        return Linear.of_ratios(Block(tuple(terms), n + len(all_groups), weight=weight), below, self._scale, released)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        all_groups = self._groups(schema)
        weight = weight_term(self, schema)
        n = sum(groups.n_groups for groups in all_groups)
        terms, offset = [], 0
        for groups in all_groups:
            terms.append(groups.term(index=offset + np.arange(groups.n_groups)))
            offset += groups.n_groups
        bounds = released.residual_low, released.residual_high, released.half
        if self.statistic == "counts":
            return Lowered(
                (Block(tuple(terms), n, weight=weight),), released.centre, DiagonalResiduals(np.ones(n)), *bounds
            )
        if weight is None and all((groups.levels[0] >= 0).all() for groups in all_groups):
            return Lowered(
                (Block(tuple(terms), n),), np.zeros(n), ShareResiduals(released.centre, self._scale), *bounds
            )
        of = np.repeat(np.arange(len(all_groups)), [groups.n_groups for groups in all_groups])
        for v, groups in enumerate(all_groups):
            terms.append(groups.term(index=np.full(groups.n_groups, n + v)))
        ratio = RatioResiduals(of, released.centre, self._scale, np.unique(of[released.is_given]))
        low, high = np.clip([released.low / self._scale, released.high / self._scale], 0.0, 1.0)
        sizes = possible_sizes(of, low, high, np.ones(n, dtype=bool))
        everybody = Groups.of(schema, ())
        keys = tuple(key for g in all_groups for key in group_keys(self, schema, everybody, g.names))
        sized = SizedResiduals(ratio, np.zeros(n), sizes, keys)
        return Lowered(
            (Block(tuple(terms), n + len(all_groups), weight=weight),),
            np.zeros(n + len(all_groups)),
            ratio if self.weights else sized,
            *ratio.bounds(released, half_row(self, schema)),
            is_linear=False,
            sized=None if self.weights else sized,
        )
