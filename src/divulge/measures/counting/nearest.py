"""Rows as points, and their nearest rows in another table by Gower distance (Gower 1971).

Numbers count by their difference over the range of the variable's values, categories by whether they differ, missing
codes as categories: two rows are between 0 (alike) and 1 (different in everything) apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.kernels import neighbours
from divulge.kernels.arrays import Floats, Integers
from divulge.table import Table


def points(table: Table, names: Sequence[str]) -> Floats:
    """One row of coordinates a row of the table; all tables of one schema are scaled alike."""
    columns = []
    for name in names:
        variable = table.schema[name]
        places = np.arange(variable.n_codes, dtype=np.float64)
        if variable.kind == "numeric" and variable.n_values:
            numbers = variable.numbers[: variable.n_values]
            reach = float(numbers[-1] - numbers[0])
            places[: variable.n_values] = (numbers - numbers[0]) / reach if reach > 0 else 0.0
            # Missing codes lie beyond the range, each at least 1 from every number and from each other.
            places[variable.n_values :] = 2.0 + np.arange(len(variable.missing))
        columns.append(places[table[name]])
    return np.ascontiguousarray(np.column_stack(columns)) if columns else np.zeros((table.n_rows, 0))


def nearest(among: Floats, rows: Floats, k: int = 1, leave_out: bool = False) -> tuple[Floats, Integers]:
    """For every row its k nearest of `among`: distances from 0 to 1, and places; infinite and −1 for lack of any."""
    distances, found = neighbours.nearest(neighbours.build(among), rows, k, leave_out)
    return distances / max(among.shape[1], 1), found


def sampled(rows: Floats, most: int, rng: np.random.Generator) -> Floats:
    """At most so many of the rows, drawn at random; all of them in their order where they are no more."""
    if len(rows) <= most:
        return rows
    return rows[np.sort(rng.permutation(len(rows))[:most])]
