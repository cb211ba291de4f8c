"""Intervals of a numeric variable, as histograms and scatter plots have them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Integers
from divulge.table import Variable

Closed = Literal["left", "right"]
"""Which end of an interval belongs to it. The outermost ends belong to their intervals."""


def check_breaks(breaks: Sequence[float], field: str) -> None:
    """Raise where breaks make no intervals."""
    if len(breaks) < 2 or any(b <= a for a, b in pairwise(breaks)):
        raise OutputError("two breaks at least are needed, in ascending order.", where=field)


def interval_marks(breaks: Sequence[float], closed: Closed) -> list[str]:
    """`[0,20)`, `[20,40]`."""
    left, right = ("[", ")") if closed == "left" else ("(", "]")
    marks = [f"{left}{a:g},{b:g}{right}" for a, b in pairwise(breaks)]
    if closed == "left":
        marks[-1] = f"{marks[-1][:-1]}]"
    else:
        marks[0] = f"[{marks[0][1:]}"
    return marks


def interval_of_codes(variable: Variable, breaks: Sequence[float], closed: Closed) -> Integers:
    """The interval of each code; −1: none."""
    edges = np.array(breaks)
    numbers = np.where(variable.is_missing, np.nan, variable.numbers)
    place = np.searchsorted(edges, numbers, side="right" if closed == "left" else "left") - 1
    place = np.where(numbers == edges[0], 0, np.where(numbers == edges[-1], len(edges) - 2, place))
    inside = (numbers >= edges[0]) & (numbers <= edges[-1])
    return np.where(inside, place, -1).astype(np.int64)
