"""Herfindahl index: how concentrated a total is on few units, by groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import What
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.grouped import Grouped, known_numbers, undefined_as_status
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, counted, row_weights, weight_term
from divulge.outputs.lowering.smooth import SmoothSums
from divulge.outputs.output import Example, Growth
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Herfindahl(Grouped):
    """Σ s², the sum of squared shares of a variable's total (Hirschman 1964).

    Each row is a unit with its own share; with `units` the rows that share a value of that variable are one unit.
    """

    kind: ClassVar[str] = "herfindahl"
    statbarn: ClassVar[Statbarn] = Statbarn.CONCENTRATION
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Concentration of years lived on people", {"variables": ["AGE"], "by": ["SEX"], "significant": 3}),
        Example("Concentration of renters on areas", {"variables": ["TENURE"], "units": "AREAP", "where": "AGE >= 18"}),
        Example("Weighted", {"variables": ["AGE"], "units": "ETHGROUP", "weights": "MSTATUS"}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose totals are shared out; none may be negative."]
    units: Annotated[str | None, "A variable whose values are the units; none: every row is one."] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.units is not None and self.units in (*self.variables, *self.by):
            raise OutputError(f"{self.units!r} is among variables or by already.", where="units")

    @property
    def growth(self) -> Growth:
        return "intensive" if self.units else "neither"

    def own_variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*super().own_variables(), *([self.units] if self.units else [])]))

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        check_not_negative(self.variables, schema)

    def heading(self) -> str:
        return "Herfindahl index"

    def whats(self) -> Sequence[tuple[What, float]]:
        return (("concentration", np.nan),)

    def describe(self) -> str:
        what = "Herfindahl index" + (f" over {self.units}" if self.units else "")
        return self.describe_as(what)

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        del n_rows
        return (0.0 if self.units is None else 1.0 / max(schema[self.units].n_values, 1)), 1.0

    def evaluate(self, table: Table) -> Figures:
        parts, sizes = [], []
        for column in self.columns(table):
            total = column.sums(column.numbers)
            squares = column.sums(column.numbers**2)
            if self.units is not None:
                total, squares = self._unit_sums(column.name, table)
            values = np.full(len(total), np.nan)
            np.divide(squares, total**2, out=values, where=total > 0)
            parts.append(values)
            sizes.append(column.sums())
        return undefined_as_status(self.labels(table.schema), np.concatenate(parts), np.concatenate(sizes))

    def _unit_sums(self, name: str, table: Table) -> tuple[Floats, Floats]:
        """The total of each group, and the sum of its units' squared totals."""
        assert self.units is not None
        spanned = Groups.of(table.schema, (*self.by, self.units))
        keep = counted(self, table, (name, self.units, *self.by))
        weights = row_weights(self, table)[keep] * table.schema[name].numbers[table[name][keep]]
        sums = np.bincount(spanned.numbers(table)[keep], weights, minlength=spanned.n_groups)
        by_unit = sums.reshape(-1, max(table.schema[self.units].n_values, 1))
        return by_unit.sum(axis=1), (by_unit**2).sum(axis=1)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        groups = Groups.of(schema, self.by)
        n_groups = groups.n_groups
        terms, offset = [], 0
        spanned = groups if self.units is None else Groups.of(schema, (*self.by, self.units))
        for name in self.variables:
            name, numbers = known_numbers(schema, name)
            scale = max(float(np.nanmax(np.abs(numbers))), np.finfo(float).tiny)  # keeps squares of the size of counts
            terms.append(spanned.term(index=offset + np.arange(spanned.n_groups), factor=(name, numbers / scale)))
            offset += spanned.n_groups
            if self.units is None:
                squares = (name, (numbers / scale) ** 2)
                terms.append(groups.term(index=offset + np.arange(n_groups), factor=squares))
                offset += n_groups
        n_variables, n_units = len(self.variables), spanned.n_groups // max(n_groups, 1)

        def figures(totals: Floats) -> Floats:
            if self.units is None:
                shaped = totals.reshape(n_variables, 2, n_groups)
                whole, squares = shaped[:, 0], shaped[:, 1]
            else:
                by_unit = totals.reshape(n_variables, n_groups, n_units)
                whole, squares = by_unit.sum(axis=2), (by_unit**2).sum(axis=2)
            # Where there is nothing to share out there is no index.
            undefined = released.beyond.reshape(whole.shape).copy()
            return np.divide(squares, whole**2, out=undefined, where=whole > 0).ravel()

        block = Block(tuple(terms), offset, weight=weight_term(self, schema))
        return SmoothSums((block,), figures).lower(released)


def check_not_negative(variables: tuple[str, ...], schema: Schema) -> None:
    """Raise where a variable can be negative: shares of its total would make no sense."""
    for i, name in enumerate(variables):
        if schema[name].numbers[: schema[name].n_values].min(initial=0.0) < 0:
            raise OutputError(
                f"{name!r} has negative values, of which no shares can be taken.",
                where=f"variables[{i}]",
                hint="Take the rows out with where, or recode the variable.",
            )
