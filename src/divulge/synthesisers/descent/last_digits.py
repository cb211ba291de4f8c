"""The last digits by arithmetic: which changes of some hundred cells bring every figure into its interval.

Single moves bring figures to within a few rows; what is left is arithmetic (`divulge.lattice.changes`). At the released
values figures are sums over rows, so that changes of different rows add up, nearly where a row's weight in a figure
changes too. What was made is computed anew, and taken back where figures are not as printed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.kernels.arrays import Integers, Mask
from divulge.lattice.changes import choose_changes, rows_to_change
from divulge.objective.views import View
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.exact_moments import ExactMoments
from divulge.synthesisers.descent.few_rows import ROWS, VALUES, Row, meet
from divulge.synthesisers.descent.occupied import occupy_levels
from divulge.synthesisers.descent.printed_intervals import Box
from divulge.synthesisers.descent.proposed import Changes, apart, outside
from divulge.synthesisers.descent.proposing import NEARLY_STRAIGHT, STRAIGHT, Proposals
from divulge.synthesisers.descent.rare_levels import put_right

_LATTICES, _LATTICES_AT_FIRST = 6, 3
"""Lattices of other rows before one attempt is given up; and at first, where other columns may help."""

_EXACT, _NEARLY = 0.1, 0.3
"""How far from what they were said to do the changes of a column may be together, as a share of what they do one by
one: to be the last to move, and to be moved at all. A row that is nearly alone in its level changes what all others
do."""

_AGAIN = 3
"""How often changes of columns that nearly add up are followed by others: each leaves a little of what they bend."""

_HARDLY = -70.0
"""log₂ of how many sums of the response are as printed below which changes that nearly add up hardly ever help: of
models with more they met most in half a second, of those with fewer some in many."""

_TRIAL = 60
"""Changes made to see whether a column adds up: about as many as a lattice makes."""

_FEW_FIGURES = 4
"""Figures that a group of rows may make to be put right by trying values: a mean and a standard deviation, twice."""

_REACHES = (1.0, 0.1, 0.03)
"""How far values of rows of rare levels go, as a share of all values, one look after the other."""

_MOST_RESIZED = 30
"""Rows that are moved from group to group, at most."""

_FEW_MOVERS = 80
"""Rows that make a figure up to which their values are tried by themselves."""

_MOST_MOVERS, _REDRAWS, _REDRAWS_AT_FIRST = 100, 30, 8
"""Rows whose values are drawn anew for a few figures, and how often: such a lattice takes a few milliseconds. At first,
fewer: other columns may help."""

_FEW_PEOPLE = 200
"""Rows up to which values are drawn anew however many figures there are: so few changes hardly suffice."""

_DRAWS, _SIZED = 4, 3
"""Sets of four rows that are tried for a figure, and how often anew where its figures add up only nearly."""


class LastDigits(Proposals):
    """The arithmetic of a candidate, whose codes are changed in place.

    share: of a search's time, after which an attempt is given up. in_vain: ways (far or not, lattices, columns) that
    were gone in vain since anything changed. has_failed: columns of which all lattices were asked in vain.
    """

    def __init__(self, candidate: Candidate, share: float) -> None:
        super().__init__(candidate)
        self.moved: dict[int, Mask] = {}
        self.tries = _LATTICES
        self.in_vain: set[tuple[int, ...]] = set()
        self.has_failed: set[tuple[int, ...]] = set()
        seconds = candidate.settings.seconds
        self.until = min(candidate.log.seconds + share * seconds, seconds)

    def land(self) -> bool:
        """Land, look again, mend; whether every figure is as printed in the end. Codes are as before where not, but for
        rows that had what nobody is to have.

        First columns that add up exactly (a response, the variable of a mean), the straightest for every figure: mostly
        that is all. Then figures that few rows make, and these columns again. Where they alone cannot reach all figures
        (a group's sum of whole values has gaps), with some changes of columns that nearly add up, then of all columns,
        and then those that are exact again, for what the others left. Then once more with values from far away: near
        ones may differ by hundreds all of them, as dates of one year do.
        """
        start = self.codes.copy()
        # Of a level that is ±∞ nothing counts, so that single moves may have left nobody in it, or somebody with the
        # outcome that nobody is to have.
        occupy_levels(self.objective, self.codes, self.rng)
        if self._resize():
            start = self.codes.copy()
        alone, straight, nearly = self._ways()
        moments = ExactMoments(self.candidate)
        if self._go((*alone, straight), len(alone) + 1, len(alone)) or moments.land(_HARDLY):
            return True
        again = [straight] * _AGAIN
        ways = (*alone, straight, *again, nearly, nearly, *again, *alone, nearly, nearly, *again, *alone)
        n_seldom = 0 if [[v] for v in straight] == alone else len(alone)
        for is_far in (False, True):
            self.codes[:] = start
            if is_far and moments.land():
                return True
            if self._is_late:
                break
            self._put_few_right(nearly)
            if not np.array_equal(self.codes, start):
                self.in_vain.clear()
            if self._go(ways, n_seldom, len(alone), is_far):
                return True
        self.codes[:] = start
        self.look()
        return False

    def _ways(self) -> tuple[list[list[int]], list[int], list[int]]:
        """Columns that add up exactly, one by one, so many that they reach all figures that such columns reach; those
        that add up very nearly; and those that nearly do."""
        bends = self._bends()
        self.bends = {v: bend for v, (bend, _) in bends.items()}
        self.moved = {v: moved for v, (_, moved) in bends.items()}
        nearly = [v for v, (bend, _) in bends.items() if bend <= _NEARLY]
        straight = [v for v in nearly if bends[v][0] <= NEARLY_STRAIGHT]
        said = [[v] for v in bends if self.is_said(v)]
        alone, reached = said * (1 + _AGAIN), np.zeros(self.objective.n_target_residuals, dtype=bool)
        for v, (bend, moved) in sorted(bends.items(), key=lambda found: found[1][0]):
            if bend <= _EXACT and (moved & ~reached).any():
                alone.append([v])
                reached |= moved
        return alone, straight, nearly

    def _put_few_right(self, columns: Sequence[int]) -> None:
        """What few rows make: sizes of groups, rare levels, ends of columns, figures of a handful."""
        occupy_levels(self.objective, self.codes, self.rng)
        self._resize()
        for reach in _REACHES:
            if self._is_late:
                return
            view = self.look()
            put_right(self.candidate, view, self.box_now(view), self.rng, reach)
        for v in columns:
            if self._is_late:
                return
            self._to_the_ends(v)
            self._try_values(v)

    def _go(self, ways: Sequence[Sequence[int]], n_seldom: int, n_exact: int, is_far: bool = False) -> bool:
        """Change these columns, one way after the other. Whether every figure is as printed then.

        n_seldom: of so many ways only few lattices are asked: where sums have gaps columns that add up exactly find
        nothing alone, however long they look. n_exact: how many ways of such columns come first.
        """
        for way, columns in enumerate(ways):
            is_seldom = way < n_seldom or tuple(columns) in self.has_failed
            self.tries = _LATTICES_AT_FIRST if is_seldom else _LATTICES
            gone = (is_far, self.tries, *columns)
            if not columns or gone in self.in_vain:
                continue
            self.is_near = way > n_exact
            is_changed = self._change(columns, is_far)
            if is_changed and self.is_done():
                return True
            if is_changed:
                self.in_vain.clear()
            else:
                self.in_vain.add(gone)
                self.has_failed |= set() if is_seldom else {tuple(columns)}
            if self._is_late:
                break
        return False

    @property
    def _is_late(self) -> bool:
        return self.candidate.log.seconds > self.until

    def _bends(self) -> dict[int, tuple[float, Mask]]:
        """For each column how far changes are from doing what they were said to do, and the residuals that they move:
        some are made, and taken back."""
        view = self.look()
        box, found = self.box_now(view), {}
        for column in map(int, self.candidate.moves.variables):
            if self._is_late:
                break
            rows = self.rng.permutation(len(self.codes))[:_TRIAL]
            near = self.neighbours(rows, column)
            shifts, allowed = self.shifts_of(view, rows, column, near, box)
            before = self.codes[:, column].copy()
            self.codes[rows[allowed], column] = near[allowed]
            moved = (self.look().residuals - view.residuals)[box.counts] / box.half
            self.codes[:, column] = before
            off = np.abs(moved - shifts[allowed].sum(axis=0))
            bend = float((off / (np.abs(shifts[allowed]).sum(axis=0) + 1)).max(initial=0.0))
            is_moved = np.zeros(self.objective.n_target_residuals, dtype=bool)
            is_moved[box.counts] = shifts[allowed].any(axis=0)
            found[column] = bend, is_moved
        self.candidate.recount()
        return found

    def _resize(self) -> bool:
        """Move rows until no inequality is broken: groups have sizes that can carry their figures, none is empty.
        Whether any was moved."""
        n = self.objective.n_target_residuals
        for moved in range(_MOST_RESIZED):
            if self._is_late:
                return moved > 0
            view = self.look()
            box = self.box_now(view)
            is_open = ~(np.isfinite(view.goal.low[:n]) & np.isfinite(view.goal.high[:n]))[box.counts]
            broken = np.flatnonzero(is_open & (np.abs(box.errors) > 1 + STRAIGHT))
            if not len(broken) or not any(self._mend(view, box, int(broken[0]), is_open, v) for v in self._shuffled()):
                return moved > 0
        return True

    def _shuffled(self) -> list[int]:
        return [int(v) for v in self.rng.permutation(self.candidate.moves.variables)]

    def _mend(self, view: View, box: Box, broken: int, is_open: Mask, column: int) -> bool:
        """Make a change of the column that mends one inequality and breaks no other."""
        rows = self.some_rows()
        news = self.neighbours(rows, column, is_far=True)
        shifts, allowed = self.shifts_of(view, rows, column, news, box)
        after = np.abs(box.errors + shifts)
        fine = (after <= np.maximum(np.abs(box.errors), 1.0) + STRAIGHT)[:, is_open].all(axis=1)
        better = np.flatnonzero(allowed & fine & (after[:, broken] < abs(box.errors[broken]) - STRAIGHT))
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
        granted = np.flatnonzero(self.granted(column))
        for code in granted[[0, -1]]:
            view = self.look()
            errors = (box := self.box_now(view)).errors.copy()
            before, worse = self.codes[:, column].copy(), outside(errors)
            rows = self.some_rows()
            rows = rows[self.codes[rows, column] != code]
            if not len(rows) or (np.abs(errors) <= 1)[self.moved[column][box.counts]].all():
                continue
            shifts, allowed = self.shifts_of(view, rows, column, np.full(len(rows), code), box)
            left = outside(errors + shifts)
            better = np.flatnonzero(allowed & (left < outside(errors)))
            for one in better[np.argsort(left[better], kind="stable")][:_MOST_RESIZED]:
                if outside(errors + shifts[one]) < outside(errors):
                    self.codes[rows[one], column] = code
                    errors += shifts[one]
            # Of a response changes add up, of a predictor they need not.
            if len(better) and outside(self.box_now(self.look()).errors) >= worse:
                self.codes[:, column] = before

    def _try_values(self, column: int) -> None:
        """Put right, one after the other, figures that few rows of this column make."""
        for _ in range(_SIZED):
            view = self.look()
            box, rows = self.box_now(view), self.some_rows()
            wrong = np.flatnonzero((np.abs(box.errors) > 1) & self.moved[column][box.counts])
            if not len(wrong):
                return
            moves = np.abs(self.shifts_of(view, rows, column, self.neighbours(rows, column), box)[0]) > STRAIGHT
            errors, is_changed = box.errors.copy(), False
            for figure in wrong:
                movers = rows[moves[:, figure]]
                figures = np.flatnonzero(moves[moves[:, figure]].any(axis=0))
                # Of many rows a lattice finds some.
                few = 0 < len(movers) <= _FEW_MOVERS and len(figures) <= _FEW_FIGURES
                if abs(errors[figure]) <= 1 or not few:
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
        codes = np.flatnonzero(self.granted(column))
        if len(codes) > VALUES:
            codes = self.rng.choice(codes, VALUES, replace=False)
        shifts, allowed = self.shifts_of(view, np.full(len(codes), row), column, codes, box)
        own = np.array([self.codes[row, column]], dtype=np.int64)
        stays = np.zeros((1, len(figures)))
        return Row(np.concatenate([own, codes[allowed]]), np.vstack([stays, shifts[allowed][:, figures]]))

    def _change(self, columns: Sequence[int], is_far: bool) -> bool:
        """Change cells of these columns so that, to first order, more figures that they move are in their intervals, or
        all are; False: none found. is_far: to any other value, not to one nearby."""
        view = self.look()
        box, rows = self.box_now(view), self.some_rows()
        looked = self.looked_at(view, box, rows, columns, is_far)
        made, bend = [], max(self.bends[column] for column in columns)
        # Each question has changes of its own: groups have nothing to do with each other.
        for figures in apart(np.concatenate([one.shifts[one.allowed] for one in looked])):
            part = box.part(figures)
            if (np.abs(part.errors) <= 1).all():
                continue
            own = [one.only(figures) for one in looked]
            made.append(self._choose(*self.proposed(view, part, rows, own, is_far)))
            if not made[-1] and (np.count_nonzero(figures) <= _FEW_FIGURES or len(rows) <= _FEW_PEOPLE):
                made[-1] = self._redraw(view, part, rows, columns)
            if not made[-1] and bend > STRAIGHT:
                # The one sum of whole numbers that is as printed may seem to be just outside from far away.
                wide = part.widened(bend)
                own = [one.scaled(part.half / wide.half) for one in own]
                made[-1] = self._choose(*self.proposed(view, wide, rows, own, is_far))
            if self._is_late:
                break
        return any(made) or bool((np.abs(box.errors) <= 1).all())

    def _redraw(self, view: View, box: Box, rows: Integers, columns: Sequence[int]) -> bool:
        """The same for few figures or of few people, with other rows and other values, now and then far ones: such
        lattices are soon asked."""
        seen = [self.shifts_of(view, rows, v, self.neighbours(rows, v, is_far=True), box)[0] for v in columns]
        movers = rows[np.any([shifts.any(axis=1) for shifts in seen], axis=0)]
        for draw in range(_REDRAWS if self.tries == _LATTICES else _REDRAWS_AT_FIRST):
            if self._is_late or not len(movers):
                break
            # Values that few have are as good as those that most have: from zero all ways lead up.
            codes = self.codes[movers, columns[draw % len(columns)]]
            rarely = 1.0 / np.bincount(codes)[codes]
            chosen = movers[rows_to_change(rarely, _MOST_MOVERS, self.rng)]
            is_far = draw % 3 > 0
            looked = self.looked_at(view, box, chosen, columns, is_far)
            if self._choose(*self.proposed(view, box, chosen, looked, is_far)):
                return True
        return False

    def _choose(self, parts: list[Changes], box: Box) -> bool:
        if not parts:
            return False
        errors = box.errors + np.sum([p.before for p in parts], axis=0)
        shifts = np.concatenate([p.shifts for p in parts])
        spans = np.concatenate([p.spans for p in parts])
        if not len(shifts):
            return False
        # Rows that a lattice leaves out stay where they are.
        now = np.concatenate([self.codes[p.rows, p.column].astype(np.int64) - p.base for p in parts])
        now = np.where(spans > 1, now, 0)
        choice = choose_changes(shifts, errors, self.rng, spans, now, tries=self.tries)
        if choice is None:
            return False
        at = 0
        for part in parts:
            times = choice.times[at : at + len(part.rows)]
            at += len(part.rows)
            made = np.where(part.spans > 1, part.base + times, np.where(times > 0, part.news, part.base))
            self.codes[part.rows, part.column] = made
        return True
