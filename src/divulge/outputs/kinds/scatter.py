"""Scatter plot as a grid: how many rows lie in each rectangle of two numeric variables, with marginal densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import TOTAL, Grid, grid_of
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
class Scatter(Output):
    """How many rows lie in each rectangle of a grid over two variables, and with `margins` in each interval of either:
    what a density plot, a heat map or a binned scatter plot with marginal histograms shows.

    A scatter plot of single points is a release of rows: say `microdata`.
    """

    kind: ClassVar[str] = "scatter"
    statbarn: ClassVar[Statbarn] = Statbarn.FREQUENCIES
    can_suppress: ClassVar[bool] = True
    has_threshold: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age and marital status, with marginal histograms",
            {"x": "AGE", "y": "MSTATUS", "x_breaks": [0, 30, 60, 100], "y_breaks": [1, 2, 3, 5], "margins": True},
        ),
    )

    x: Annotated[str, "The variable across."]
    y: Annotated[str, "The variable upwards."]
    x_breaks: Annotated[tuple[float, ...], "Where intervals of x begin and end, in ascending order."]
    y_breaks: Annotated[tuple[float, ...], "Where intervals of y begin and end, in ascending order."]
    margins: Annotated[bool, "Whether the counts of each interval of x and of y are shown beside."] = False
    closed: Annotated[Closed, "Which end of an interval belongs to it: left (numpy), right (R)."] = "left"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_breaks(self.x_breaks, "x_breaks")
        check_breaks(self.y_breaks, "y_breaks")
        if self.x == self.y:
            raise OutputError("two different variables are needed.", where="y")

    @property
    def growth(self) -> Growth:
        return "extensive"

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.x_breaks) - 1, len(self.y_breaks) - 1

    def own_variables(self) -> tuple[str, ...]:
        return self.x, self.y

    def check_fields(self, schema: Schema) -> None:
        for field, name in (("x", self.x), ("y", self.y)):
            if name not in schema:
                raise unknown_variable(name, schema.names, where=field)
            with in_field(field):
                numeric(schema, name)

    def _marks(self) -> tuple[list[str], list[str]]:
        return interval_marks(self.x_breaks, self.closed), interval_marks(self.y_breaks, self.closed)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        of_x, of_y = self._marks()
        cells = [f"{self.x} {a} & {self.y} {b}" for a, b in product(of_x, of_y)]
        beside = [*(f"{self.x} {a}" for a in of_x), *(f"{self.y} {b}" for b in of_y)] if self.margins else []
        return (*cells, *beside)

    def grid(self, schema: Schema) -> Grid:
        """x across, y upwards as in a plot; margins last."""
        n_x, n_y = self._shape
        of_x, of_y = self._marks()
        numbers = np.full((n_y + self.margins, n_x + self.margins), -1)
        numbers[:n_y, :n_x] = np.arange(n_x * n_y).reshape(n_x, n_y).T[::-1]
        if self.margins:
            numbers[n_y, :n_x] = n_x * n_y + np.arange(n_x)
            numbers[:n_y, n_x] = (n_x * n_y + n_x + np.arange(n_y))[::-1]
        total = [TOTAL] if self.margins else []
        return grid_of((self.y,), [(mark,) for mark in (*of_y[::-1], *total)], (*of_x, *total), numbers, self.x)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights or self.closed == "right":
            return None
        beside = " + [(p & in_y).sum() for p in of_x] + [(q & in_x).sum() for q in of_y]" if self.margins else ""
        return [
            "def parts(v, breaks):",
            "    last = breaks[-1]",
            "    return [(v >= a) & ((v < b) | ((v == b) & (b == last))) for a, b in zip(breaks, breaks[1:])]",
            f"x, y = rows[{self.x!r}].astype(float), rows[{self.y!r}].astype(float)",
            f"of_x, of_y = parts(x, {list(self.x_breaks)!r}), parts(y, {list(self.y_breaks)!r})",
            "in_x, in_y = sum(of_x) > 0, sum(of_y) > 0",
            f"found = [(p & q).sum() for p in of_x for q in of_y]{beside}",
        ]

    def describe(self) -> str:
        text = f"Scatter plot of {self.x} and {self.y} on a grid" + (
            ", with marginal densities" if self.margins else ""
        )
        return text + (f", where {self.where}" if self.where else "") + "."

    def usual_decimals(self) -> int:
        return 0

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        return 0.0, np.inf if n_rows is None or self.weights else float(n_rows)

    def _places(self, schema: Schema) -> tuple[Integers, Integers]:
        return (
            interval_of_codes(schema[self.x], self.x_breaks, self.closed),
            interval_of_codes(schema[self.y], self.y_breaks, self.closed),
        )

    def _cells(self, table: Table) -> Integers:
        """The rectangle of each row; −1: none."""
        of_x, of_y = self._places(table.schema)
        a, b = of_x[table[self.x]], of_y[table[self.y]]
        keep = counted(self, table, (self.x, self.y)) & (a >= 0) & (b >= 0)
        return np.where(keep, a * self._shape[1] + b, -1)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        cell = self._cells(table)
        n_x, n_y = self._shape
        found = [Behind("count", np.arange(n_x * n_y), cell)]
        if self.margins:
            found.append(Behind("count", n_x * n_y + np.arange(n_x), np.where(cell < 0, -1, cell // n_y)))
            found.append(Behind("count", n_x * n_y + n_x + np.arange(n_y), np.where(cell < 0, -1, cell % n_y)))
        return tuple(found)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        """What the numbers of the intervals of either variable add up to, in each interval of the other."""
        if not released.is_given.all() or (released.half > 0.5).any() or self.weights is not None:
            return ()
        cell, (n_x, n_y) = self._cells(table), self._shape
        across, up = (np.where(cell < 0, -1, place) for place in (cell // n_y, cell % n_y))
        return (
            stated_of_parts(self.x, (self.x_breaks, self.closed), across, up, n_y, table),
            stated_of_parts(self.y, (self.y_breaks, self.closed), up, across, n_x, table),
        )

    def evaluate(self, table: Table) -> Figures:
        cell, shape = self._cells(table), self._shape
        keep = cell >= 0
        added = np.bincount(cell[keep], row_weights(self, table)[keep], minlength=shape[0] * shape[1])
        square = added.astype(float).reshape(shape)
        beside = [square.sum(axis=1), square.sum(axis=0)] if self.margins else []
        values = np.concatenate([square.ravel(), *beside])
        return Figures(self.labels(table.schema), values, Status.OK if keep.any() else Status.EMPTY)

    def _block(self, schema: Schema) -> Block:
        n_x, n_y = self._shape
        numbers = np.arange(n_x * n_y)
        indices = [numbers]
        if self.margins:
            indices += [n_x * n_y + numbers // n_y, n_x * n_y + n_x + numbers % n_y]
        levels = self._places(schema)
        # Rectangles are numbered by the intervals that there are, not by those that some value lies in.
        sizes = [int(level.max(initial=0)) + 1 for level in levels]
        held = np.arange(n_x * n_y).reshape(n_x, n_y)[: sizes[0], : sizes[1]].ravel()
        terms = tuple(Term.cross((self.x, self.y), levels, index[held]) for index in indices)
        return Block(terms, len(self.labels(schema)), weight=weight_term(self, schema))

    def linear(self, schema: Schema, released: Released) -> Linear:
        return Linear.of_totals(self._block(schema), released, self.weights is None)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        bounds = released.residual_low, released.residual_high, released.half
        return Lowered(
            (self._block(schema),), released.centre, DiagonalResiduals(np.ones(len(released.labels))), *bounds
        )
