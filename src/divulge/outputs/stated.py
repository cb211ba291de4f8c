"""What figures state as sums: of a variable's values over people, each with a weight that others may know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
from divulge.outputs.released.precision import Released
from divulge.table import Table

Link = Literal["sum", "linear", "canonical", "other"]
"""How figures state the sums: as they are; by the normal equations of a linear model; by the score of a model with a
canonical link, for whoever has everybody's predictors; by another score, of which only the people are told."""

MOST_LEVELS = 40
"""Values up to which the counts of a table are taken as sums of each of its variables' values."""


@dataclass(frozen=True, eq=False)
class Stated:
    """Sums that an output states of one variable.

    about: the variable, and what of it: itself, one of its values, a transformation. own: that of each row.
    inside: the rows that take part. columns: the weights of some rows in each sum. error: of each sum as printed.
    """

    about: tuple[str, str]
    own: Floats
    inside: Mask
    columns: Callable[[Integers], Floats]
    error: Floats
    link: Link = "sum"
    is_weighted: bool = False

    def coarser(self, names: Sequence[str]) -> Stated:
        """The same of a variable that is coarser than its column, which is another variable."""
        name, what = self.about
        return replace(self, about=(name, f"{what}, coarser")) if name in names else self


def about_number(table: Table, name: str) -> tuple[str, str]:
    """What sums of a numeric variable are about: of 0 and 1 they count those with 1."""
    numbers = table.schema[name].numbers[: table.schema[name].n_values]
    return about_value(name, int(np.argmax(numbers))) if set(numbers.tolist()) == {0.0, 1.0} else (name, name)


def about_value(name: str, code: int) -> tuple[str, str]:
    """What the counts of one value are about."""
    return name, f"= {code}"


def _about_part(name: str, cuts: Sequence[float], closed: str) -> tuple[str, str]:
    """What the counts of the parts of a numeric variable are about. closed: which end belongs to a part."""
    return name, f"in parts closed {closed}, cut at {', '.join(f'{cut:g}' for cut in cuts)}"


def spread_of(values: Floats, times: Floats) -> float:
    """The standard deviation of values that so many people have each."""
    if not len(values):
        return 0.0
    mean = np.average(values, weights=times)
    return float(np.sqrt(np.average((values - mean) ** 2, weights=times)))


def stated_of_parts(
    name: str, cuts: tuple[Sequence[float], str], part: Integers, group: Integers, n_groups: int, table: Table
) -> Stated:
    """What exact counts of the parts of a numeric variable state, in each group. cuts: where parts begin and end, and
    which end belongs to them; part, group: of each row, −1: none."""
    inside = group >= 0
    numbers = np.nan_to_num(table.schema[name].numbers)[table[name]]
    about, own = _about_part(name, *cuts), part.astype(np.float64)
    if len(np.unique(numbers[inside])) == len(np.unique(part[inside])):
        about, own = about_number(table, name), numbers  # every part has one number
    return _of_groups(about, own, group, np.ones(table.n_rows), np.zeros(n_groups))


def stated_by_groups(groups: Sequence[Behind], weights: Floats, table: Table, released: Released) -> Iterator[Stated]:
    """What means, totals, counts and shares state. weights: of each row. groups: who is behind the figures."""
    is_weighted = bool((weights != 1.0).any())
    times = table.times
    for at, behind in enumerate(groups):
        inside = behind.group >= 0
        if behind.what in ("mean", "total") and behind.variable is not None:
            base = np.bincount(behind.group[inside], (weights * times)[inside], minlength=behind.n_groups)
            half = _halves(behind, released)
            error = (
                np.where(np.isfinite(half), np.nan_to_num(half, posinf=0.0) * base, np.inf)
                if behind.what == "mean"
                else half
            )
            own = np.nan_to_num(table.schema[behind.variable].numbers)[table[behind.variable]]
            yield _of_groups(about_number(table, behind.variable), own, behind.group, weights, error)
        elif behind.what in ("count", "share") and (behind.names or behind.told):
            below = next((b for b in groups[at:] if b.what == "base"), None)
            error = _errors_of_counts(behind, below, (weights, times), released)
            for name in behind.names or (behind.told or "",):
                for one in _of_values(name, behind, weights, error, table):
                    yield replace(one, is_weighted=is_weighted)


def _halves(behind: Behind, released: Released) -> Floats:
    """Half a unit of the last digit of each group's figure; infinite where none is printed."""
    is_printed = (behind.figures >= 0) & np.isfinite(released.values[behind.figures])
    return np.where(is_printed, released.half[behind.figures], np.inf)


def _errors_of_counts(
    behind: Behind, below: Behind | None, weighted: tuple[Floats, Floats], released: Released
) -> Floats:
    """How precisely the count behind each figure is known; numbers of people that are printed whole are exact.

    weighted: the weight of each row, and how many people it stands for.
    """
    half = _halves(behind, released)
    weights, times = weighted
    counted = weights * times
    if behind.what == "count" or below is None:
        is_weighted = bool((weights != 1.0).any())
        return np.where((half <= 0.5) & (not is_weighted), 0.0, half)
    inside = (behind.group >= 0) & (below.group >= 0)
    sizes = np.bincount(below.group[inside], counted[inside], minlength=below.n_groups)
    counts = np.bincount(behind.group[inside], counted[inside], minlength=behind.n_groups)
    base = np.zeros(behind.n_groups)
    base[behind.group[inside]] = sizes[below.group[inside]]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.nanmax(released.values[behind.figures] * base / counts, initial=1.0)
    return np.where(np.isfinite(half), np.nan_to_num(half, posinf=0.0) * base / (100.0 if scale > 10 else 1.0), np.inf)


def _of_values(name: str, behind: Behind, weights: Floats, error: Floats, table: Table) -> Iterator[Stated]:
    """The counts of a table as sums of each value of one of its variables, over the groups that the others make.

    How many people have each number says what the numbers add up to, too.
    """
    axis = behind.names.index(name) if behind.names else len(behind.shape) - 1
    n_levels = behind.shape[axis]
    cells = np.stack(np.unravel_index(np.maximum(behind.group, 0), behind.shape))
    others = tuple(n for i, n in enumerate(behind.shape) if i != axis)
    rest = np.delete(cells, axis, axis=0)
    group = np.ravel_multi_index(tuple(rest), others) if others else np.zeros(len(behind.group), dtype=np.int64)
    group = np.where(behind.group >= 0, group, -1)
    errors = np.moveaxis(error.reshape(behind.shape), axis, 0).reshape(n_levels, -1)
    if table.schema[name].kind == "numeric" and about_number(table, name) == (name, name):
        own = np.nan_to_num(table.schema[name].numbers)[table[name]]
        size = _size_of_levels(cells[axis], own, group >= 0, n_levels)
        if size is not None:
            with np.errstate(invalid="ignore"):
                added = np.nan_to_num(size[:, None] * errors, nan=np.inf, posinf=np.inf).sum(axis=0)
            yield _of_groups((name, name), own, group, weights, added)
    if n_levels > MOST_LEVELS:
        return
    for level in range(min(n_levels, table.schema[name].n_values)):
        own = (cells[axis] == level).astype(np.float64)
        yield _of_groups(about_value(name, level), own, group, weights, errors[level])


def _size_of_levels(level: Integers, own: Floats, inside: Mask, n_levels: int) -> Floats | None:
    """How large the number of each level is; None where people of a level have different ones, as in classes."""
    low, high = np.full(n_levels, np.inf), np.full(n_levels, -np.inf)
    np.minimum.at(low, level[inside], own[inside])
    np.maximum.at(high, level[inside], own[inside])
    has = np.isfinite(low)
    if not has.any() or (low[has] != high[has]).any():
        return None
    # Of levels that nobody has only the largest possible number is sure.
    return np.where(has, np.abs(np.where(has, low, 0.0)), np.abs(low[has]).max())


def _of_groups(about: tuple[str, str], own: Floats, group: Integers, weights: Floats, error: Floats) -> Stated:
    """One sum a group that has a printed figure."""
    place = np.append(np.where(np.isfinite(error), np.cumsum(np.isfinite(error)) - 1, -1), -1)[group]
    n = int(np.isfinite(error).sum())

    def columns(rows: Integers) -> Floats:
        found = np.zeros((len(rows), n))
        has = np.flatnonzero(place[rows] >= 0)
        found[has, place[rows][has]] = weights[rows][has]
        return found

    is_weighted = bool((weights[group >= 0] != 1.0).any())
    return Stated(about, own, place >= 0, columns, error[np.isfinite(error)], is_weighted=is_weighted)
