"""The cheapest pattern, by cuts: what an attacker could not do with a pattern says which figures it lacks.

A pattern is chosen by an integer program that knows little of the table. For every need that it does not meet, the
duals of the attacker's linear program say of which figures more must be withheld, whatever the pattern (Fischetti &
Salazar-González 2001). These cuts are added, and a pattern is chosen again, first in fractions, then in whole figures.
Each whole one is filled with what it lacks: that gives more cuts, and patterns that lack nothing, of which the cheapest
is kept.
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
from divulge.withholding.paths import Paths, thin

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

THINNED = 1.05
"""A pattern that costs so many times the best may, without what no need has to use, cost less."""

THINNING = 0.25
"""The share of the time for improving after which it is no longer tried to publish again what no need has to use."""

REMEMBERED = 8
"""Changes that are kept of each need: while one of them is open, nobody has to ask for another."""

FRACTIONS = 0.125
"""The share of the time after which fractions are left, however much they still gain."""

GAINED = 0.03
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


NOTHING = _Part(np.zeros(0, dtype=np.int64), np.zeros(0))
"""Of a need that no pattern meets, as good as met: nothing helps."""


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
        self._began = clock(), time.monotonic()
        self._until, self._more = self._began[0] + 0.5 * seconds, 0.5 * seconds
        self._paths, self._attacker = Paths(given, changes), _Attacker(given, changes)
        self._choice = np.flatnonzero(~primary & np.isfinite(given.cost))
        self._place = np.full(given.n_figures, -1)
        self._place[self._choice] = np.arange(len(self._choice))
        self._rows: list[tuple[Integers, Floats]] = []
        self._met_by: list[list[_Part]] = [[] for _ in needs]
        self._cost = given.cost[self._choice]
        self._bound = 0.0

    @property
    def _time(self) -> float:
        return self._until - self._clock()

    def run(self) -> Mask:
        """The cheapest pattern; if that takes too long, the cheapest pattern that was met on the way."""
        within = self._in_fractions() > 0
        best: Mask | None = None
        for close in (ROUGHLY, CLOSE):
            n_cuts = 1
            while n_cuts and (best is None or self._time > 0):
                chosen, bound = self._in_whole(close, best)
                within |= chosen
                whole, n_cuts = self._completed(chosen)
                best = whole if best is None else min(best, whole, key=self._price)
                if bound > -np.inf and self._price(best) <= bound * (1.0 + CLOSE):
                    return best
        assert best is not None, "one is made even when the time is up"
        return self._improved(best, within)

    def _improved(self, best: Mask, within: Mask) -> Mask:
        """The cheapest pattern of the figures of a pattern, or that are named besides (Danna, Rothberg & Le Pape 2005):
        among so few figures cuts lead to it soon. What no need has to use is published again."""
        self._until += self._more
        best = self._thinned(best)
        within = within | best
        for close in (ROUGHLY, CLOSE):
            n_cuts = 1
            while n_cuts and self._time > 0:
                chosen, _ = self._in_whole(close, best, within)
                if self._price(chosen) >= self._price(best):
                    break
                whole, n_cuts = self._completed(chosen)
                if self._price(whole) < self._price(best) * THINNED:
                    best = min(best, self._thinned(whole), key=self._price)
                    within |= best
        return best

    def _thinned(self, whole: Mask) -> Mask:
        until = self._time - THINNING * self._more
        return thin(self._paths, self._given, self._primary, whole, self._needs, lambda: self._time <= max(until, 0.0))

    def _completed(self, chosen: Mask) -> tuple[Mask, int]:
        """A pattern with all that it lacks, as cut upon cut says, and how many cuts these were: what a pattern lacks
        that is nearly whole says more than what a poor one lacks. Where the time is up each need takes one step."""
        whole, n_cuts = chosen.copy(), 0
        asked = self._not_seen(chosen.astype(float))
        self._rng.shuffle(asked)
        for i in asked:
            if self._time <= 0 and not self._is_met(i, whole.astype(float)):
                # One change of least cost, in the place of cut after cut.
                path = self._paths.find(self._needs[i], np.where(whole, 0.0, self._given.cost))
                whole |= False if path is None else path
                continue
            while not self._is_met(i, whole.astype(float)):
                is_met, part = self._attacker.ask(self._needs[i], self._primary)
                more = part.figures[~whole[part.figures]]
                if is_met or not len(more) or part.of_each.sum() < 1.0:
                    self._keep(i, part if is_met else NOTHING)
                    break
                self._rows.append((self._place[part.figures], part.of_each))
                n_cuts += 1
                whole[self._filling(part, whole)] = True
                self._attacker.publish(whole.astype(float))
        return whole, n_cuts

    def _filling(self, part: _Part, whole: Mask) -> Integers:
        """Figures that a cut asks for beside those that are withheld already: those that cost least for what they
        help, less those that the others make needless."""
        is_left = ~whole[part.figures]
        figures, helps = part.figures[is_left], part.of_each[is_left]
        lacks = max(1.0 - float(part.of_each[~is_left].sum()), SHORT)
        order = np.argsort(self._given.cost[figures] / helps, kind="stable")
        n = 1 + int(np.searchsorted(np.cumsum(helps[order]), lacks - SHORT))
        taken = order[:n]
        spare = helps[taken].sum() - lacks
        kept = []
        for k in taken[np.argsort(-self._given.cost[figures[taken]], kind="stable")].tolist():
            if helps[k] <= spare:
                spare -= helps[k]
            else:
                kept.append(k)
        return np.asarray(figures[kept])

    def _price(self, pattern: Mask) -> float:
        return float(self._given.cost[pattern & ~self._primary].sum())

    def _add_cuts(self, share: Floats) -> int:
        """Cuts for the needs that are not met; how many these are."""
        n_unmet = 0
        for i in self._not_seen(share):
            is_met, part = self._attacker.ask(self._needs[i], self._primary)
            if is_met:
                self._keep(i, part)
                continue
            if part.of_each.sum() < 1.0:
                self._keep(i, NOTHING)
                continue
            n_unmet += 1
            if part.of_each @ share[part.figures] < 1.0 - SHORT:
                self._rows.append((self._place[part.figures], part.of_each))
            if self._time <= 0:
                break
        return n_unmet

    def _not_seen(self, share: Floats) -> list[int]:
        """The needs that no change seen so far meets with so much of the figures withheld; many are pushed at once."""
        asked = [i for i in range(len(self._needs)) if not self._is_met(i, share)]
        if not asked:
            return []
        self._attacker.publish(np.where(self._primary, 1.0, share))
        if len(asked) <= MANY:
            return asked
        seen = self._attacker.push([self._needs[i] for i in asked], self._primary, self._rng)
        for place, part in seen.items():
            self._keep(asked[place], part)
        return [i for place, i in enumerate(asked) if place not in seen]

    def _is_met(self, i: int, share: Floats) -> bool:
        return any(part.is_within(share) for part in self._met_by[i])

    def _keep(self, i: int, part: _Part) -> None:
        self._met_by[i] = [part, *self._met_by[i][: REMEMBERED - 1]]

    def _in_fractions(self) -> Floats:
        """The pattern in fractions to which cuts lead, until it meets all needs or the time is up."""
        n = len(self._choice)
        program = Program(sparse.csr_array((0, n)), (np.zeros(0), np.zeros(0)), (np.zeros(n), np.ones(n)))
        columns, share = np.arange(n), np.zeros(self._given.n_figures)
        n_rows, stalled, until = 0, 0, self._until
        self._until -= (1.0 - 2.0 * FRACTIONS) * self._more
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
        self._until = until
        return share

    def _in_whole(self, close: float, best: Mask | None, within: Mask | None = None) -> tuple[Mask, float]:
        """The cheapest pattern that the cuts so far allow, but for so much, and what none costs less than; where the
        time is up, the best there is. best: a pattern that lacks nothing, if one is known. within: the figures of
        which it may be; None: any."""
        n, found = len(self._choice), self._primary.copy()
        if not self._rows or self._time <= 0:
            return found, 0.0
        lengths = np.cumsum([0, *(len(c) for c, _ in self._rows)])
        entries = np.concatenate([f for _, f in self._rows]), np.concatenate([c for c, _ in self._rows]), lengths
        matrix = sparse.csr_array(entries, shape=(len(self._rows), n))
        # A pattern that lacks nothing but for a solver's tolerance is one to start from.
        ends = np.full(len(self._rows), 1.0 - 2 * SHORT), np.full(len(self._rows), np.inf)
        most = np.ones(n) if within is None else within[self._choice].astype(np.float64)
        program = Program(matrix, ends, (np.zeros(n), most), np.ones(n, dtype=bool))
        if best is not None:
            program.start(best[self._choice].astype(np.float64))
        # A program in whole numbers ends within a half of the best: prices are scaled so that this is little.
        scale = 0.5 / close / max(self._bound, self._cost.min(initial=1.0))
        # The solver counts the time of day, whatever the search counts.
        counted, passed = self._clock() - self._began[0], time.monotonic() - self._began[1]
        slower = max(passed / counted, 1.0) if counted > 1.0 else 1.0
        done = program.minimise(np.arange(n), self._cost * scale, self._time * slower)
        # What the solver has when the time is up is no cheapest pattern, but one to start from.
        if done.at is None or len(done.at) < n:
            return found, 0.0
        found[self._choice[done.at > 0.5]] = True
        return found, done.bound / scale
