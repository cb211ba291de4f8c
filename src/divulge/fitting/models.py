"""Outputs whose figures are no counts, by what people add to sums: a coefficient vector is right where its estimating
equation holds, which is a sum over people (outputs/lowering).

Of all populations with such sums the nearest to what is granted has every number scaled by e^(θ · what one person of
the combination adds) (Csiszár 1975). θ is found by Newton's steps; where figures are no straight function of the sums,
each step takes them as they are near the numbers at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from divulge.fitting.combinations import Combinations, Grouping
from divulge.kernels.arrays import Codes, Floats, Mask
from divulge.objective import Objective, Target
from divulge.outputs import Output, Released
from divulge.outputs.lowering.lowered import Lowered, Program, pack, row_codes
from divulge.table import Schema, Table

LARGEST = 1 << 21
"""Combinations of the variables of one such output: each adds to every sum, and a step goes over all of them."""

_CHUNK = 1 << 15
"""Combinations whose parts of the sums are held at once."""

_NOBODY = 1e-9
"""People below which a combination has none: what scaling leaves of those whom a figure excludes."""

_NEVER = 1e-15
"""By what people are scaled whom a coefficient without end excludes: it can be undone."""

_LONGEST = 1.5
"""The logarithm by which one step may scale a number: what sums tell of figures holds near the numbers at hand."""

_FARTHEST = 300.0
"""The logarithm by which all steps together may: the quotient of two scalings is still a number."""

_STEPS = 6
"""Steps for every time that groups are scaled: these move little of what a model has put right."""

_SHORTER = 6
"""Times that a step is halved which leads no nearer."""

_INSIDE = 0.5
"""Share of what was printed that is sought, as with rounded counts (fit.py)."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """By what an output scaled the numbers. theta: of each sum; ratios: of each combination of its variables; given:
    which figures it had, for a start from other figures means nothing."""

    theta: Floats
    ratios: Floats
    given: Mask

    def moved(self, now: Scaled) -> Floats:
        """By what numbers are to be scaled from the one to the other."""
        return now.ratios / self.ratios


class _Sums(NamedTuple):
    """What sums say near some numbers: figures less what was printed, how they change, and products of two parts."""

    residuals: Floats
    jacobian: Floats
    gram: Floats


@dataclass(frozen=True, eq=False)
class Modelled:
    """An output by the combinations of its own variables. grouping: of all combinations by these; cells: a row each."""

    number: int
    output: Output
    grouping: Grouping
    cells: Table

    @classmethod
    def of(cls, number: int, output: Output, space: Combinations) -> Modelled:
        own = Combinations(space.schema.select([n for n in space.schema.names if n in output.uses(space.schema)]))
        place = np.arange(own.size)
        columns = tuple((place // own.steps[v.name] % v.n_codes).astype(v.dtype) for v in own.schema)
        return cls(number, output, space.grouping_by(own.schema.names), Table(own.schema, columns))

    @cached_property
    def codes(self) -> Codes:
        return row_codes(self.cells)

    @property
    def nothing(self) -> Scaled:
        """Before any figure is known."""
        return Scaled(np.zeros(0), np.ones(self.cells.n_rows), np.zeros(0, dtype=bool))

    def expected(self, people: Floats) -> Table:
        """So many people of each combination of its variables; they need not be whole."""
        some = np.flatnonzero(people > _NOBODY)
        columns = tuple(column[some] for column in self.cells.columns)
        return Table(self.cells.schema, columns, people[some])  # type: ignore[arg-type]  # expected numbers

    def figures(self, people: Floats) -> Floats:
        """What the output says of them."""
        return self.output.evaluate(self.expected(people)).values

    def sought(self, released: Released, marginals: Mapping[str, Floats], known: tuple[str, ...], n: int) -> Sought:
        """What is to be reproduced, of n people."""
        own = self.cells.schema
        objective = Objective(
            own,
            (Target(self.output, released),),
            {name: marginals[name] for name in own.names},
            tuple(name for name in known if name in own),
            n,
        )
        excluded = self.output.excluded(self.cells, released)
        return Sought(self, objective.lowered[0], excluded, np.isfinite(released.values))


@dataclass(frozen=True, eq=False)
class Sought:
    """Released figures as sums. excluded: combinations that nobody can have, by what was released."""

    of: Modelled
    lowered: Lowered
    excluded: Mask
    given: Mask

    def begin(self, before: Scaled, people: Floats) -> Scaled:
        """The scaling to start from: θ of before, where it is of the same figures and brings them nearer.

        people: of each combination, not scaled.
        """
        n = self.lowered.n_totals
        if len(before.theta) == n and before.theta.any() and np.array_equal(before.given, self.given):
            same, afresh = self._with(before.theta), self._with(np.zeros(n))
            if self._off(self._at(people * same.ratios)) <= self._off(self._at(people * afresh.ratios)):
                return same
        return self._with(np.zeros(n))

    def scale(self, people: Floats, scaled: Scaled, slack: float) -> tuple[Scaled, float]:
        """Steps until figures are right, and how far they were off before, in what may be.

        people: of each combination, scaled already. slack: units that will do beside rounding.
        """
        at = self._at(people)
        before = off = self._off(at, slack)
        for _ in range(_STEPS):
            if not 1 < off < np.inf:
                break
            change = self._change(at)
            for shorter in range(_SHORTER):
                tried = self._with(scaled.theta + change * 0.5**shorter)
                there = self._at(people * scaled.moved(tried))
                if self._length(there) < self._length(at):
                    break
            else:
                break
            people = people * scaled.moved(tried)
            at, scaled, off = there, tried, self._off(there, slack)
        return scaled, before

    def _at(self, people: Floats) -> _Sums:
        """Where figures are with so many people."""
        if not np.isfinite(people).all():
            return _Sums(np.full(self.lowered.n_residuals, np.inf), np.zeros((0, 0)), np.zeros((0, 0)))
        totals, gram = self._sums(people)
        centred = totals - self.lowered.constants
        lowered = self.lowered
        # Expected numbers need not be whole, so groups of any size carry any figure.
        kind = lowered.residuals if lowered.sized is None else lowered.sized.ratio
        residuals, jacobian = kind.linearise(centred, self.of.expected(people))
        return _Sums(residuals, np.diag(jacobian) if jacobian.ndim == 1 else jacobian, gram)

    def _off(self, at: _Sums, slack: float = 0.0) -> float:
        """How far figures are off, in what may be; at most 1: they are right."""
        low, high = self._aims
        with np.errstate(invalid="ignore"):
            gap = np.abs(np.clip(at.residuals, low, high) - at.residuals)[self._held]
        room = np.maximum(_half(self.lowered), slack * self.lowered.unit)[self._held]
        found = float(np.max(gap / np.maximum(room, np.finfo(float).tiny), initial=0.0)) * 2
        return found if np.isfinite(found) else np.inf

    def _length(self, at: _Sums) -> float:
        """How far all figures are off together, in their units."""
        low, high = self._aims
        with np.errstate(invalid="ignore"):
            gap = (np.clip(at.residuals, low, high) - at.residuals)[self._held] / self.lowered.unit[self._held]
        found = float(gap @ gap)
        return found if np.isfinite(found) else np.inf

    def _change(self, at: _Sums) -> Floats:
        """The change of θ that would put figures right, if they were straight functions of the sums; not too long."""
        low, high = self._aims
        wanted, held = np.clip(at.residuals, low, high) - at.residuals, self._held
        unit = self.lowered.unit[held]
        change = _least(at.jacobian[held] / unit[:, None], at.gram, wanted[held] / unit)
        longest = max((float(np.abs(a @ change).max(initial=0.0)) for _, a in self._parts()), default=0.0)
        return change * min(1.0, _LONGEST / max(longest, 1e-300))

    def leverage(self, people: Floats) -> Floats:
        """How far one person of each combination decides the sums, from 0 to 1 (Hoaglin & Welsch 1978)."""
        _, gram = self._sums(people)
        inverse = np.linalg.pinv(gram, hermitian=True)
        found = np.zeros(len(people))
        for at, a in self._parts():
            found[at] = ((a @ inverse) * a).sum(axis=1)
        return np.clip(found, 0.0, 1.0)

    def _with(self, theta: Floats) -> Scaled:
        ratios = np.ones(self.of.cells.n_rows)
        if theta.any():
            for at, a in self._parts():
                ratios[at] = np.exp(np.clip(a @ theta, -_FARTHEST, _FARTHEST))
        return Scaled(theta, np.where(self.excluded, _NEVER, ratios), self.given)

    @cached_property
    def _held(self) -> Mask:
        """The figures that are sought: those with two ends. One without end is seen to by whom it excludes."""
        low, high = self._aims
        return np.isfinite(low) & np.isfinite(high)

    @cached_property
    def _aims(self) -> tuple[Floats, Floats]:
        """Between which residuals are sought: the middle of what was printed."""
        low, high = self.lowered.low.copy(), self.lowered.high.copy()
        closed = np.isfinite(low) & np.isfinite(high)
        middle, half = (low[closed] + high[closed]) / 2, (high[closed] - low[closed]) / 2 * _INSIDE
        low[closed], high[closed] = middle - half, middle + half
        return low, high

    def _sums(self, people: Floats) -> tuple[Floats, Floats]:
        """What people add up to, and the same of products of two."""
        n = self.lowered.n_totals
        totals, gram = np.zeros(n), np.zeros((n, n))
        for at, a in self._parts():
            weighted = a * people[at, None]
            totals += weighted.sum(axis=0)
            gram += a.T @ weighted
        return totals, gram

    @cached_property
    def _kept(self) -> Floats | None:
        """What one person of each combination adds, where there are few."""
        codes = self.of.codes
        return self._program.of_rows(codes) if len(codes) <= _CHUNK else None

    @cached_property
    def _program(self) -> Program:
        return pack([self.lowered], self.of.cells.schema)

    def _parts(self) -> Iterator[tuple[slice, Floats]]:
        """What one person of each combination adds to every sum, some combinations at a time."""
        codes = self.of.codes
        if self._kept is not None:
            yield slice(0, len(codes)), self._kept
            return
        for start in range(0, len(codes), _CHUNK):
            at = slice(start, min(start + _CHUNK, len(codes)))
            yield at, self._program.of_rows(codes[at])


def _half(lowered: Lowered) -> Floats:
    """Half of what was printed leaves open; nothing where that has no end."""
    width = lowered.high - lowered.low
    return np.where(np.isfinite(width), width / 2 * _INSIDE, 0.0)


def _least(slopes: Floats, gram: Floats, wanted: Floats) -> Floats:
    """The change of θ that moves figures as wanted and numbers least: θ = J'λ with (J G J')λ = wanted."""
    square = slopes @ gram @ slopes.T
    size = np.sqrt(np.maximum(np.diagonal(square), 0.0))
    # A figure that no number moves cannot be sought.
    some = size > 1e-12 * size.max(initial=0.0)
    slopes, wanted, size = slopes[some], wanted[some], size[some]
    scaled = square[np.ix_(some, some)] / size / size[:, None]
    # Figures that follow from each other need no step of their own.
    solved = np.linalg.lstsq(scaled, wanted / size, rcond=1e-12)[0]
    found: Floats = slopes.T @ (solved / size)
    return found


def why_not_modelled(output: Output, schema: Schema) -> str:
    """Why numbers cannot be expected from an output that is no count, as the end of a sentence; empty: they can."""
    if not output.condenses or not output.residuals_are_figures:
        return "some figures are no sums over people"
    size = Combinations(schema.select(output.uses(schema))).size
    if size > LARGEST:
        return f"the variables of an output have {size:,} possible combinations, more than {LARGEST:,}"
    return ""


def unscaled(values: Floats, models: tuple[Modelled, ...], scaled: tuple[Scaled, ...]) -> None:
    """Undo in place what models scaled."""
    for model, before in zip(models, scaled, strict=True):
        if (before.ratios != 1).any():
            model.grouping.scale(values, 1 / before.ratios)
