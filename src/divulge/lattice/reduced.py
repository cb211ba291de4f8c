"""A question about sums as a reduced lattice: made once, asked about as many aims as one likes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.lattice import (
    PASSES,
    Orthogonal,
    insert_deeply,
    nearest_in_box,
    nearest_plane,
    orthogonalise,
    reduce_basis,
)
from divulge.lattice.sums import Ints, Longs, WantedSums

Floats = NDArray[np.float64]

DELTA = 0.99
"""How nearly shortest neighbours have to be (Lenstra, Lenstra & Lovász 1982, with their 3/4 as near 1 as is quick)."""

FINEST = 2.0**36
"""Half units that one number may move a figure by; what is printed finer is widened to this (`Sums.widened`)."""

AROUND = 0.7
"""Half units around an aim from where it is tried again: most of the box, and what is near its middle is inside."""

STAGE = 12
"""Bits by which figures are sharpened between two reductions: so the orthogonalisation never loses more than these."""

MOST_SWAPS = 3_000_000
"""A bound against endless loops by rounding; 300 numbers need some 100,000."""


@dataclass(frozen=True)
class Reduced:
    """The rows (e_j / span_j | weight · shift_j), reduced: a number within its range is within ±½ of its middle."""

    sums: WantedSums  # widened
    weight: float
    orthogonal: Orthogonal
    is_reduced: bool

    @property
    def bounds(self) -> Floats:
        """How far from the target the coordinates of a solution are at most."""
        n, d = self.sums.shifts.shape
        return np.concatenate([np.full(n, 0.5), np.full(d, self.weight)])

    def target(self, aim: Longs, near: Ints) -> Floats:
        """Middles of the ranges and the aim, as seen from the whole numbers `near`."""
        left = aim - near.astype(np.longdouble) @ self.sums.shifts
        return np.concatenate([0.5 - near / self.sums.spans, (self.weight * left).astype(np.float64)])

    def numbers(self, left: Floats, near: Ints) -> Ints:
        """The whole numbers of which `left` is what remains of the target as seen from `near`."""
        n = len(self.sums.spans)
        steps = (0.5 - near / self.sums.spans - left[..., :n]) * self.sums.spans
        return near + np.round(steps).astype(np.int64)

    def nearest(self, aim: Longs) -> Ints:
        """Whole numbers with sums near the aim, by nearest plane (Babai 1986); they may be out of their ranges.

        From far away the digits of the target do not hold what is looked for, so it is looked for again from near by.
        """
        near = np.zeros(len(self.sums.spans), dtype=np.int64)
        for _ in range(6):  # each time brings some forty bits
            found = self.numbers(nearest_plane(self.orthogonal, self.target(aim, near)), near)
            if np.array_equal(found, near):
                break
            near = found
        return near

    def nearest_within(self, aim: Longs, rng: np.random.Generator, tries: int) -> Ints | None:
        """Whole numbers within their ranges with sums within 1 of the aim, from several points around it; or none."""
        near = self.nearest(aim)
        offsets = rng.uniform(-AROUND * self.weight, AROUND * self.weight, (tries, len(aim)))
        offsets[0] = 0.0
        left = np.empty(self.orthogonal.basis.shape[1])
        if nearest_in_box(self.orthogonal, self.target(aim, near), self.bounds, offsets, left) < 0:
            return None
        return self.numbers(left, near)


def reduce_sums(sums: WantedSums, weight: float = 0.5, insertions: int = 0, finest: float = FINEST) -> Reduced:
    """Reduce the lattice of a question; `insertions` deep ones beyond LLL, for those who want every solution.

    weight: what half a unit of a figure counts, beside a number's range, which counts 1.
    """
    sums = sums.widened(finest)
    n = len(sums.spans)
    reach = float(np.abs(sums.shifts).max(initial=1.0))
    numbers, enough = np.eye(n), True
    for stage in range(max(0, int(np.ceil(np.log2(reach) / STAGE)) - 1), -1, -1):
        basis = _basis(sums, numbers, weight * 2.0 ** (-STAGE * stage))
        passes = PASSES if stage == 0 and insertions else 1
        enough &= reduce_basis(basis, DELTA, MOST_SWAPS, passes) >= 0 or passes == 1
        numbers = np.round(basis[:, :n] * sums.spans)
    if insertions:
        insert_deeply(basis, DELTA, insertions)
        numbers = np.round(basis[:, :n] * sums.spans)
    basis = _basis(sums, numbers, weight)
    return Reduced(sums, weight, Orthogonal(basis, *orthogonalise(basis)), enough)


def _basis(sums: WantedSums, numbers: Floats, weight: float) -> Floats:
    """The vectors of whole numbers as they are: figures computed anew, so that no rounding is handed on."""
    figures = (weight * (numbers.astype(np.longdouble) @ sums.shifts)).astype(np.float64)
    return np.ascontiguousarray(np.hstack([numbers / sums.spans, figures]))
