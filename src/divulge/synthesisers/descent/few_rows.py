"""Figures that few rows make: the mean of a group of three is put right by trying all values that the three may have.

Rows are taken four at a time, two and two, and the two halves meet in the middle (Horowitz & Sahni 1974): of a hundred
values, a hundred million combinations are looked through in some milliseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers

ROWS = 4
"""Rows that are changed together: of two and two, all combinations fit into memory."""

VALUES = 300
"""Values tried for each row, at most."""

_MOST_MEETINGS = 1_000_000
"""Combinations that are right in one figure and looked at for the others."""

_MARGIN = 1e-6
"""Half units by which figures stay inside their intervals: they are computed anew in the end, with other rounding."""


class Row(NamedTuple):
    """A row that may change. codes: the values it may take; shifts (codes, figures): what each does, in half units."""

    codes: Integers
    shifts: Floats


def meet(rows: list[Row], errors: Floats, rng: np.random.Generator) -> list[int] | None:
    """A code for each of up to four rows with which all errors are within ±1; None where there is none."""
    half = len(rows) // 2
    left, right = _sums(rows[:half], len(errors)), _sums(rows[half:], len(errors))
    # The figure that varies most is looked up, the others are looked at.
    first = int(np.argmax(np.ptp(right, axis=0) + np.ptp(left, axis=0))) if len(errors) else 0
    order = np.argsort(right[:, first], kind="stable")
    sorted_right = right[order, first]
    wanted = -errors[first] - left[:, first]
    start, n = np.empty((2, len(wanted)), dtype=np.int64)
    turn = np.argsort(wanted)  # what is looked up in order is found several times as fast
    start[turn] = np.searchsorted(sorted_right, wanted[turn] - 1 + _MARGIN)
    n[turn] = np.searchsorted(sorted_right, wanted[turn] + 1 - _MARGIN, side="right")
    n = np.maximum(n - start, 0)
    some = rng.permutation(np.flatnonzero(n))
    some = some[np.cumsum(n[some]) <= max(_MOST_MEETINGS, int(n[some[:1]].sum()))]
    if not len(some):
        return None
    at_left = np.repeat(some, n[some])
    within = np.arange(len(at_left)) - np.repeat(np.cumsum(n[some]) - n[some], n[some])
    at_right = order[start[at_left] + within]
    fits = np.arange(len(at_left))
    for figure in (*(j for j in range(len(errors)) if j != first), first):  # one after the other: few are left at once
        off = left[at_left[fits], figure] + right[at_right[fits], figure] + errors[figure]
        fits = fits[np.abs(off) <= 1 - _MARGIN]
    if not len(fits):
        return None
    one = fits[rng.integers(len(fits))]
    places = [*_places(rows[:half], int(at_left[one])), *_places(rows[half:], int(at_right[one]))]
    return [int(row.codes[place]) for row, place in zip(rows, places, strict=True)]


def _sums(rows: list[Row], n_figures: int) -> Floats:
    """(combinations, figures) of what these rows do together."""
    found = np.zeros((1, n_figures))
    for row in rows:
        found = (found[:, None, :] + row.shifts[None, :, :]).reshape(-1, n_figures)
    return found


def _places(rows: list[Row], combination: int) -> list[int]:
    return [int(p) for p in np.unravel_index(combination, [len(row.codes) for row in rows])] if rows else []
