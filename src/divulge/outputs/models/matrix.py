"""The rows of a model as a matrix, for estimators that have no compiled fit of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.lowering.rows import counted, row_weights
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows that take part: their columns, response and weight, and their numbers in the table."""

    x: Floats
    y: Floats
    weight: Floats
    kept: Integers

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def take(self, chosen: Mask | Integers) -> ModelRows:
        return ModelRows(self.x[chosen], self.y[chosen], self.weight[chosen], self.kept[chosen])


def model_rows(output: Output, model: Model, table: Table, complete: Sequence[str] = ()) -> ModelRows:
    """The rows that a model is fitted to: complete cases of weight above 0.

    complete: variables beside the model's that may not be missing either.
    """
    keep = counted(output, table, (*model.variables(output.weights), *complete))
    y = model.y[table[model.formula.response.variable]]
    weight = row_weights(output, table)
    x, known = columns(model.design.terms, model.design.n_columns, table)
    kept = np.flatnonzero(keep & known & np.isfinite(y) & (weight > 0.0))
    return ModelRows(x[kept], y[kept], weight[kept], kept)


def columns(terms: Sequence[Term], n_columns: int, table: Table) -> tuple[Floats, Mask]:
    """The columns that terms look up for every row, and which rows have all of them."""
    x = np.zeros((table.n_rows, n_columns))
    known = np.ones(table.n_rows, dtype=bool)
    for term in terms:
        cell = np.zeros(table.n_rows, dtype=np.int64)
        value = np.ones(table.n_rows)
        for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
            cell += cells[table[name]]
            if factors is not None:
                value *= factors[table[name]]
        known &= cell >= 0
        at = np.where(cell >= 0, term.index[np.maximum(cell, 0)], -1)
        rows = np.flatnonzero(at >= 0)
        x[rows, at[rows]] += value[rows] * term.scale[cell[rows]]
    return x, known
