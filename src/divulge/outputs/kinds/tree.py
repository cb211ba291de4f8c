"""Decision tree: how many rows of each class are in each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.leaves import Leaves
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import DiagonalResiduals
from divulge.outputs.lowering.rows import shown_levels, weight_term
from divulge.outputs.models.pieces import crossed
from divulge.outputs.output import Example, Growth
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Tree(Leaves):
    """A fitted decision tree (Breiman et al. 1984) as the table that it is: its leaves down, the classes of the
    response across, and in each cell how many rows there are. Whoever has the tree has this table.

    A leaf is the condition that leads to it.
    """

    kind: ClassVar[str] = "tree"
    statbarn: ClassVar[Statbarn] = Statbarn.FREQUENCIES
    can_suppress: ClassVar[bool] = True
    has_threshold: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Who rents, by age and illness",
            {
                "response": "TENURE",
                "variables": ["AGE", "LTILL"],
                "leaves": ["AGE <= 35.5 and LTILL = Yes", "AGE <= 35.5 and LTILL = No", "AGE > 35.5"],
            },
        ),
    )

    @property
    def growth(self) -> Growth:
        return "extensive"

    def _classes(self, schema: Schema) -> Integers:
        """The class of each code of the response; −1: missing."""
        variable = schema[self.response]
        return np.where(variable.is_missing, -1, np.arange(variable.n_codes)).astype(np.int64)

    def _cell_of_row(self, table: Table) -> Integers:
        leaf = self.leaf_of_row(table)
        k = table.schema[self.response].n_values
        return np.where(leaf < 0, -1, leaf * k + self._classes(table.schema)[table[self.response]])

    def labels(self, schema: Schema) -> tuple[str, ...]:
        response = schema[self.response]
        classes = [f"{self.response}={text}" for text in response.texts[: response.n_values]]
        return tuple(f"{one} in {leaf}" for leaf in self.leaves for one in classes)

    def grid(self, schema: Schema) -> Grid:
        response = schema[self.response]
        numbers = np.arange(len(self.leaves) * response.n_values).reshape(len(self.leaves), -1)
        rows = [(leaf,) for leaf in self.leaves]
        return grid_of(("Leaf",), rows, shown_levels(response, response.n_values), numbers, self.response)

    def describe(self) -> str:
        return self.describe_as("Decision tree")

    def usual_decimals(self) -> int:
        return 0

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        return 0.0, np.inf if n_rows is None else float(n_rows)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        shape = len(self.leaves), table.schema[self.response].n_values
        cells = np.arange(shape[0] * shape[1])
        return (Behind("count", cells, self._cell_of_row(table), shape=shape, told=self.response),)

    def counted_together(self, table: Table, released: Released) -> tuple[str, ...]:
        """Where every leaf has one combination of values, the tree is the crosstab of all its variables."""
        low, high = released.whole()
        leaf = self.leaf_of_row(table)
        number = np.zeros(table.n_rows, dtype=np.int64)
        for name in self.variables:
            number = number * table.schema[name].n_codes + table[name]
        pairs = len(set(zip(leaf.tolist(), number.tolist(), strict=True)))
        is_whole = bool((leaf >= 0).all()) and pairs == len(np.unique(leaf))
        return self.own_variables() if is_whole and bool((low == high).all()) else ()

    def evaluate(self, table: Table) -> Figures:
        cell = self._cell_of_row(table)
        keep = cell >= 0
        counts = np.bincount(cell[keep], minlength=len(self.leaves) * table.schema[self.response].n_values)
        return Figures(self.labels(table.schema), counts.astype(float), Status.OK if keep.any() else Status.EMPTY)

    def _block(self, schema: Schema) -> Block:
        """One term a leaf: where its condition is true, the column of the leaf and the class."""
        k = schema[self.response].n_values
        classes = Term.cross((self.response,), (self._classes(schema),), np.arange(k))
        terms = [crossed(inside, classes, k) for inside in self.leaf_terms(schema)]
        return Block(tuple(terms), len(self.leaves) * k, weight=weight_term(self, schema))

    def linear(self, schema: Schema, released: Released) -> Linear:
        return Linear.of_totals(self._block(schema), released, True)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        bounds = released.residual_low, released.residual_high, released.half
        block = self._block(schema)
        return Lowered((block,), released.centre, DiagonalResiduals(np.ones(block.n_totals)), *bounds)
