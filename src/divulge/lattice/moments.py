"""Sums of products of whole numbers: which small changes of them bring a linear model's coefficients into a box.

Of whole numbers X'X and X'y are whole numbers too, so that with X as it is hardly any X'y may have coefficients as
printed. Small changes of X'X make up for that. Which ones is a closest-vector problem in a few dozen unknowns, however
many rows there are; which rows bring them about, column by column, is another in as many equations as columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.lattice import PASSES, reduce_basis
from divulge.lattice.changes import choose_changes, turn_of
from divulge.lattice.reduced import DELTA, MOST_SWAPS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ENOUGH = 60
"""After so many changes in a row that add nothing to the possible sums, no other change is looked at."""

_REACHES = (3.0, 10.0, 30.0, 100.0)
"""How far a sum of products may go, in changes of one row of usual size: what some ten, hundred or thousand rows that
change at random come to, or a hundred that all change one way."""

_FREE = 10.0
"""How much farther X'y may go: the response may change in all rows."""

_WHOLE = 0.05
"""How near whole numbers have to be to count as the same. It is stricter than needed, so that the lattice meets it."""

_LATTICES, _LATTICES_DEEP = 4, 2
"""Lattices of rows that are asked, and such as are reduced deeply, where the former have too many bits to meet."""

_INSERTIONS = 10_000
"""Deep insertions: with a third of them half as many sums are met, with four times as many no more."""

_INSIDE = 0.9
"""The search aims at this share of the box, so that rounding in a refit does not lead out of it."""

_AIMS = 4
"""How often the lattice of the moments is asked for each reach."""


class Moments(NamedTuple):
    """X'X and X'y of whole numbers, and the box that the coefficients are to be in."""

    products: Floats  # (columns, columns)
    answers: Floats  # (columns,)
    middle: Floats  # (columns,) of the box
    half: Floats

    @property
    def bits(self) -> float:
        """log₂ of how many whole X'y the box holds on average: −20 says one in a million."""
        _, volume = np.linalg.slogdet(self.products)
        return float(np.log2(2 * self.half).sum() + volume / np.log(2))

    def half_units(self, scores: Floats) -> Floats:
        """What scores (…, columns) do to the coefficients, in half units of the box."""
        scale = np.sqrt(np.diagonal(self.products))
        scaled = np.linalg.solve(self.products / scale[:, None] / scale, (scores / scale).T)
        return np.asarray(scaled.T / scale / (self.half * _INSIDE))

    def wanted(
        self, kinds: Sequence[tuple[Ints, Ints]], answers: Ints, rng: np.random.Generator
    ) -> tuple[list[Ints], Ints] | None:
        """Small changes of X'X and the change of X'y with which coefficients are in the box, or None.

        kinds: for each variable the pairs of columns (pairs, 2) whose products it changes, and what changes of single
        rows do to these (rows, pairs). answers (rows, columns): what changes of single rows do to X'y.
        """
        bases = [whole_basis(changes) for _, changes in kinds]
        free = whole_basis(answers)
        scores = [_scores(pairs, basis, self.middle) for (pairs, _), basis in zip(kinds, bases, strict=True)]
        shifts = self.half_units(np.concatenate([*scores, -free]))
        own = [_size(basis, changes) for basis, (_, changes) in zip(bases, kinds, strict=True)]
        size = np.concatenate([*own, _size(free, answers) / _FREE])
        left = self.half_units(self.products @ self.middle - self.answers)
        for reach in _REACHES:
            steps = np.maximum(1, np.ceil(reach / size)).astype(np.int64)
            for _ in range(_AIMS):
                found = choose_changes(shifts, left - steps @ shifts, rng, 2 * steps, steps, tries=1)
                if found is not None:
                    times = found.times - steps
                    parts = np.split(times, np.cumsum([len(b) for b in bases]))
                    made = [t @ b for t, b in zip(parts, (*bases, free), strict=True)]
                    return made[:-1], made[-1]
        return None


def rows_for(changes: Ints, wanted: Ints, loosely: Floats, rng: np.random.Generator) -> NDArray[np.bool_] | None:
    """Which of the changes (changes, sums) to make so that they come to exactly what is wanted, or None.

    loosely (changes, others): what else they do, in units of what it may come to.
    """
    shifts = np.hstack([changes / _WHOLE, loosely])
    errors = np.concatenate([-wanted / _WHOLE, np.zeros(loosely.shape[1])])
    found = choose_changes(shifts, errors, rng, tries=_LATTICES)
    if found is None:
        found = choose_changes(shifts, errors, rng, tries=_LATTICES_DEEP, insertions=_INSERTIONS)
    return None if found is None else found.times > 0


def whole_basis(changes: Ints) -> Ints:
    """A short basis of all sums that whole multiples of the changes (changes, sums) can have."""
    pivots: dict[int, NDArray[np.object_]] = {}
    idle = 0
    for change in changes:
        idle = 0 if _insert(pivots, change.astype(object)) else idle + 1
        if idle > _ENOUGH:
            break
    if not pivots:
        return np.zeros((0, changes.shape[1]), dtype=np.int64)
    places = sorted(pivots)
    for k in range(len(places) - 1, -1, -1):
        for at in places[k + 1 :]:
            pivots[places[k]] = pivots[places[k]] - (pivots[places[k]][at] // pivots[at][at]) * pivots[at]
    basis = np.array([pivots[at] for at in places]).astype(np.int64)
    turned = np.ascontiguousarray(basis @ turn_of(changes.astype(np.float64)))
    back = np.linalg.pinv(turned)
    reduce_basis(turned, DELTA, MOST_SWAPS, PASSES)
    return np.round(turned @ back).astype(np.int64) @ basis


def _insert(pivots: dict[int, NDArray[np.object_]], change: NDArray[np.object_]) -> bool:
    """Take a vector into an echelon basis of whole numbers, by Euclid's algorithm; whether it added anything."""
    is_new = False
    while len(places := np.flatnonzero(change)):
        at = int(places[0])
        if at not in pivots:
            pivots[at] = change
            return True
        pivot = pivots[at]
        before = abs(pivot[at])
        while change[at]:
            pivot, change = change, pivot - (pivot[at] // change[at]) * change
        pivots[at], change = _reduced(pivots, pivot, at), _reduced(pivots, change, at)
        is_new |= abs(pivot[at]) != before
    return is_new


def _reduced(pivots: dict[int, NDArray[np.object_]], vector: NDArray[np.object_], at: int) -> NDArray[np.object_]:
    """The vector less multiples of the pivots behind a place: else its numbers double with every vector taken in."""
    for place in sorted(p for p in pivots if p > at):
        vector = vector - (vector[place] // pivots[place][place]) * pivots[place]
    return vector


def _size(basis: Ints, changes: Ints) -> Floats:
    """The length of vectors in any direction; the unit is a change of one row of usual size."""
    return np.asarray(np.sqrt(((basis @ turn_of(changes.astype(np.float64))) ** 2).sum(axis=1)))


def _scores(pairs: Ints, changes: Ints, beta: Floats) -> Floats:
    """What changes of products of pairs of columns add to X'Xβ: (changes, columns)."""
    found = np.zeros((len(changes), len(beta)))
    for (j, k), change in zip(pairs, changes.T, strict=True):
        found[:, j] += change * beta[k]
        if j != k:
            found[:, k] += change * beta[j]
    return found
