"""Keys as columns of numbers for models that learn from synthetic rows. What is fitted is fitted on those rows alone.

A level that the synthetic rows do not have tells the model nothing: it stands where the average row stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats
from divulge.kernels.ordering import ranks_by_class, ranks_by_mean
from divulge.table import Table, Variable


@dataclass(frozen=True, eq=False)
class Features:
    """Columns of numbers looked up from codes. lookups: for each variable its (codes, columns) array."""

    names: tuple[str, ...]
    lookups: tuple[Floats, ...]

    def of(self, table: Table) -> Floats:
        """The (rows, columns) array of a table."""
        parts = [lookup[table[name]] for name, lookup in zip(self.names, self.lookups, strict=True)]
        return np.hstack(parts) if parts else np.empty((table.n_rows, 0))


def for_trees(table: Table, names: Sequence[str], y: NDArray[np.integer] | Floats, n_classes: int) -> Features:
    """One column a variable: numbers and ordered levels as they are, nominal levels by rank along the response.

    y: class codes where n_classes > 0, else numbers. A variable with missing codes has a second column for them.
    """
    lookups = []
    for name in names:
        variable, codes = table.schema[name], table[name]
        if variable.kind == "numeric":
            lookups.append(_numbers(variable, codes, scaled=False))
        elif variable.is_ordered:
            lookups.append(np.arange(variable.n_codes, dtype=np.float64)[:, None])
        elif n_classes:
            lookups.append(ranks_by_class(codes, variable.n_codes, y, n_classes)[:, None])  # type: ignore[arg-type]
        else:
            lookups.append(ranks_by_mean(codes, variable.n_codes, y)[:, None])  # type: ignore[arg-type]
    return Features(tuple(names), tuple(lookups))


def for_linear(table: Table, names: Sequence[str]) -> Features:
    """Standardised numbers, and an indicator for every level but the most frequent one that some row has."""
    lookups = []
    for name in names:
        variable, codes = table.schema[name], table[name]
        if variable.kind == "numeric":
            lookups.append(_numbers(variable, codes, scaled=True))
        else:
            counts = np.bincount(codes, minlength=variable.n_codes)
            seen = np.flatnonzero(counts)
            reference = int(np.argmax(counts))
            lookups.append(np.eye(variable.n_codes)[:, [c for c in seen.tolist() if c != reference]])
    return Features(tuple(names), tuple(lookups))


def _numbers(variable: Variable, codes: NDArray[np.integer], scaled: bool) -> Floats:
    """The number behind each code, missing ones at the mean, and an indicator for each missing code that occurs."""
    numbers = variable.numbers
    present = numbers[codes]
    present = present[np.isfinite(present)]
    mean = float(present.mean()) if present.size else 0.0
    column = np.nan_to_num(numbers, nan=mean)
    if scaled:
        spread = float(present.std()) if present.size else 0.0
        # A spread this small beside the numbers is rounding: the variable is constant.
        column = (column - mean) / (spread if spread > 1e-12 * max(1.0, abs(mean)) else 1.0)
    missing = [c for c in range(variable.n_values, variable.n_codes) if (codes == c).any()]
    return np.column_stack([column, *(np.arange(variable.n_codes) == c for c in missing)]).astype(np.float64)
