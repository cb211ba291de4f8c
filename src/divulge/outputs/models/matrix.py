"""The rows of a model as a matrix, for estimators that have no compiled fit of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.lowering.rows import counted, row_weights
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows that take part: their columns, response and weight, and their numbers in the table.

    second: another number of each row that an estimator needs (whether the event happened); as long as y or empty.
    counts: how many rows of the table each stands for, all of them in its weight already.
    """

    x: Floats
    y: Floats
    weight: Floats
    kept: Integers
    second: Floats
    counts: Floats

    @property
    def n_rows(self) -> int:
        """Of the table."""
        return int(self.counts.sum())

    @property
    def size(self) -> int:
        return len(self.y)

    def where(self, chosen: Mask) -> ModelRows:
        """Some of the rows."""
        second = self.second[chosen] if len(self.second) else self.second
        x, y, weight, kept = self.x[chosen], self.y[chosen], self.weight[chosen], self.kept[chosen]
        return ModelRows(x, y, weight, kept, second, self.counts[chosen])


def model_rows(
    output: Output,
    model: Model,
    table: Table,
    complete: Sequence[str] = (),
    second: tuple[str, Floats] | None = None,
    is_collapsed: bool = False,
) -> ModelRows:
    """The rows that a model is fitted to: complete cases of weight above 0.

    complete: variables beside the model's that may not be missing either. second: a variable and a number for each of
    its codes. is_collapsed: rows that are alike in all these are one, with the weight of all.
    """
    names = [*model.variables(output.weights), *complete]
    if is_collapsed:
        chosen = np.flatnonzero(counted(output, table, names))
        first, counts = _distinct(table, names, chosen)
        apart = Table(table.schema, table.take(first).columns)
        rows = model_rows(replace(output, where=None), model, apart, complete, second)
        counts = counts[rows.kept]
        kept = first[rows.kept]
        return replace(rows, weight=rows.weight * counts, counts=counts, kept=kept)
    keep = counted(output, table, names)
    y = model.y[table[model.formula.response.variable]]
    weight = row_weights(output, table)
    x, known = columns(model.design.terms, model.design.n_columns, table)
    other = np.zeros(0)
    if second is not None:
        other = second[1][table[second[0]]]
        keep &= np.isfinite(other)
    kept = np.flatnonzero(keep & known & np.isfinite(y) & (weight > 0.0))
    counts = table.times[kept]
    return ModelRows(x[kept], y[kept], weight[kept] * counts, kept, other[kept] if len(other) else other, counts)


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


def _distinct(table: Table, names: Sequence[str], rows: Integers) -> tuple[Integers, Floats]:
    """The first of each set of rows that are alike in some variables, and how many they are."""
    size = 1
    for name in names:
        size *= table.schema[name].n_codes
    people = table.times[rows]
    if size >= 2**62:
        return rows, people
    key = np.zeros(len(rows), dtype=np.int64)
    for name in names:
        key = key * table.schema[name].n_codes + table[name][rows]
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], np.bincount(number, people, minlength=len(first)).astype(np.float64)
