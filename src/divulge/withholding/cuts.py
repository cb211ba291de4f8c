"""The cheapest pattern, by cuts: what an attacker could not do with a pattern says which figures it lacks.

A pattern is chosen by an integer program that knows little of the table. For every need that it does not meet, the
duals of the attacker's linear program say of which figures more must be withheld, whatever the pattern (Fischetti &
Salazar-González 2001). These cuts are added, and a pattern is chosen again, first in fractions, then in whole figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from divulge.audit.program import Program
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.withholding.figures import Changes, Figures, Need
from divulge.withholding.paths import Paths, grow, thin

SHORT = 1e-6
"""Of the need: an attacker who is held closer than that misses it."""

CLOSE = 0.002
"""By how much more than the cheapest a pattern may cost."""

ROUGHLY = 0.03
"""By how much more a pattern may cost that is only chosen to see what it lacks."""

MANY = 40
"""Needs from which on many are pushed at once before each is asked about alone."""

PUSHES = 8
"""So often many needs are pushed at once, each up or down as drawn."""

SHAKEN = 0.3
"""By how much prices are shaken: enough for another pattern, too little for a dear one."""

ALONG = 0.5
"""The share of the time for paths after which the patterns they gave are combined."""

IN_VAIN = 4
"""Patterns in a row that are no cheaper, after which no more are made."""

NEAR_ENOUGH = 0.02
"""By how much more than in fractions a pattern may cost that is good enough; the cheapest costs more, too."""

GAINED = 0.01
"""By how much more the fractions must cost after a round of cuts; with less, whole figures say more."""

STALLED = 1
"""Rounds of cuts without so much gained, after which fractions are left."""


@dataclass(frozen=True, eq=False)
class _Part:
    """Some figures, and of each a number: how much of its room a change uses, or how much its withholding helps."""

    figures: Integers
    of_each: Floats

    def is_within(self, share: Floats) -> bool:
        return bool((self.of_each <= share[self.figures] + 1e-9).all())  # shares come from a solver


class _Attacker:
    """How far a figure can move while published figures stay; with fractions, while they move by part of their room."""

    def __init__(self, given: Figures, changes: Changes) -> None:
        self._given, self._changes = given, changes
        zero = np.zeros(int(changes.matrix.shape[0]))
        self._program = Program(changes.matrix, (zero, zero), (-changes.down, changes.up))
        self._columns = np.flatnonzero(changes.figure_of >= 0)
        self._share = np.ones(changes.n_columns)

    def publish(self, share: Floats) -> None:
        """How much of its room each figure has: none of what is published, all of what is withheld."""
        self._share = np.where(self._changes.figure_of >= 0, share[np.maximum(self._changes.figure_of, 0)], 1.0)
        room = self._share[self._columns]
        self._program.hold(
            self._columns, -self._changes.down[self._columns] * room, self._changes.up[self._columns] * room
        )

    def ask(self, need: Need, primary: Mask) -> tuple[bool, _Part]:
        """Whether a need is met, and by which part of the room of which figures; or what helps, where 1 is asked."""
        changes, amount = self._changes, abs(need.amount)
        column = int(changes.column_of[need.figure])
        up, down = changes.up[column], changes.down[column]
        ends = (-down, min(amount, up)) if need.amount > 0 else (-min(amount, down), up)
        self._program.hold(np.array([column]), np.array([ends[0]]), np.array([ends[1]]))
        sign = -1.0 if need.amount > 0 else 1.0
        found = self._program.minimise(np.array([column]), np.array([sign]))
        self._program.hold(np.array([column]), np.array([-down]), np.array([up]))
        if found.at is None or found.reduced is None:
            # The solver gave up: some figure more has to go, and nobody knows which.
            open_figures = np.flatnonzero(~primary & np.isfinite(self._given.cost))
            return False, _Part(open_figures, np.ones(len(open_figures)))
        if -found.value >= amount * (1 - SHORT):
            return True, self._used(found.at, primary)
        room = changes.down.copy(), changes.up.copy()
        room[0][column], room[1][column] = -ends[0], ends[1]
        helps = np.maximum(found.reduced, 0.0) * room[0] + np.maximum(-found.reduced, 0.0) * room[1]
        by_figure = np.bincount(changes.figure_of + 1, helps, minlength=self._given.n_figures + 1)
        always, by_figure = by_figure[0], by_figure[1:]
        left = amount - always - by_figure[primary].sum()
        figures = np.flatnonzero((by_figure > 1e-9 * amount) & ~primary & np.isfinite(self._given.cost))
        # Of whole figures one that gives all that is asked gives no more.
        return False, _Part(figures, np.minimum(by_figure[figures] / max(left, SHORT * amount), 1.0))

    def push(self, needs: Sequence[Need], primary: Mask, rng: np.random.Generator) -> dict[int, _Part]:
        """Needs that are seen to be met when many figures are pushed at once, by their places."""
        changes = self._changes
        columns = changes.column_of[[need.figure for need in needs]]
        amounts = np.array([need.amount for need in needs])
        # None is pushed further than it needs, so that there is room for the others.
        up, down = np.zeros(changes.n_columns), np.zeros(changes.n_columns)
        np.maximum.at(up, columns, np.maximum(amounts, 0.0))
        np.maximum.at(down, columns, np.maximum(-amounts, 0.0))
        pushed = np.unique(columns)
        ends = np.minimum(down, changes.down)[pushed], np.minimum(up, changes.up)[pushed]
        self._program.hold(pushed, -ends[0], ends[1])
        seen: dict[int, _Part] = {}
        for _ in range(PUSHES):
            found = self._program.minimise(pushed, rng.choice([-1.0, 1.0], len(pushed)))
            if found.at is None:
                break
            reached = found.at[columns] * np.sign(amounts) >= np.abs(amounts) * (1 - SHORT)
            met = [i for i in np.flatnonzero(reached).tolist() if i not in seen]
            if met:
                seen |= dict.fromkeys(met, self._used(found.at, primary))
            if len(met) < 0.02 * len(needs):
                break
        self._program.hold(
            pushed, -changes.down[pushed] * self._share[pushed], changes.up[pushed] * self._share[pushed]
        )
        return seen

    def _used(self, at: Floats, primary: Mask) -> _Part:
        changes = self._changes
        moved = np.flatnonzero((np.abs(at) > 1e-9 * np.abs(at).max()) & (changes.figure_of >= 0))
        moved = moved[~primary[changes.figure_of[moved]]]
        room = np.where(at[moved] > 0, changes.up[moved], changes.down[moved])
        return _Part(changes.figure_of[moved], np.abs(at[moved]) / np.maximum(room, 1e-12))


class Search:
    """The cheapest pattern within a time."""

    def __init__(
        self,
        given: Figures,
        changes: Changes,
        primary: Mask,
        needs: Sequence[Need],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._given, self._primary, self._needs = given, primary, needs
        self._clock, self._rng = clock, np.random.default_rng(0)  # any seed: directions only
        self._until, self._more = clock() + 0.5 * seconds, 0.5 * seconds
        self._paths, self._attacker = Paths(given, changes), _Attacker(given, changes)
        self._choice = np.flatnonzero(~primary & np.isfinite(given.cost))
        self._place = np.full(given.n_figures, -1)
        self._place[self._choice] = np.arange(len(self._choice))
        self._rows: list[tuple[Integers, Floats]] = []
        self._met_by: list[_Part | None] = [None] * len(needs)
        self._cost = given.cost[self._choice]
        self._bound = 0.0

    @property
    def _time(self) -> float:
        return self._until - self._clock()

    def run(self) -> Mask:
        """The cheapest pattern; where that takes too long, the cheapest of some that are made of paths."""
        share, best = self._in_fractions(), None
        last: Mask | None = None
        for close in (ROUGHLY, CLOSE):
            n_rows = -1
            while self._time > 0 and n_rows < len(self._rows):
                (chosen, is_cheapest), n_rows = self._in_whole(close), len(self._rows)
                if chosen is None or (not is_cheapest and last is not None):
                    break
                last = chosen
                if not self._add_cuts(chosen.astype(float)):
                    if close == CLOSE:
                        return chosen
                    best = chosen
                    break
        return self._of_paths(share, last) if best is None else best

    def _of_paths(self, share: Floats, last: Mask | None) -> Mask:
        """The cheapest of patterns grown along what fractions of figures say, with prices shaken again and again; and
        of the last whole one, with what it lacks."""
        late = self._until + ALONG * self._more
        price = self._given.cost * (1.0 - 0.99 * share)
        starts = [(self._primary, price)] if last is None else [(last, self._given.cost), (self._primary, price)]
        every: list[Mask] = []
        in_vain = 0
        while not every or (self._clock() < late and in_vain < IN_VAIN):
            start, told = starts.pop(0) if starts else (self._primary, price * self._shaken(len(price)))
            grown = grow(self._paths, start, [self._needs[i] for i in self._not_seen(start.astype(float))], told)
            found = self._thinned(grown, late)
            in_vain = in_vain + 1 if any(self._price(found) >= self._price(one) for one in every) else 0
            every.append(found)
            if self._price(found) <= self._bound * (1.0 + NEAR_ENOUGH):
                return found
        return self._combined(every, share > 0 if last is None else last | (share > 0))

    def _thinned(self, grown: Mask, late: float) -> Mask:
        return thin(self._paths, self._given, self._primary, grown, self._needs, lambda: self._clock() > late)

    def _combined(self, patterns: Sequence[Mask], besides: Mask) -> Mask:
        """The cheapest pattern of the figures that one of several withholds (Danna, Rothberg & Le Pape 2005), or that
        are named besides: among so few figures cuts lead to it soon."""
        best = min(patterns, key=self._price)
        self._until += self._more
        within = np.any(patterns, axis=0) | besides
        for close in (ROUGHLY, CLOSE):
            n_rows = -1
            while self._time > 0 and n_rows < len(self._rows):
                (chosen, _), n_rows = self._in_whole(close, within), len(self._rows)
                if chosen is None or self._price(chosen) >= self._price(best):
                    break
                if not self._add_cuts(chosen.astype(float)):
                    best = chosen
        return best

    def _shaken(self, n: int) -> Floats:
        return np.asarray(self._rng.lognormal(0.0, SHAKEN, n))

    def _price(self, pattern: Mask) -> float:
        return float(self._given.cost[pattern & ~self._primary].sum())

    def _add_cuts(self, share: Floats) -> int:
        """Cuts for the needs that are not met; how many these are."""
        n_unmet = 0
        for i in self._not_seen(share):
            is_met, part = self._attacker.ask(self._needs[i], self._primary)
            if is_met:
                self._met_by[i] = part
                continue
            if part.of_each.sum() < 1.0:
                # Not even a table without a figure would leave so much open: nothing helps.
                self._met_by[i] = _Part(np.zeros(0, dtype=np.int64), np.zeros(0))
                continue
            n_unmet += 1
            if part.of_each @ share[part.figures] < 1.0 - SHORT:
                self._rows.append((self._place[part.figures], part.of_each))
            if self._time <= 0:
                break
        return n_unmet

    def _not_seen(self, share: Floats) -> list[int]:
        """The needs that no change seen so far meets with so much of the figures withheld; many are pushed at once."""
        asked = [i for i, part in enumerate(self._met_by) if part is None or not part.is_within(share)]
        if not asked:
            return []
        self._attacker.publish(np.where(self._primary, 1.0, share))
        if len(asked) <= MANY:
            return asked
        seen = self._attacker.push([self._needs[i] for i in asked], self._primary, self._rng)
        for place, part in seen.items():
            self._met_by[asked[place]] = part
        return [i for place, i in enumerate(asked) if place not in seen]

    def _in_fractions(self) -> Floats:
        """The pattern in fractions to which cuts lead, until it meets all needs or the time is up."""
        n = len(self._choice)
        program = Program(sparse.csr_array((0, n)), (np.zeros(0), np.zeros(0)), (np.zeros(n), np.ones(n)))
        columns, share = np.arange(n), np.zeros(self._given.n_figures)
        n_rows, stalled = 0, 0
        while self._time > 0 and stalled < STALLED and self._add_cuts(share) and n_rows < len(self._rows):
            for row in self._rows[n_rows:]:
                program.add(*row, 1.0)
            n_rows = len(self._rows)
            done = program.minimise(columns, self._cost, self._time)
            if done.at is None:
                break
            stalled = 0 if done.value > self._bound * (1.0 + GAINED) else stalled + 1
            self._bound = max(self._bound, done.value)
            share = np.zeros(self._given.n_figures)
            share[self._choice] = np.clip(done.at, 0.0, 1.0)
        return share

    def _in_whole(self, close: float, within: Mask | None = None) -> tuple[Mask | None, bool]:
        """The cheapest pattern that the cuts so far allow, but for so much, and True; where the time is up, what there
        is, and False. within: the figures of which it may be; None: any."""
        n, found = len(self._choice), self._primary.copy()
        if not self._rows:
            return found, True
        lengths = np.cumsum([0, *(len(c) for c, _ in self._rows)])
        entries = np.concatenate([f for _, f in self._rows]), np.concatenate([c for c, _ in self._rows]), lengths
        matrix = sparse.csr_array(entries, shape=(len(self._rows), n))
        ends = np.ones(len(self._rows)), np.full(len(self._rows), np.inf)
        most = np.ones(n) if within is None else within[self._choice].astype(np.float64)
        program = Program(matrix, ends, (np.zeros(n), most), np.ones(n, dtype=bool))
        # A program in whole numbers ends within a half of the best: prices are scaled so that this is little.
        price = self._cost * (0.5 / close / max(self._bound, self._cost.min(initial=1.0)))
        done = program.minimise(np.arange(n), price, self._time)
        # What the solver has when the time is up is no cheapest pattern, but one to start from.
        if done.at is None or len(done.at) < n or (matrix @ np.round(done.at) < 1.0 - SHORT).any():
            return None, False
        found[self._choice[done.at > 0.5]] = True
        return found, done.outcome == "optimal"
