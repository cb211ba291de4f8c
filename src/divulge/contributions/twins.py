"""Variables that are one another but for a few people: in other units, recoded, or sums of others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.table import Table

_MOST_LEVELS = 40
"""With at most so many values any one-to-one relation counts. With more, only a straight line does."""

_SAMPLE = 400
"""Rows that are looked at first: most pairs of variables have nothing to do with each other."""

_ENDS = 9
"""Lines are laid through so many rows at either end. A few of them may be people with another value."""

_OFF = 0.01
"""A value on the line to within this share of the spread is on it: units are converted and then rounded."""

_MOST_ADDED = {3: 20, 4: 10}
"""Of at most so many variables we try all three, or all four, for one that is the sum of the others."""

_MOST_FOUND = 30
"""So many sums are enough: where there are more, all these variables are made of a few of them."""

_EXACT = 1e-6
"""Sums agree to within this share of the spread. Programs add without rounding."""

_FEWEST_ROWS, _FEWEST_OTHERS = 20, 10
"""A relation needs so many people, and so many off the commonest value: two rare things are nearly always alike."""


class Line(NamedTuple):
    """second = origin + slope × first, but for the people apart."""

    origin: float
    slope: float
    apart: Mask


def line_between(first: Floats, second: Floats, known: Mask, times: Floats | Integers, most: int) -> Line | None:
    """The straight line on which all but at most so many people lie; None where there is none. times: of each row.

    It is the median of lines through both ends of the first variable, which a few people cannot turn (Theil 1950).
    """
    rows = np.flatnonzero(known)
    if len(rows) < _FEWEST_ROWS or _off_line(first, second, rows[:: max(len(rows) // _SAMPLE, 1)], times, most) is None:
        return None
    found = _off_line(first, second, rows, times, most)
    if found is None or not _varies(first[rows][~found.apart], times[rows][~found.apart]):
        return None
    apart = np.zeros(len(known), dtype=bool)
    apart[rows[found.apart]] = True
    return found._replace(apart=apart)


def sums_of(
    columns: Sequence[Floats], known: Sequence[Mask], times: Floats | Integers, most: int
) -> list[tuple[dict[int, int], Mask]]:
    """Columns that add up to the same for all but at most so many people: times how much each, and who is apart.

    Of three columns each may count once or twice, of four once, and each may be taken away. Few rows are looked at
    first; what holds for these is tried on all rows.
    """
    rows = np.flatnonzero(np.any(known, axis=0)) if len(columns) >= min(_MOST_ADDED) else np.zeros(0, dtype=np.int64)
    rows = rows[:: max(len(rows) // (10 * _SAMPLE), 1)]
    values, there = ([c[rows] for c in some] for some in (columns, known))
    found: list[tuple[dict[int, int], Mask]] = []
    for size, most_columns in _MOST_ADDED.items():
        for some in combinations(range(len(columns)), size) if len(columns) <= most_columns else ():
            if len(found) == _MOST_FOUND or any(set(ways) <= set(some) for ways, _ in found):
                continue
            at = np.flatnonzero(np.logical_and.reduce([there[k] for k in some]))
            at = at[:: max(len(at) // _SAMPLE, 1)]
            sample: Floats = np.stack([values[k][at] for k in some])
            for factors in _adding_up(sample, times[rows[at]], most):
                every = np.flatnonzero(np.logical_and.reduce([known[k] for k in some]))
                whole = np.stack([columns[k][every] for k in some])
                off = _off_sum(factors @ whole, whole, times[every], most)
                if off is not None and all(_varies(column[~off], times[every][~off]) for column in whole):
                    apart = np.zeros(len(times), dtype=bool)
                    apart[every[off]] = True
                    found.append((dict(zip(some, factors.tolist(), strict=True)), apart))
                    break
    return found


def twins_of(table: Table, names: Sequence[str], most: int) -> list[tuple[str, str, Mask]]:
    """Pairs of these variables that are one another but for at most so many people, with those people."""
    found = []
    columns = [_Column.of(table, name) for name in dict.fromkeys(names) if name in table.schema]
    for one, other in combinations(columns, 2):
        apart = _apart(one, other, table.times, most)
        if apart is not None:
            found.append((one.name, other.name, apart))
    return found


class _Column(NamedTuple):
    """A variable as its rows have it. numbers: None where it is a category."""

    name: str
    n_values: int
    codes: Integers
    known: Mask
    numbers: Floats | None

    @classmethod
    def of(cls, table: Table, name: str) -> _Column:
        variable, codes = table.schema[name], table[name].astype(np.int64)
        numbers = np.nan_to_num(variable.numbers)[codes] if variable.kind == "numeric" else None
        return cls(name, variable.n_values, codes, ~variable.is_missing[codes], numbers)


def _apart(one: _Column, other: _Column, times: Floats | Integers, most: int) -> Mask | None:
    """Who does not follow a relation between two variables; None where there is no relation."""
    known = one.known & other.known
    if max(one.n_values, other.n_values) <= _MOST_LEVELS:
        return _levels_apart((one.codes, other.codes), known, times, most)
    if one.numbers is None or other.numbers is None:
        return None
    line = line_between(one.numbers, other.numbers, known, times, most)
    return None if line is None else line.apart


def _levels_apart(codes: tuple[Integers, Integers], known: Mask, times: Floats | Integers, most: int) -> Mask | None:
    """The same of a few levels each: every level goes with one of the other variable, and no two with the same."""
    rows = np.flatnonzero(known)
    if len(rows) < _FEWEST_ROWS:
        return None
    for some in (rows[:: max(len(rows) // _SAMPLE, 1)], rows):
        one, other = codes[0][some], codes[1][some]
        counts = np.zeros((int(one.max()) + 1, int(other.max()) + 1))
        np.add.at(counts, (one, other), times[some])
        goes_with = counts.argmax(axis=1)
        off = goes_with[one] != other
        if times[some][off].sum() > most:
            return None
    there = np.unique(one[~off])
    if len(np.unique(goes_with[there])) < len(there) or not _varies(one[~off], times[rows][~off]):
        return None
    apart = np.zeros(len(known), dtype=bool)
    apart[rows[off]] = True
    return apart


def _off_line(first: Floats, second: Floats, rows: Integers, times: Floats | Integers, most: int) -> Line | None:
    """The line of these rows, and which of them are off it; None where too many are, or nothing varies."""
    x, y = first[rows], second[rows]
    order = np.argsort(x, kind="stable")
    low, high = order[:_ENDS], order[-_ENDS:]
    run = x[high] - x[low]
    slope = float(np.median((y[high] - y[low])[run > 0] / run[run > 0])) if (run > 0).any() else 0.0
    if slope == 0:
        return None
    origin = float(np.median(y - slope * x))
    off = np.abs(y - origin - slope * x) > _OFF * float(np.std(y)) + 1e-12
    return Line(origin, slope, off) if times[rows][off].sum() <= most else None


def _adding_up(values: Floats, times: Floats | Integers, most: int) -> list[Integers]:
    """How much of each of these columns adds up to the same for all but a few of a sample."""
    if values.shape[1] < _FEWEST_ROWS:
        return []
    factor = (1, -1, 2, -2) if len(values) == min(_MOST_ADDED) else (1, -1)
    ways = np.array([(k, *more) for k in factor if k > 0 for more in product(factor, repeat=len(values) - 1)])
    ways = ways[(np.abs(ways) == 1).any(axis=1)]
    # Where all but a few add up, two rows of the first ones do: most ways are put aside by these.
    few = ways @ values[:, : 4 * most + 2]
    scale = _EXACT * values.std(axis=1).min() + 1e-12 * np.abs(values).max()
    half = np.abs(few - np.median(few, axis=1, keepdims=True)) <= scale
    return [k for k in ways[half.mean(axis=1) >= 0.5] if _off_sum(k @ values, values, times, most) is not None]


def _off_sum(added: Floats, values: Floats, times: Floats | Integers, most: int) -> Mask | None:
    """Who has another sum than most have; None where too many have."""
    scale = _EXACT * values.std(axis=1).min() + 1e-12 * np.abs(values).max()
    off = np.abs(added - np.median(added)) > scale
    return off if times[off].sum() <= most else None


def _varies(values: Floats | Integers, times: Floats | Integers) -> bool:
    """Whether enough people are off the commonest value."""
    _, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place.ravel(), times)
    return bool(counts.sum() - counts.max() >= _FEWEST_OTHERS)
