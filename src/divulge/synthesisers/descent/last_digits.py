"""The last digits by lattice: which of some hundred changes of one column bring every figure into its interval.

Single moves bring figures to within a few rows; what is left is arithmetic (`divulge.lattice.changes`). A column whose
changes add up exactly, as those of a response do, is found by trying: what was made is computed anew, and taken back
where figures are not as printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.rules import keep_rules
from divulge.lattice.changes import choose_changes, rows_to_change
from divulge.objective.views import View
from divulge.synthesisers.descent.candidate import Candidate

_MOST_FIGURES = 60
"""Beyond these a lattice takes seconds; so many figures are tables, which single moves put right."""

_LOOKED_AT = 20_000
"""Rows whose changes are looked at, at most: those of rare levels are to be among them."""

_CANDIDATES = 600
"""Changes that the lattices of one attempt are drawn from."""

_LANDINGS = 2
"""Attempts before pairs or annealing are tried."""

_LATTICES = 4
"""Lattices of other rows before one attempt is given up."""

_WINDOW, _SHORT_WINDOW = 20, 6
"""Steps of a numeric column that a row may go, down or up, where steps add up; and where they do nearly."""

_STRAIGHT, _BENT = 1e-6, 0.1
"""How far steps may be from adding up: rounding, or what one look more puts right."""

_EXACT, _NEARLY = 0.02, 0.3
"""How far from what they were said to do the changes of a column may be together, as a share of what they do one by
one: to be the last to move, and to be moved at all. A row that is nearly alone in its level changes what all others
do."""

_TRIAL = 60
"""Changes made to see whether a column adds up: about as many as a lattice makes."""


@dataclass(frozen=True, eq=False)
class _Box:
    """What is left of the figures, in half units of the interval aimed at."""

    errors: Floats
    half: Floats  # of the figures that count
    counts: Integers  # their places among the residuals


class _Changes(NamedTuple):
    """Proposed changes of one column: row k goes from its base code up to `spans` steps."""

    rows: Integers
    column: int
    base: Integers
    news: Integers  # the code after one step; for more, base + times
    spans: Integers
    shifts: Floats  # of one step, in half units
    before: Floats  # of going to the base code


class LastDigits:
    """The lattice step of a candidate, whose codes are changed in place."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate, self.objective, self.codes = candidate, candidate.objective, candidate.codes
        self.rng = np.random.default_rng(int(candidate.stream[0]))
        self.units = candidate.half_units()

    def land(self) -> bool:
        """Land, look again, mend; whether every figure is as printed in the end. Codes are as before where not.

        First the columns that add up exactly, which a response does; where these alone cannot reach all figures (a
        group's sum of whole values has gaps), all columns together, and then those that are exact again, for what the
        others left.
        """
        if self.objective.n_target_residuals > _MOST_FIGURES:
            return False
        start = self.codes.copy()
        bends = {int(v): self._bend(int(v)) for v in self.candidate.moves.variables}
        exact = [v for v, bend in bends.items() if bend <= _EXACT]
        nearly = [v for v, bend in bends.items() if bend <= _NEARLY]
        turns = ((exact, _STRAIGHT), (nearly, _BENT), (exact, _STRAIGHT), (nearly, _STRAIGHT), (exact, _STRAIGHT))
        for _ in range(_LANDINGS):
            for columns, bend in turns:
                if columns and self._change(columns, bend) and self._is_done():
                    return True
            self.codes[:] = start
        self._look()
        return False

    def _is_done(self) -> bool:
        """Whether all is as printed. Steps were looked at from end to end: a code between may break an edit rule."""
        return keep_rules(self.candidate.rules, self.codes) and self.candidate.is_done()

    def _look(self) -> View:
        """The residuals of the codes as they are now."""
        self.candidate.recount()
        return self.candidate.refresh(self.units)

    def _bend(self, column: int) -> float:
        """How far changes of a column are from doing what they were said to do: some are made, and taken back."""
        view = self._look()
        box = self._box(view)
        rows = self.rng.permutation(len(self.codes))[:_TRIAL]
        near = self._neighbours(rows, column)
        shifts, allowed = self._shifts(view, rows, column, near, box)
        before = self.codes[:, column].copy()
        self.codes[rows[allowed], column] = near[allowed]
        moved = (self._look().residuals - view.residuals)[box.counts] / box.half
        self.codes[:, column] = before
        self._look()
        off = np.abs(moved - shifts[allowed].sum(axis=0))
        return float((off / (np.abs(shifts[allowed]).sum(axis=0) + 1)).max(initial=0.0))

    def _change(self, columns: Sequence[int], bend: float) -> bool:
        """Change cells of these columns so that, to first order, every figure is in its interval; False: none found.

        bend: how far steps of a numeric column may be from adding up, as a share of what they do.
        """
        view = self._look()
        box, rows = self._box(view), self._rows()
        parts, taken = [], np.zeros(len(self.codes), dtype=bool)
        for column in columns:
            near = self._neighbours(rows, column)
            shifts, allowed = self._shifts(view, rows, column, near, box)
            size = np.sqrt((shifts**2).mean(axis=0))
            scaled = shifts / np.where(size > 0, size, 1.0)
            usable = allowed & (near != self.codes[rows, column]) & ~taken[rows]
            leverage = np.where(usable, (scaled**2).sum(axis=1), 0.0)
            places = np.flatnonzero(leverage > 0)
            chosen = places[rows_to_change(leverage[places], _CANDIDATES // len(columns), self.rng)]
            taken[rows[chosen]] = True
            once = _Changes(
                rows[chosen],
                column,
                self.codes[rows[chosen], column].astype(np.int64),
                near[chosen],
                np.ones(len(chosen), dtype=np.int64),
                shifts[chosen],
                np.zeros(len(box.errors)),
            )
            parts += [self._stepping(view, rows[chosen], column, box, bend) or once]
        return self._choose(parts, box)

    def _choose(self, parts: list[_Changes], box: _Box) -> bool:
        errors = box.errors + np.sum([p.before for p in parts], axis=0)
        shifts = np.concatenate([p.shifts for p in parts])
        spans = np.concatenate([p.spans for p in parts])
        if not len(shifts):
            return False
        # Rows that a lattice leaves out stay where they are.
        now = np.concatenate([self.codes[p.rows, p.column].astype(np.int64) - p.base for p in parts])
        now = np.where(spans > 1, now, 0)
        choice = choose_changes(shifts, errors, self.rng, spans, now, tries=_LATTICES)
        if choice is None:
            return False
        at = 0
        for part in parts:
            times = choice.times[at : at + len(part.rows)]
            at += len(part.rows)
            made = np.where(part.spans > 1, part.base + times, np.where(times > 0, part.news, part.base))
            self.codes[part.rows, part.column] = made
        return True

    def _rows(self) -> Integers:
        n = len(self.codes)
        return np.arange(n) if n <= _LOOKED_AT else np.sort(self.rng.choice(n, _LOOKED_AT, replace=False))

    def _granted(self, column: int) -> Mask:
        return np.asarray(self.objective.marginals[self.objective.schema.names[column]]) > 0

    def _neighbours(self, rows: Integers, column: int) -> Integers:
        """For every row a code near its own: for a numeric column one to three granted values on, else any other."""
        codes = self.codes[rows, column].astype(np.int64)
        granted = np.flatnonzero(self._granted(column))
        if len(granted) < 2:
            return codes
        place = np.searchsorted(granted, codes)
        if not self.candidate.moves.draws.is_numeric[column]:
            return granted[(place + self.rng.integers(1, len(granted), len(rows))) % len(granted)]
        step = self.rng.integers(1, min(4, len(granted)), len(rows)) * self.rng.choice([-1, 1], len(rows))
        there = place + step
        there = np.where((there < 0) | (there >= len(granted)), place - step, there)
        return granted[np.clip(there, 0, len(granted) - 1)]

    def _shifts(self, view: View, rows: Integers, column: int, news: Integers, box: _Box) -> tuple[Floats, Mask]:
        shifts, allowed = self.candidate.shifts_of(view.metric, rows, column, news)
        return shifts[:, box.counts] / box.half, allowed

    def _stepping(self, view: View, rows: Integers, column: int, box: _Box, bend: float) -> _Changes | None:
        """Several steps of a numeric column for each row, where what they do adds up; None where it does not."""
        draws = self.candidate.moves.draws
        n_values = int(draws.n_values[column])
        if not draws.is_numeric[column] or n_values < 4 or not self._granted(column)[:n_values].all():
            return None
        codes = self.codes[rows, column].astype(np.int64)
        reach = _WINDOW if bend == _STRAIGHT else _SHORT_WINDOW
        low, high = np.maximum(codes - reach, 0), np.minimum(codes + reach, n_values - 1)
        down, may = self._shifts(view, rows, column, low, box)
        up, may_too = self._shifts(view, rows, column, high, box)
        once = (up - down) / np.maximum(high - low, 1)[:, None]
        # Straight where the way down is as many steps as it should be.
        bent = np.abs(down + once * (codes - low)[:, None]).max(axis=1)
        straight = bent <= bend * np.abs(up - down).max(axis=1)
        good = may & may_too & (codes < n_values) & straight & (high > low)
        if good.sum() < 0.8 * len(rows):
            return None
        low, span = low[good], (high - low)[good]
        return _Changes(rows[good], column, low, low + 1, span, once[good], down[good].sum(axis=0))

    def _box(self, view: View) -> _Box:
        """Figures of the outputs with what is left of them. An open interval counts as far as its end is away."""
        n = self.objective.n_target_residuals
        low, high, now = view.goal.low[:n], view.goal.high[:n], view.residuals[:n]
        unit = np.concatenate([np.zeros(0), *self.units])[:n]
        closed = np.isfinite(low) & np.isfinite(high)
        has_low = np.isfinite(low)
        lows, highs = np.where(has_low, low, 0.0), np.where(np.isfinite(high), high, 0.0)
        away = np.where(has_low, now - lows, highs - now)
        half = np.where(closed, (highs - lows) / 2, away)
        half = np.where(half > 0, half, unit)
        inside = np.where(has_low, lows + unit, highs - unit)
        middle = np.where(closed, (lows + highs) / 2, np.where(away > 0, now, inside))
        counts = np.flatnonzero(has_low | np.isfinite(high))
        return _Box(((now - middle) / half)[counts], half[counts], counts)
