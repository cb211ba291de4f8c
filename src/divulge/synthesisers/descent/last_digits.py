"""The last digits by arithmetic: which changes of some hundred cells bring every figure into its interval.

Single moves bring figures to within a few rows; what is left is arithmetic (`divulge.lattice.changes`). At the released
values figures are sums over rows, so that changes of different rows add up, nearly where a row's weight in a figure
changes too. What was made is computed anew, and taken back where figures are not as printed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.rules import keep_rules
from divulge.lattice.changes import choose_changes, rows_to_change
from divulge.objective.views import View
from divulge.synthesisers.descent.box import Box, box_of
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.few_rows import ROWS, VALUES, Row, meet
from divulge.synthesisers.descent.occupied import occupy_levels
from divulge.synthesisers.descent.proposed import Changes, apart, only, outside, useful
from divulge.synthesisers.descent.rare_levels import put_right

MOST_FIGURES = 60
"""Beyond these a lattice takes seconds; so many figures of one column are tables, which single moves put right."""

_LOOKED_AT = 20_000
"""Rows whose changes are looked at, at most: those of rare levels are to be among them."""

_CANDIDATES = 600
"""Changes that the lattices of one attempt are drawn from."""

_SHARE = 0.4
"""Share of a search's time after which an attempt is given up."""

_LATTICES = 6
"""Lattices of other rows before one attempt is given up."""

_WINDOW = 20
"""Steps of a numeric column that a row may go, down or up, where steps add up."""

_LONGER = 0.5
"""Share of the changes of a column that adds up exactly that go as far as by orders of magnitude: what is far from its
interval has to get there, and the last digits have to be met."""

_STRAIGHT = 1e-6
"""How far steps may be from adding up, as a share of what they do: rounding."""

_EXACT, _NEARLY = 0.1, 0.3
"""How far from what they were said to do the changes of a column may be together, as a share of what they do one by
one: to be the last to move, and to be moved at all. A row that is nearly alone in its level changes what all others
do."""

_ROUNDING = 1e-9
"""Half units that are nothing: what is left where two equal sums are taken off each other."""

_TRIAL = 60
"""Changes made to see whether a column adds up: about as many as a lattice makes."""

_FEW_FIGURES = 4
"""Figures that a group of rows may make to be put right by trying values: a mean and a standard deviation, twice."""

_REACHES = (1.0, 0.1, 0.03)
"""How far values of rows of rare levels go, as a share of all values, one look after the other."""

_MOST_RESIZED = 30
"""Rows that are moved from group to group, at most."""

_FEW_MOVERS, _REDRAWS = 80, 30
"""Changes up to which it is asked again with other values, and how often: such a lattice takes a millisecond or two."""

_DRAWS, _SIZED = 4, 3
"""Sets of four rows that are tried for a figure, and how often anew where its figures add up only nearly."""


class LastDigits:
    """The arithmetic of a candidate, whose codes are changed in place."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate, self.objective, self.codes = candidate, candidate.objective, candidate.codes
        self.rng = np.random.default_rng(int(candidate.stream[0]))
        self.units = candidate.half_units()
        self.bends: dict[int, float] = {}
        self.until = candidate.log.seconds + _SHARE * candidate.settings.seconds

    def land(self) -> bool:
        """Land, look again, mend; whether every figure is as printed in the end. Codes are as before where not.

        First figures that few rows make, and columns that add up exactly (a response, the variable of a mean), the
        straightest for every figure. Where these alone cannot reach all figures (a group's sum of whole values has
        gaps), all columns together, and then those that are exact again, for what the others left. Then once more with
        values from far away: near ones may differ by hundreds all of them, as dates of one year do.
        """
        start = self.codes.copy()
        bends = self._bends()
        self.bends = {v: bend for v, (bend, _) in bends.items()}
        nearly = [v for v, (bend, _) in bends.items() if bend <= _NEARLY]
        alone, reached = [], np.zeros(self.objective.n_target_residuals, dtype=bool)
        for v, (bend, moved) in sorted(bends.items(), key=lambda found: found[1][0]):
            if bend <= _EXACT and (moved & ~reached).any():
                alone.append([v])
                reached |= moved
        for is_far in (False, True):
            occupy_levels(self.objective, self.codes, self.rng)
            self._resize()
            for reach in _REACHES:
                if self._is_late:
                    break
                view = self._look()
                put_right(self.candidate, view, self._box(view), self.rng, reach)
            for v in nearly:
                if self._is_late:
                    break
                self._to_the_ends(v)
                self._try_values(v)
            for columns in (*alone, nearly, *alone, nearly, *alone):
                if columns and self._change(columns, is_far) and self._is_done():
                    return True
                if self._is_late:
                    break
            self.codes[:] = start
            if self._is_late:
                break
        self._look()
        return False

    @property
    def _is_late(self) -> bool:
        return self.candidate.log.seconds > self.until

    def _is_done(self) -> bool:
        """Whether all is as printed. Steps were looked at from end to end: a code between may break an edit rule."""
        if not keep_rules(self.candidate.rules, self.codes):
            return False
        self.candidate.is_done()
        return self.candidate.is_as_printed()

    def _look(self) -> View:
        """The residuals of the codes as they are now."""
        self.candidate.recount()
        return self.candidate.refresh(self.units)

    def _box(self, view: View) -> Box:
        return box_of(view, self.units, self.objective.n_target_residuals)

    def _bends(self) -> dict[int, tuple[float, Mask]]:
        """For each column how far changes are from doing what they were said to do, and the residuals that they move:
        some are made, and taken back."""
        view = self._look()
        box, found = self._box(view), {}
        for column in map(int, self.candidate.moves.variables):
            if self._is_late:
                break
            rows = self.rng.permutation(len(self.codes))[:_TRIAL]
            near = self._neighbours(rows, column)
            shifts, allowed = self._shifts(view, rows, column, near, box)
            before = self.codes[:, column].copy()
            self.codes[rows[allowed], column] = near[allowed]
            moved = (self._look().residuals - view.residuals)[box.counts] / box.half
            self.codes[:, column] = before
            off = np.abs(moved - shifts[allowed].sum(axis=0))
            bend = float((off / (np.abs(shifts[allowed]).sum(axis=0) + 1)).max(initial=0.0))
            is_moved = np.zeros(self.objective.n_target_residuals, dtype=bool)
            is_moved[box.counts] = shifts[allowed].any(axis=0)
            found[column] = bend, is_moved
        self.candidate.recount()
        return found

    def _resize(self) -> None:
        """Move rows until no inequality is broken: groups have sizes that can carry their figures, none is empty."""
        n = self.objective.n_target_residuals
        for _ in range(_MOST_RESIZED):
            if self._is_late:
                return
            view = self._look()
            box = self._box(view)
            is_open = ~(np.isfinite(view.goal.low[:n]) & np.isfinite(view.goal.high[:n]))[box.counts]
            broken = np.flatnonzero(is_open & (np.abs(box.errors) > 1 + _STRAIGHT))
            if not len(broken) or not any(self._mend(view, box, int(broken[0]), is_open, v) for v in self._shuffled()):
                return

    def _shuffled(self) -> list[int]:
        return [int(v) for v in self.rng.permutation(self.candidate.moves.variables)]

    def _mend(self, view: View, box: Box, broken: int, is_open: Mask, column: int) -> bool:
        """Make a change of the column that mends one inequality and breaks no other."""
        rows, granted = self._rows(), np.flatnonzero(self._granted(column))
        news = self.rng.choice(granted, len(rows))
        shifts, allowed = self._shifts(view, rows, column, news, box)
        after = np.abs(box.errors + shifts)
        fine = (after <= np.maximum(np.abs(box.errors), 1.0) + _STRAIGHT)[:, is_open].all(axis=1)
        better = np.flatnonzero(allowed & fine & (after[:, broken] < abs(box.errors[broken]) - _STRAIGHT))
        if not len(better):
            return False
        one = self.rng.choice(better)
        self.codes[rows[one], column] = news[one]
        return True

    def _to_the_ends(self, column: int) -> None:
        """Give rows of a numeric column its least or its largest value wherever that brings figures nearer.

        Of a group whose mean is the least value everybody has it; random moves find the last who do not after ages.
        """
        if not self.candidate.moves.draws.is_numeric[column]:
            return
        granted = np.flatnonzero(self._granted(column))
        for code in granted[[0, -1]]:
            view = self._look()
            errors = (box := self._box(view)).errors.copy()
            before, worse = self.codes[:, column].copy(), outside(errors)
            rows = np.flatnonzero(self.codes[:, column] != code)
            if not len(rows) or (np.abs(errors) <= 1).all():
                continue
            shifts, allowed = self._shifts(view, rows, column, np.full(len(rows), code), box)
            left = outside(errors + shifts)
            better = np.flatnonzero(allowed & (left < outside(errors)))
            for one in better[np.argsort(left[better], kind="stable")][:_MOST_RESIZED]:
                if outside(errors + shifts[one]) < outside(errors):
                    self.codes[rows[one], column] = code
                    errors += shifts[one]
            # Of a response changes add up, of a predictor they need not.
            if len(better) and outside(self._box(self._look()).errors) >= worse:
                self.codes[:, column] = before

    def _try_values(self, column: int) -> None:
        """Put right, one after the other, figures that few rows of this column make."""
        for _ in range(_SIZED):
            view = self._look()
            box, rows = self._box(view), self._rows()
            wrong = np.flatnonzero(np.abs(box.errors) > 1)
            if not len(wrong):
                return
            moves = np.abs(self._shifts(view, rows, column, self._neighbours(rows, column), box)[0]) > _STRAIGHT
            errors, is_changed = box.errors.copy(), False
            for figure in wrong:
                movers = rows[moves[:, figure]]
                figures = np.flatnonzero(moves[moves[:, figure]].any(axis=0))
                if abs(errors[figure]) <= 1 or not 0 < len(figures) <= _FEW_FIGURES:
                    continue
                for _ in range(1 if len(movers) <= ROWS else _DRAWS):
                    chosen = self.rng.permutation(movers)[:ROWS]
                    moving = [self._values(view, int(r), column, box, figures) for r in chosen]
                    found = meet(moving, errors[figures], self.rng)
                    if found is not None:
                        self.codes[chosen, column] = found
                        errors[figures], is_changed = 0.0, True
                        break
            if not is_changed:
                return

    def _values(self, view: View, row: int, column: int, box: Box, figures: Integers) -> Row:
        """What every value that a row may take would do."""
        codes = np.flatnonzero(self._granted(column))
        if len(codes) > VALUES:
            codes = self.rng.choice(codes, VALUES, replace=False)
        shifts, allowed = self._shifts(view, np.full(len(codes), row), column, codes, box)
        own = np.array([self.codes[row, column]], dtype=np.int64)
        stays = np.zeros((1, len(figures)))
        return Row(np.concatenate([own, codes[allowed]]), np.vstack([stays, shifts[allowed][:, figures]]))

    def _change(self, columns: Sequence[int], is_far: bool) -> bool:
        """Change cells of these columns so that, to first order, every figure that they move is in its interval; False:
        none found. is_far: to any other value, not to one nearby."""
        view = self._look()
        box, rows = self._box(view), self._rows()
        parts, box = self._proposed(view, box, rows, columns, is_far)
        made = []
        for figures in apart(np.concatenate([np.zeros((0, len(box.errors))), *(p.shifts for p in parts)])):
            own = [only(p, figures) for p in parts]
            made.append(self._choose(own, box.part(figures)))
            # Few rows in few figures: other values of theirs are soon tried.
            if not made[-1] and sum(len(p.rows) for p in own) <= _FEW_MOVERS:
                movers = np.unique(np.concatenate([p.rows for p in own]))
                made[-1] = any(self._redraw(view, box.part(figures), movers, columns) for _ in range(_REDRAWS))
        return any(made)

    def _redraw(self, view: View, box: Box, rows: Integers, columns: Sequence[int]) -> bool:
        """The same for some figures that few rows make, with other values of these rows: half of them far."""
        if self._is_late:
            return False
        parts, box = self._proposed(view, box, rows, columns, bool(self.rng.integers(2)))
        return bool(parts) and self._choose(parts, box)

    def _proposed(
        self, view: View, box: Box, rows: Integers, columns: Sequence[int], is_far: bool
    ) -> tuple[list[Changes], Box]:
        """Changes of cells that lattices may choose from, and the figures that they move; none: no changes."""
        looked = {column: self._neighbours(rows, column, is_far) for column in columns}
        seen = {column: self._shifts(view, rows, column, near, box) for column, near in looked.items()}
        of_use = useful(np.concatenate([s for s, _ in seen.values()]), box.errors)
        for (_, allowed), own in zip(seen.values(), np.split(of_use, len(columns)), strict=True):
            allowed &= own
        moved = np.any([shifts[allowed].any(axis=0) for shifts, allowed in seen.values()], axis=0)
        if not moved.any() or np.count_nonzero(moved) > MOST_FIGURES:
            return [], box
        wide = box = box.part(moved)
        if any(self.bends[column] > _STRAIGHT for column in columns):
            box = wide.narrowed(np.concatenate([shifts[allowed][:, moved] for shifts, allowed in seen.values()]))
        parts, taken = [], np.zeros(len(self.codes), dtype=bool)
        for column, near in looked.items():
            shifts, allowed = seen[column][0][:, moved] * (wide.half / box.half), seen[column][1]
            size = np.sqrt((shifts**2).mean(axis=0))
            scaled = shifts / np.where(size > 0, size, 1.0)
            usable = allowed & (near != self.codes[rows, column]) & ~taken[rows]
            leverage = np.where(usable, (scaled**2).sum(axis=1), 0.0)
            places = np.flatnonzero(leverage > 0)
            chosen = places[rows_to_change(leverage[places], _CANDIDATES // len(columns), self.rng)]
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
            parts += [once if is_far else self._stepping(view, rows[chosen], column, box) or once]
        return parts, box

    def _choose(self, parts: list[Changes], box: Box) -> bool:
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

    def _neighbours(self, rows: Integers, column: int, is_far: bool = False) -> Integers:
        """For every row another code: for a numeric column, unless it may be far, one to three granted values on, and
        more where changes add up exactly."""
        codes = self.codes[rows, column].astype(np.int64)
        granted = np.flatnonzero(self._granted(column))
        if len(granted) < 2:
            return codes
        place = np.searchsorted(granted, codes)
        if is_far or not self.candidate.moves.draws.is_numeric[column]:
            return granted[(place + self.rng.integers(1, len(granted), len(rows))) % len(granted)]
        step = self.rng.integers(1, min(4, len(granted)), len(rows))
        if self.bends.get(column, np.inf) <= _STRAIGHT:
            longer = np.exp(self.rng.uniform(0.0, np.log(len(granted) / 2), len(rows))).astype(np.int64)
            step = np.where(self.rng.random(len(rows)) < _LONGER, np.maximum(longer, 1), step)
        step = step * self.rng.choice([-1, 1], len(rows))
        there = place + step
        there = np.where((there < 0) | (there >= len(granted)), place - step, there)
        return granted[np.clip(there, 0, len(granted) - 1)]

    def _shifts(self, view: View, rows: Integers, column: int, news: Integers, box: Box) -> tuple[Floats, Mask]:
        shifts, allowed = self.candidate.shifts_of(view.metric, rows, column, news)
        found = shifts[:, box.counts] / box.half
        found[np.abs(found) < _ROUNDING] = 0.0
        return found, allowed

    def _stepping(self, view: View, rows: Integers, column: int, box: Box) -> Changes | None:
        """Several steps of a numeric column for each row, where what they do adds up; None where it does not."""
        draws = self.candidate.moves.draws
        n_values = int(draws.n_values[column])
        if not draws.is_numeric[column] or n_values < 4 or not self._granted(column)[:n_values].all():
            return None
        codes = self.codes[rows, column].astype(np.int64)
        low, high = np.maximum(codes - _WINDOW, 0), np.minimum(codes + _WINDOW, n_values - 1)
        down, may = self._shifts(view, rows, column, low, box)
        up, may_too = self._shifts(view, rows, column, high, box)
        once = (up - down) / np.maximum(high - low, 1)[:, None]
        # Straight where the way down is as many steps as it should be.
        bent = np.abs(down + once * (codes - low)[:, None]).max(axis=1)
        straight = bent <= _STRAIGHT * np.abs(up - down).max(axis=1)
        good = may & may_too & (codes < n_values) & straight & (high > low)
        if good.sum() < 0.8 * len(rows):
            return None
        low, span = low[good], (high - low)[good]
        return Changes(rows[good], column, low, low + 1, span, once[good], down[good].sum(axis=0))
