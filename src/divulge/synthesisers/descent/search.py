"""One run of descent: single moves, pairs and disturbances, until every figure is as printed or nothing helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.changes import Metric, discrepancy
from divulge.kernels.pool import draw_pool
from divulge.kernels.proposals import Moves
from divulge.kernels.search import descend
from divulge.objective.compiled import moves_of, rules_of, scratch_of
from divulge.objective.embedding import Embedding, Log, Outcome, Reproduction, reproduce
from divulge.objective.objective import INSIDE, Objective
from divulge.objective.views import View
from divulge.synthesisers.descent.pair import Pool, best_moves

if TYPE_CHECKING:
    from divulge.synthesisers.descent.descent import Descent

NEGLIGIBLE = 1e-4
"""A discrepancy of which hardly anything is left; where progress bars end."""

CHUNK = 20_000
"""Proposals between two looks at the figures, at least; with many rows, half their number."""

REDUCTION = 0.8
"""A chunk of proposals that leaves more than this share of the discrepancy has stalled: pairs get on faster then."""

PATIENCE = 6
"""Stalled chunks in a row after which single moves are given up: they are cheap beside what comes after them."""

PATIENCE_LATER = 2
"""The same once pairs were tried: what single moves cannot do by then, more of them cannot either."""

REFRESH = 0.1
"""Linearised kinds are refreshed when the discrepancy has fallen to this share."""

DISTURBED = 12
"""Swaps that disturb a search which has stalled: enough to get elsewhere, few enough to be mended at once."""

HOTTEST, HOTTEST_AT_FIRST, COLDEST, TEMPERATURES = 16.0, 4.0, 0.5, 40
"""Annealing: a count off by one is worth 4. After a round that brought nothing, the next is twice as hot."""

POLISH_STEPS = 12
"""Pair steps without a new best before polishing gives up."""

POOL_FOR_UNITS, LEAST_POOL_FOR_UNITS, LARGEST_POOL_FOR_UNITS = 40, 1000, 2000
"""Moves for each figure, and in all at least and at most, from which the units of dense outputs are taken."""

PEERS = 100_000
"""Rows that are put in the order of a numeric variable, at most: enough for neighbours to be alike."""

LARGEST_POOL = 1500
"""Moves that pairs are chosen from: all pairs of them are a million, one matrix product."""

PAIR_WORK = 3e9
"""Multiplications that a pair step may take; with many figures the pool shrinks accordingly."""


@dataclass
class Search:
    """One run: codes, totals and residuals that change together."""

    settings: Descent
    objective: Objective
    codes: Codes
    stream: NDArray[np.uint64]
    log: Log

    def __post_init__(self) -> None:
        kept = self.settings.keep is not None
        self.moves = moves_of(self.objective, 1.0 if kept else self.settings.swap_share, self.settings.step_share)
        self.rules = rules_of(self.objective)
        self.scratch = scratch_of(self.objective)
        self.totals = self.objective.totals(self.codes)
        self.discrepancy = np.inf
        self.ordered = 0
        self.inside = INSIDE
        self.best: Codes | None = None
        self.least: float = np.inf
        self.first: float | None = None
        self.verified: tuple[Reproduction, ...] | None = None

    def run(self) -> Embedding:
        if not len(self.moves.variables):
            return self._finish(Outcome.NOTHING_TO_MOVE)
        try:
            return self._finish(self._run())
        except KeyboardInterrupt:
            # Totals may lag behind codes here; the exact evaluation in finish looks at the codes alone.
            return self._finish(Outcome.INTERRUPTED)

    def _run(self) -> Outcome:
        stalls = 0
        while True:
            if self._descend() or self._is_done():
                return Outcome.REPRODUCED
            if self.log.seconds > self.settings.seconds:
                return Outcome.OUT_OF_TIME
            self.totals = self.objective.totals(self.codes)  # additions leave rounding behind
            if self.settings.polish and self.settings.keep is None:
                self._polish()
            else:
                self._anneal(stalls)
            if self._is_done():
                return Outcome.REPRODUCED
            if self.log.seconds > self.settings.seconds:
                return Outcome.OUT_OF_TIME
            stalls = 0 if self._is_best_so_far() else stalls + 1
            if stalls >= self.settings.rounds:
                return Outcome.STALLED
            self.inside += (1.0 - self.inside) / 2
            if stalls and self.best is not None:
                self.codes[:] = self.best
            self._disturb()

    def _is_best_so_far(self) -> bool:
        """Whether fewer figures are off than ever before; the codes are kept then."""
        found = reproduce(self.objective, self.objective.table(self.codes))
        left = int(sum((~r.agrees).sum() for r in found))
        if left >= self.least:
            return False
        self.least, self.best = left, self.codes.copy()
        return True

    def _disturb(self) -> None:
        """Swap values between some rows: from elsewhere nearby, the last digits may be within reach."""
        pool = Pool.of(DISTURBED, 0)
        filled = self._draw(self._refresh().metric, self.moves._replace(swap_share=1.0), pool)
        taken: set[int] = set()
        for k in range(filled):
            rows = {int(pool.rows[k]), int(pool.others[k])}
            if not rows & taken:
                pool.make(k, self.codes)
                taken |= rows
        self.totals = self.objective.totals(self.codes)

    def _finish(self, outcome: Outcome) -> Embedding:
        if self.best is not None and outcome is not Outcome.REPRODUCED:
            self._is_best_so_far()
            self.codes = self.best
        # What was reproduced has just been recomputed exactly, from these very codes.
        verified = self.verified if outcome is Outcome.REPRODUCED else None
        if outcome is Outcome.REPRODUCED and self.settings.mae is not None:
            outcome = Outcome.NEAR_ENOUGH  # which becomes `reproduced` where every figure is
        table = self.objective.table(self.codes)
        self.codes = np.empty((0, len(table.schema)), dtype=self.codes.dtype)  # memory for the evaluation
        return self.log.finish(self.objective, table, outcome, self.discrepancy, verified)

    def _refresh(self, units: list[Floats] | None = None) -> View:
        return self.objective.linearise(self.totals, self.objective.seen(self.codes), units, self.inside)

    def _call(self, metric: Metric, residuals: Floats, n: int, temperature: float) -> float:
        program = self.objective.program
        done, kept, now = descend(
            program.ints,
            program.floats,
            metric,
            self.moves,
            self.rules,
            self.codes,
            self.totals,
            residuals,
            self.stream,
            self.scratch,
            n,
            0.0,
            temperature,
        )
        self.log.proposals += done
        self.log.accepted += kept
        self.discrepancy = now
        return float(now)

    def _descend(self) -> bool:
        """Single moves until they stall; linearised kinds are refreshed on the way. Whether all is reproduced.

        Dense outputs are measured in units of what moves do to them (`View.in_moves`).
        """
        whole = max(CHUNK, len(self.codes) // 2)
        chunk = whole if self.settings.mae is None else whole // 4
        reduction = REDUCTION ** (chunk / whole)
        is_linear = all(o.is_linear for o in self.objective.lowered)
        n_targets = self.objective.n_lowered_targets
        view = self._refresh()
        self._pair_rows()
        n_figures = self.objective.n_target_residuals
        size = (
            min(LARGEST_POOL_FOR_UNITS, max(LEAST_POOL_FOR_UNITS, POOL_FOR_UNITS * n_figures)) if view.has_dense else 0
        )
        pool = Pool.of(size, n_figures)
        turns = view.turns(pool.shifts[: self._draw_for_units(view.metric, pool)])
        aim = view.in_moves(turns, n_targets)
        before = refreshed = aim.discrepancy()
        stalls, is_fresh = 0, True
        patience = PATIENCE if self.best is None else PATIENCE_LATER
        while before > 0 and stalls < patience and self.log.seconds < self.settings.seconds:
            self._call(aim.metric, aim.residuals, chunk, 0.0)
            self.discrepancy = now = aim.discrepancy()
            self._note("descending")
            here = view.at(self.totals)
            inside = here.is_inside(self.objective.n_target_residuals) or self._is_near(here)
            if inside and self._is_done():
                return True
            has_stalled = now > reduction * before
            # What has stalled may only follow slopes that hold no longer: look again before counting it.
            stalls = stalls + 1 if has_stalled and is_fresh else 0 if not has_stalled else stalls
            is_fresh = is_linear or now > REFRESH * refreshed
            if not is_linear and (inside or has_stalled or now < REFRESH * refreshed):
                here = view = self._refresh()
                turns = view.turns(pool.shifts[: self._draw_for_units(view.metric, pool)])
                is_fresh = True
            aim = here.in_moves(turns, n_targets)
            before = aim.discrepancy()
            if here is view:
                refreshed = before
        return False

    def _pair_rows(self) -> None:
        """Order rows (a sample of them where there are many) by a numeric variable, by each of these in turn."""
        moves = self.moves
        numeric = moves.variables[moves.is_numeric[moves.variables]]
        if not len(numeric) or len(numeric) == len(moves.variables):
            return
        self.ordered += 1
        rows = np.arange(self.ordered % -(-len(self.codes) // PEERS), len(self.codes), -(-len(self.codes) // PEERS))
        column = self.codes[rows, numeric[self.ordered % len(numeric)]]
        self.moves = moves._replace(peers=rows[np.argsort(column, kind="stable")])

    def _half_units(self) -> list[Floats]:
        """Half the width of each figure's interval: the unit of the last digits."""
        units = []
        for output in self.objective.lowered:
            half = (output.high - output.low) / 2
            units.append(np.where(np.isfinite(half) & (half > 0), half, output.unit))
        return units

    def _polish(self) -> None:
        """Pairs of moves whose changes cancel what is left."""
        # A pair moves a known marginal by a row or two, which does not matter: pairs look at the outputs alone.
        n_residuals = self.objective.n_target_residuals
        size = int(min(LARGEST_POOL, max(200, np.sqrt(PAIR_WORK / max(n_residuals, 1)))))
        pool = Pool.of(size, n_residuals)
        units = self._half_units()
        is_linear = all(o.is_linear for o in self.objective.lowered)
        view = self._refresh(units)
        self._pair_rows()
        metric, residuals = _first(view, n_residuals)
        best, since, step = np.inf, 0, 0
        while since < POLISH_STEPS and self.log.seconds < self.settings.seconds:
            self.discrepancy = now = float(discrepancy(metric.weight, metric.low, metric.high, residuals))
            if now == 0.0 and (is_linear or self._is_done()):
                break
            if now < 0.99 * best:
                best, since = now, 0
            since, step = since + 1, step + 1
            chosen = best_moves(pool, self._draw(view.metric, self.moves, pool), metric, residuals)
            for k in chosen:
                pool.make(k, self.codes)
                residuals += pool.shifts[k]
                self.log.accepted += 1
            if step % 10 == 0:
                self._note("pairing")
            if (not is_linear and step % 20 == 0) or now == 0.0:
                self.totals = self.objective.totals(self.codes)
                view = self._refresh(units)
                metric, residuals = _first(view, n_residuals)
        self.totals = self.objective.totals(self.codes)

    def _draw_for_units(self, metric: Metric, pool: Pool) -> int:
        """Fill the pool: half as the search proposes, half with every granted code alike. How many it holds then.

        A level that one row in a thousand has is hardly ever proposed, and a figure that depends on it would pass for
        one that nothing can move.
        """
        half = self._draw(metric, self.moves, pool.part(0, len(pool.rows) // 2))
        alike = self.moves._replace(threshold=(self.moves.threshold > 0).astype(float))
        return half + self._draw(metric, alike, pool.part(half, len(pool.rows)))

    def _draw(self, metric: Metric, moves: Moves, pool: Pool) -> int:
        """Fill the pool with changes that these moves propose. How many it holds then."""
        if not len(pool.rows):
            return 0
        program = self.objective.program
        filled = draw_pool(
            program.ints,
            program.floats,
            metric,
            moves,
            self.rules,
            self.codes,
            self.stream,
            self.scratch,
            pool.rows,
            pool.others,
            pool.columns,
            pool.news,
            pool.shifts,
        )
        self.log.proposals += filled
        return int(filled)

    def _anneal(self, stalls: int) -> None:
        """Single moves that may also go up a little, less and less: out of the holes where greedy search stops.

        stalls: rounds in a row that brought nothing; after each the next is hotter.
        """
        view = self._refresh(self._half_units())
        chunk = max(50_000, len(self.codes))
        for temperature in np.geomspace(min(HOTTEST, HOTTEST_AT_FIRST * 2.0**stalls), COLDEST, TEMPERATURES):
            self._call(view.metric, view.residuals, chunk, float(temperature))
            self._note("annealing")
            if self.discrepancy == 0.0 or self.log.seconds > self.settings.seconds:
                break
        self._call(view.metric, view.residuals, chunk, 0.0)
        self.totals = self.objective.totals(self.codes)

    def _note(self, stage: str) -> None:
        # The discrepancy falls about evenly on a logarithmic scale; where it does not, the time allowed is the bound.
        if self.first is None:
            self.first = max(self.discrepancy, NEGLIGIBLE)
        fallen = np.log(self.first / max(self.discrepancy, NEGLIGIBLE)) / max(np.log(self.first / NEGLIGIBLE), 1e-9)
        share = float(min(0.99, max(fallen, self.log.seconds / self.settings.seconds)))
        self.log.note(stage, share, self.discrepancy, lambda: self.objective.table(self.codes.copy()), self.objective)

    def _is_near(self, view: View) -> bool:
        """Whether every output's mean absolute error, to first order, is what `mae` asks for."""
        if self.settings.mae is None:
            return False
        starts = self.objective.residual_start
        errors = [
            np.abs(view.residuals[starts[o] : starts[o + 1]]).mean() for o in range(self.objective.n_lowered_targets)
        ]
        return bool(max(errors, default=0.0) <= self.settings.mae)

    def _is_done(self) -> bool:
        """Whether every figure, recomputed exactly, is as printed (or near enough, where `mae` says so)."""
        self.verified = reproduce(self.objective, self.objective.seen(self.codes))
        near = self.settings.mae
        return all(r.is_complete or (near is not None and r.mae <= near) for r in self.verified)


def _first(view: View, n: int) -> tuple[Metric, Floats]:
    """Weights, intervals and values of the first n residuals."""
    metric = view.metric._replace(weight=view.weight[:n], low=view.low[:n], high=view.high[:n])
    return metric, view.residuals[:n].copy()
