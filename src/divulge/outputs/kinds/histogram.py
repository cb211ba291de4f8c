"""Histogram: how many rows lie in each interval of a numeric variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import unknown_variable
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.bins import Closed, check_breaks, interval_marks, interval_of_codes
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import DiagonalResiduals
from divulge.outputs.lowering.rows import counted, row_weights, weight_term
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import Stated, stated_of_parts
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Histogram(Output):
    """The heights of a histogram's bars. The outermost interval includes its outer end, as in numpy and R."""

    kind: ClassVar[str] = "histogram"
    statbarn: ClassVar[Statbarn] = Statbarn.FREQUENCIES
    can_suppress: ClassVar[bool] = True
    has_threshold: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Ages by twenty years", {"variable": "AGE", "breaks": [0, 20, 40, 60, 80, 100]}),
        Example("Closed on the right", {"variable": "AGE", "breaks": [0, 30, 60, 90], "closed": "right"}),
    )

    variable: Annotated[str, "The variable."]
    breaks: Annotated[tuple[float, ...], "Where intervals begin and end, in ascending order."]
    closed: Annotated[Closed, "Which end of an interval belongs to it: left (numpy), right (R)."] = "left"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_breaks(self.breaks, "breaks")

    @property
    def growth(self) -> Growth:
        return "extensive"

    def own_variables(self) -> tuple[str, ...]:
        return (self.variable,)

    def check_fields(self, schema: Schema) -> None:
        if self.variable not in schema:
            raise unknown_variable(self.variable, schema.names, where="variable")
        with in_field("variable"):
            numeric(schema, self.variable)

    def _bins(self, schema: Schema) -> Integers:
        return interval_of_codes(schema[self.variable], self.breaks, self.closed)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.variable} {mark}" for mark in interval_marks(self.breaks, self.closed))

    def grid(self, schema: Schema) -> Grid:
        rows = [(mark,) for mark in interval_marks(self.breaks, self.closed)]
        return grid_of((self.variable,), rows, ("Counts",), np.arange(len(rows)), picture="bars")

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights:
            return None
        inside = "(x >= a) & (x < b)" if self.closed == "left" else "(x > a) & (x <= b)"
        end = -1 if self.closed == "left" else 0
        return [
            f"x, breaks = rows[{self.variable!r}], {list(self.breaks)!r}",
            f"found = [({inside}).sum() for a, b in zip(breaks, breaks[1:])]",
            f"found[{end}] += (x == breaks[{end}]).sum()",
        ]

    def describe(self) -> str:
        return f"Histogram of {self.variable}" + (f", where {self.where}" if self.where else "") + "."

    def usual_decimals(self) -> int:
        return 0

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        return 0.0, np.inf if n_rows is None or self.weights else float(n_rows)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        bins = self._bins(table.schema)[table[self.variable]]
        group = np.where(counted(self, table, (self.variable,)), bins, -1)
        return (Behind("count", np.arange(len(self.breaks) - 1), group),)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        """What the numbers of the intervals add up to in which people lie."""
        bins = self._bins(table.schema)[table[self.variable]]
        group = np.where(counted(self, table, (self.variable,)) & (bins >= 0), 0, -1)
        if not released.is_given.all() or (released.half > 0.5).any() or self.weights is not None:
            return ()
        return (stated_of_parts(self.variable, (self.breaks, self.closed), bins, group, 1, table),)

    def evaluate(self, table: Table) -> Figures:
        bins = self._bins(table.schema)[table[self.variable]]
        keep = counted(self, table, (self.variable,)) & (bins >= 0)
        added = np.bincount(bins[keep], row_weights(self, table)[keep], minlength=len(self.breaks) - 1)
        return Figures(self.labels(table.schema), added.astype(float), Status.OK if keep.any() else Status.EMPTY)

    def _block(self, schema: Schema) -> Block:
        n = len(self.breaks) - 1
        term = Term.cross((self.variable,), (self._bins(schema),), np.arange(n))
        return Block((term,), n, weight=weight_term(self, schema))

    def linear(self, schema: Schema, released: Released) -> Linear:
        return Linear.of_totals(self._block(schema), released, self.weights is None)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        bounds = released.residual_low, released.residual_high, released.half
        residuals = DiagonalResiduals(np.ones(len(self.breaks) - 1))
        return Lowered((self._block(schema),), released.centre, residuals, *bounds)
