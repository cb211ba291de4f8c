"""Changes of cells that lattices choose from: which rows, to which values, and what each does to the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.rules import keep_rules
from divulge.lattice.changes import both_ways, rows_to_change
from divulge.objective.views import View
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.printed_intervals import Box, box_of
from divulge.synthesisers.descent.proposed import Changes, useful

MOST_FIGURES = 60
"""Beyond these a lattice takes seconds; so many figures of one column are tables, which single moves put right."""

NEARLY_STRAIGHT = 0.02
"""How far from what they were said to do the changes of a column may be together, as a share of what they do one by
one, to go far as well."""

_LOOKED_AT = 20_000
"""Rows whose changes are looked at, at most: those of rare levels are to be among them."""

_CANDIDATES = 600
"""Changes that the lattices of one attempt are drawn from."""

_OF_EXACT, _OF_EXACT_NEAR = 0.5, 0.8
"""Share of the changes that are of columns which add up exactly, where others are moved too that nearly do; and where
figures are near, so that the others bend little."""

_WINDOW = 20
"""Steps of a numeric column that a row may go, down or up, where steps add up."""

_LONGER = 0.5
"""Share of the changes of a column that adds up (nearly) that go farther, by orders of magnitude: what is far from its
interval has to get there, and the last digits have to be met."""

STRAIGHT = 1e-6
"""How far steps may be from adding up, as a share of what they do: rounding."""

_ROUNDING = 1e-9
"""Half units that are nothing: what is left where two equal sums are taken off each other."""


_FEWEST_STEPPING = 0.2
"""Share of the rows that can go steps, for steps to be worth their while."""


class Looked(NamedTuple):
    """What another code of a column would do, row by row, and which rows may take it."""

    column: int
    news: Integers
    shifts: Floats  # (rows, figures) in half units
    allowed: Mask

    def only(self, figures: Mask) -> Looked:
        """The same for some figures: of rows that move none of these nothing is asked."""
        shifts = self.shifts[:, figures]
        return self._replace(shifts=shifts, allowed=self.allowed & shifts.any(axis=1))

    def scaled(self, scale: Floats) -> Looked:
        """The same in other units."""
        return self._replace(shifts=self.shifts * scale)


class Proposals:
    """Looks at a candidate whose codes are changed in place.

    bends: for each column how far changes are from doing what they were said to do. is_near: whether only columns that
    add up exactly may still go far: of the others what long ways leave is as much as they bring.
    """

    def __init__(self, candidate: Candidate) -> None:
        self.candidate, self.objective, self.codes = candidate, candidate.objective, candidate.codes
        self.rng = np.random.default_rng(int(candidate.stream[0]))
        self.units = candidate.half_units()
        self.bends: dict[int, float] = {}
        self.is_near = False

    def look(self) -> View:
        """The residuals of the codes as they are now, beside the whole of each interval: of whole numbers hardly any
        may be in it, and that near an end."""
        self.candidate.recount()
        return self.candidate.refresh(self.units, inside=1.0)

    def box_now(self, view: View) -> Box:
        return box_of(view, self.units, self.objective.n_target_residuals)

    def is_done(self) -> bool:
        """Whether all is as printed, or near where that is enough. Steps were looked at from end to end: a code
        between may break an edit rule."""
        if not keep_rules(self.candidate.rules, self.codes):
            return False
        is_near = self.candidate.is_done()
        return is_near if self.candidate.stops_near else self.candidate.is_as_printed()

    def some_rows(self) -> Integers:
        n = len(self.codes)
        return np.arange(n) if n <= _LOOKED_AT else np.sort(self.rng.choice(n, _LOOKED_AT, replace=False))

    def granted(self, column: int) -> Mask:
        return np.asarray(self.objective.marginals[self.objective.schema.names[column]]) > 0

    def neighbours(self, rows: Integers, column: int, is_far: bool = False) -> Integers:
        """For every row another code: for a numeric column, unless it may be far, one to three granted values on, and
        more where changes add up exactly."""
        codes = self.codes[rows, column].astype(np.int64)
        granted = np.flatnonzero(self.granted(column))
        draws = self.candidate.moves.draws
        # Whoever loses a value, or gets one, leaves or joins all that is computed: nothing adds up then.
        n_values = int(draws.n_values[column]) if draws.is_numeric[column] else len(self.granted(column))
        granted = granted[granted < n_values]
        if len(granted) < 2:
            return codes
        return np.where(codes < n_values, self._others(codes, granted, column, is_far), codes)

    def _others(self, codes: Integers, granted: Integers, column: int, is_far: bool) -> Integers:
        """For every code another of the granted ones."""
        place = np.minimum(np.searchsorted(granted, codes), len(granted) - 1)
        if is_far or not self.candidate.moves.draws.is_numeric[column]:
            return granted[(place + self.rng.integers(1, len(granted), len(codes))) % len(granted)]
        step = self.rng.integers(1, min(4, len(granted)), len(codes))
        if self.bends.get(column, np.inf) <= (STRAIGHT if self.is_near else NEARLY_STRAIGHT):
            longer = np.exp(self.rng.uniform(0.0, np.log(len(granted) / 2), len(codes))).astype(np.int64)
            step = np.where(self.rng.random(len(codes)) < _LONGER, np.maximum(longer, 1), step)
        step = step * self.rng.choice([-1, 1], len(codes))
        there = place + step
        there = np.where((there < 0) | (there >= len(granted)), place - step, there)
        return granted[np.clip(there, 0, len(granted) - 1)]

    def shifts_of(self, view: View, rows: Integers, column: int, news: Integers, box: Box) -> tuple[Floats, Mask]:
        shifts, allowed = self.candidate.shifts_of(view.metric, rows, column, news)
        for said in self._said(column):
            allowed &= said[rows]
        found = shifts[:, box.counts] / box.half
        found[np.abs(found) < _ROUNDING] = 0.0
        return found, allowed

    def is_said(self, column: int) -> bool:
        """Whether an output says which rows may change in this column while what each does adds up."""
        return len(self._said(column)) > 0

    def _said(self, column: int) -> list[Mask]:
        name, table = self.objective.schema.names[column], self.objective.seen(self.codes)
        masks = [o.straight(table, name) for o in self.objective.lowered if o.straight is not None]
        return [mask for mask in masks if mask is not None]

    def _stepping(self, view: View, rows: Integers, column: int, box: Box) -> tuple[Changes, Mask] | None:
        """Several steps of a numeric column for each row that can go them, where what they do adds up, and which rows
        these are; None where there are hardly any. A row steps through granted values that are equally far apart."""
        draws = self.candidate.moves.draws
        n_values = int(draws.n_values[column])
        if not draws.is_numeric[column] or n_values < 4:
            return None
        codes = self.codes[rows, column].astype(np.int64)
        known = codes < n_values
        first, last = self._runs(column, n_values)
        at = np.where(known, codes, 0)
        low, high = np.maximum(codes - _WINDOW, first[at]), np.minimum(codes + _WINDOW, last[at])
        low, high = np.where(known, low, codes), np.where(known, high, codes)
        down, may = self.shifts_of(view, rows, column, low, box)
        up, may_too = self.shifts_of(view, rows, column, high, box)
        once = (up - down) / np.maximum(high - low, 1)[:, None]
        # Straight where the way to somewhere between is as many steps as it should be. (Where the row is now is no such
        # place for those at an end.)
        between = np.where(high > low, (low + 2 * high) // 3, low)
        there, _ = self.shifts_of(view, rows, column, between, box)
        bent = np.abs(there - down - once * (between - low)[:, None]).max(axis=1)
        straight = bent <= STRAIGHT * np.abs(up - down).max(axis=1)
        good = may & may_too & known & straight & (high > low + 1)
        if good.sum() < _FEWEST_STEPPING * len(rows):
            return None
        low, span = low[good], (high - low)[good]
        return Changes(rows[good], column, low, low + 1, span, once[good], down[good].sum(axis=0)), good

    def _runs(self, column: int, n_values: int) -> tuple[Integers, Integers]:
        """For every value of a column the first and the last code of the equal steps through granted values around
        it; itself where there are none."""
        granted = self.granted(column)[:n_values]
        numbers = self.objective.schema[self.objective.schema.names[column]].numbers[:n_values]
        gaps = np.diff(numbers)
        usual = np.median(gaps)
        joined = granted[:-1] & granted[1:] & (np.abs(gaps - usual) <= STRAIGHT * usual)
        run = np.concatenate([[0], np.cumsum(~joined)])
        starts = np.flatnonzero(np.concatenate([[True], ~joined]))
        ends = np.concatenate([starts[1:] - 1, [n_values - 1]])
        return starts[run], ends[run]

    def _n_changes(self, column: int, columns: Sequence[int], n_rows: int) -> int:
        """How many changes of a column are proposed: of one that adds up exactly more than of others that nearly do."""
        exact = [v for v in columns if self.bends[v] <= STRAIGHT]
        n = min(_CANDIDATES, n_rows)
        are_alike = not exact or len(exact) == len(columns)
        if are_alike or any(self.bends[v] > NEARLY_STRAIGHT for v in columns):
            return n // len(columns)
        share = _OF_EXACT_NEAR if self.is_near else _OF_EXACT
        return round(share * n / len(exact) if column in exact else (1 - share) * n / (len(columns) - len(exact)))

    def looked_at(self, view: View, box: Box, rows: Integers, columns: Sequence[int], is_far: bool) -> list[Looked]:
        """What another value of each of these columns would do, row by row."""
        found = []
        for column in columns:
            news = self.neighbours(rows, column, is_far)
            shifts, allowed = self.shifts_of(view, rows, column, news, box)
            found.append(Looked(column, news, shifts, allowed & (news != self.codes[rows, column])))
        of_use = useful(np.concatenate([one.shifts for one in found]), box.errors)
        return [
            one._replace(allowed=one.allowed & own)
            for one, own in zip(found, np.split(of_use, len(found)), strict=True)
        ]

    def proposed(
        self, view: View, box: Box, rows: Integers, looked: Sequence[Looked], is_far: bool
    ) -> tuple[list[Changes], Box]:
        """Changes of cells that lattices may choose from, and the figures that they move; none: no changes."""
        columns = [one.column for one in looked]
        moved = np.any([one.shifts[one.allowed].any(axis=0) for one in looked], axis=0)
        if not moved.any() or np.count_nonzero(moved) > MOST_FIGURES:
            return [], box
        wide = box = box.part(moved)
        if any(self.bends[column] > STRAIGHT for column in columns):
            box = wide.narrowed(np.concatenate([one.shifts[one.allowed][:, moved] for one in looked]))
        parts, taken = [], np.zeros(len(self.codes), dtype=bool)
        for column, near, all_shifts, allowed in looked:
            shifts = all_shifts[:, moved] * (wide.half / box.half)
            size = np.sqrt((shifts**2).mean(axis=0))
            scaled = shifts / np.where(size > 0, size, 1.0)
            leverage = np.where(allowed & ~taken[rows], (scaled**2).sum(axis=1), 0.0)
            places = np.flatnonzero(leverage > 0)
            weight = leverage[places] * both_ways(shifts[places])
            chosen = places[rows_to_change(weight, self._n_changes(column, columns, len(rows)), self.rng)]
            taken[rows[chosen]] = True
            once = Changes(
                rows[chosen],
                column,
                self.codes[rows[chosen], column].astype(np.int64),
                near[chosen],
                np.ones(len(chosen), dtype=np.int64),
                shifts[chosen],
                np.zeros(len(box.errors)),
            )
            stepping = None if is_far else self._stepping(view, rows[chosen], column, box)
            parts += [once] if stepping is None else [stepping[0], _without(once, stepping[1])]
        return parts, box


def _without(changes: Changes, rows: Mask) -> Changes:
    """The changes but those of these rows. None of them goes to another base."""
    left = ~rows
    return changes._replace(
        rows=changes.rows[left],
        base=changes.base[left],
        news=changes.news[left],
        spans=changes.spans[left],
        shifts=changes.shifts[left],
    )
