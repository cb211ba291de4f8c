"""Numeric variables in groups, so that a near value counts as disclosed (Raab 2024, section 3.4).

Breaks are the pooled type-7 quantiles (Hyndman and Fan 1996) of the original and all synthetic tables, as R's classInt
makes them for synthpop: equal breaks are merged; with no more distinct values than groups each value is a group;
quantiles that leave fewer than three levels give way to intervals of equal width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from divulge.errors import MeasureError
from divulge.kernels.arrays import Floats, Integers
from divulge.table import Schema, Table, Variable
from divulge.table.variable import value_text


@dataclass(frozen=True)
class Groups:
    """In how many groups a variable is cut, and which of its values are special codes that stay levels."""

    n: int
    special: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.n < 2:
            raise MeasureError(f"at least 2 groups are needed, {self.n} is given.", where="groups")


def _quantile_breaks(values: Floats, counts: Integers, n: int) -> Floats:
    """The type-7 quantiles at 0, 1/n, …, 1 of ascending distinct values that occur `counts` times."""
    ends = np.cumsum(counts)
    place = 1 + (int(ends[-1]) - 1) * (np.arange(n + 1) / n)
    low = values[np.searchsorted(ends, np.floor(place))]
    high = values[np.searchsorted(ends, np.ceil(place))]
    share = place - np.floor(place)
    # Where both neighbours are one value the break is that value itself, not a sum that may round away from it.
    return np.where(low == high, low, (1 - share) * low + share * high)


def _breaks(values: Floats, counts: Integers, n: int, n_special: int) -> Floats | None:
    """Ascending distinct breaks for n groups; None where every value is a group of its own."""
    if len(values) <= n:
        return None
    found = np.unique(_quantile_breaks(values, counts, n))
    # synthpop counts special codes as levels here; fewer than three levels would say next to nothing.
    if len(found) - 1 + n_special < 3:
        step = (values[-1] - values[0]) / n
        found = np.append(values[0] + np.arange(n) * step, values[-1])
    return found


def group_tables(tables: Sequence[Table], groups: Mapping[str, Groups], pooled: int) -> tuple[Table, ...]:
    """Aligned tables with some variables grouped. Breaks come from the first `pooled` tables alone.

    Values of the other tables (a holdout) that lie outside fall into the first or the last group.
    """
    schema = tables[0].schema
    columns: list[list[NDArray[np.integer]]] = [list(t.columns) for t in tables]
    for name, how in groups.items():
        at = schema.position(name)
        counts = sum(t.frequencies(name) for t in tables[:pooled])
        variable, moved = grouped_variable(schema[name], np.asarray(counts), how)
        schema = schema.with_variable(variable)
        for held in columns:
            held[at] = moved[held[at]]
    schema = Schema(schema.variables)
    return tuple(Table(schema, tuple(c.astype(v.dtype) for v, c in zip(schema, held, strict=True))) for held in columns)


def grouped_variable(variable: Variable, counts: Integers, how: Groups) -> tuple[Variable, Integers]:
    """The grouped variable, and for every old code its new one."""
    numbers = variable.numbers
    is_value = ~variable.is_missing
    if np.isnan(numbers[is_value]).any():
        raise MeasureError(f"{variable.name!r} is not numeric and cannot be grouped.", where="groups")
    is_special = np.isin(numbers, how.special)
    plain = is_value & ~is_special
    used = np.flatnonzero(plain & (counts > 0))
    used = used[np.argsort(numbers[used], kind="stable")]
    special = [value_text(v) for v in variable.values[is_special[: variable.n_values]].tolist()]
    found = _breaks(numbers[used], counts[used], how.n, len(special)) if used.size else np.zeros(0)
    if found is None:
        found = np.append(numbers[used], numbers[used[-1]])
        names = [value_text(v) for v in numbers[used].tolist()]
    else:
        names = _names(found)
    moved = np.zeros(variable.n_codes, dtype=np.int64)
    n = max(len(names), 1)
    moved[plain] = np.clip(np.searchsorted(found[:n], numbers[plain], side="right") - 1, 0, n - 1)
    moved[is_special] = len(names) + np.arange(len(special))
    moved[variable.is_missing] = len(names) + len(special) + np.arange(len(variable.missing))
    values = np.empty(len(names) + len(special), dtype=object)
    values[:] = [*names, *special]
    labels = {k: v for k, v in variable.labels.items() if k in variable.missing}
    grouped = Variable(variable.name, "categorical", values, labels=labels, missing=variable.missing, is_ordered=True)
    return grouped, moved


def _names(found: Floats) -> list[str]:
    """[a, b) for every group, the last one closed."""
    texts = [f"{b:.12g}" for b in found]
    if len(set(texts)) < len(texts):
        texts = [repr(float(b)) for b in found]
    last = len(texts) - 2
    return [f"[{a}, {b}{']' if i == last else ')'}" for i, (a, b) in enumerate(pairwise(texts))]
