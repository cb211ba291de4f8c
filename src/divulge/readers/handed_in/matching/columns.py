"""Columns that a session made: numbers or labels, and how they become variables of the data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.table import Variable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Labels:
    """A column of labels: the code of each row, −1 where it is missing."""

    codes: Ints
    texts: tuple[str, ...]


Column = Floats | Labels


def coded(name: str, column: Column) -> tuple[Variable, Ints] | None:
    """A column as a variable and its codes; None where every value is missing."""
    if isinstance(column, Labels):
        known = column.codes >= 0
        if not known.any():
            return None
        values: Any = np.array(column.texts, dtype=object)
        variable = Variable(name, "categorical", values, missing=() if known.all() else (None,))
        return variable, np.where(known, column.codes, len(column.texts))
    known = np.isfinite(column)
    distinct, place = np.unique(column[known], return_inverse=True)
    if len(distinct) == 0:
        return None
    codes = np.full(len(column), len(distinct), dtype=np.int64)
    codes[known] = place
    whole = distinct.astype(np.int64) if (distinct == np.round(distinct)).all() else distinct
    return Variable(name, "numeric", whole, missing=() if known.all() else (None,)), codes


def intervals(limits: Floats, right: bool, lowest: bool, comma: str) -> tuple[str, ...]:
    """The labels that R and pandas give to intervals."""
    shown = [f"{v:.3g}" if comma == "," and abs(v) < 1000 else f"{v:g}" for v in limits]
    if len(set(shown)) < len(shown):
        shown = [f"{v:g}" for v in limits]
    out = [f"({a}{comma}{b}]" if right else f"[{a}{comma}{b})" for a, b in pairwise(shown)]
    if lowest and comma == "," and right:
        out[0] = "[" + out[0][1:]
    elif lowest and comma == ",":
        out[-1] = out[-1][:-1] + "]"
    return tuple(out)


def constant(value: Any, n: int) -> Labels:
    if isinstance(value, float) and np.isnan(value):
        return Labels(np.full(n, -1, dtype=np.int64), ())
    return Labels(np.zeros(n, dtype=np.int64), (str(value),))


def in_order(column: Labels) -> Labels:
    """Labels in the order in which programs sort texts."""
    order = sorted(range(len(column.texts)), key=lambda k: column.texts[k])
    lookup = np.full(len(order) + 1, -1, dtype=np.int64)
    for new, old in enumerate(order):
        lookup[old] = new
    return Labels(lookup[column.codes], tuple(column.texts[k] for k in order))


def by_appearance(column: Column) -> Floats:
    """Numbers from 1 on for labels in the order in which rows have them first; numbers as they are."""
    if not isinstance(column, Labels):
        return column
    found, first = np.unique(column.codes[column.codes >= 0], return_index=True)
    numbers = np.full(len(column.texts) + 1, np.nan)
    numbers[found[np.argsort(first)]] = np.arange(1, len(found) + 1)
    return numbers[column.codes]
