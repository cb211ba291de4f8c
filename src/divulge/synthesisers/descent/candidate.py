"""The one dataset of a run: codes and totals that change together, and how far its figures are from the released ones.

Which changes are tried, and when to stop, is for `single_moves`, `pairs`, `annealing` and `search`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.kernels.behind import n_behind, rows_behind
from divulge.kernels.changes import Metric, Slopes, Work
from divulge.kernels.pool import Pool, draw_pool, look_at_pool
from divulge.kernels.proposals import Moves
from divulge.kernels.randomness import Stream
from divulge.kernels.search import State, descend
from divulge.objective.log import Log
from divulge.objective.moves import moves_of
from divulge.objective.objective import INSIDE, Objective
from divulge.objective.reproduction import Enough, Reproduction, reproduce
from divulge.objective.rules import rules_of
from divulge.objective.views import View

if TYPE_CHECKING:
    from divulge.synthesisers.descent.descent import Descent

_NEGLIGIBLE = 1e-4
"""A discrepancy of which hardly anything is left; where progress bars end."""

_SWAPS = 0.3
"""Share of proposals that swap a column between two rows; all of them where marginals are kept exactly."""

_OFTEN_ENOUGH, _OF_FEW = 5_000, 0.1
"""Rows up to which each is proposed often enough, and the share of rows of which a figure is one of few."""

_PEERS = 100_000
"""Rows that are put in the order of a numeric variable, at most: enough for neighbours to be alike."""


@dataclass
class Candidate:
    """Codes, totals and what the kernels need to change them.

    enough: how near will do, beside the mean absolute error of the settings; None: only what is as printed.
    inside: the share of published intervals to aim for. verified: the outputs as they were recomputed last.
    """

    settings: Descent
    objective: Objective
    codes: Codes
    stream: Stream
    log: Log
    enough: Enough | None = None

    def __post_init__(self) -> None:
        self._prepare()
        self.is_linear = all(o.is_linear for o in self.objective.lowered)
        self.discrepancy = np.inf
        self.inside = INSIDE
        self.verified: tuple[Reproduction, ...] | None = None
        self._first: float | None = None
        self._ordered = 0
        self.recount()

    def _prepare(self) -> None:
        objective = self.objective
        self.move_all_but(())
        self.rules = rules_of(objective)
        self.blocks = objective.program.blocks()
        n_totals, n_residuals = int(objective.total_start[-1]), int(objective.residual_start[-1])
        self.work = Work.of(n_totals, max(n_totals, n_residuals))  # `shifts_along` may ask for totals themselves

    def move_all_but(self, fixed: Collection[str]) -> None:
        """From now on variables move but for these."""
        self.moves = moves_of(self.objective, _SWAPS if self.settings.keep is None else 1.0, fixed)

    def recentre(self) -> bool:
        """Take estimates where they are now (`Objective.recentred`). Whether there are any that are bent."""
        if self.verified is None or not any(o.is_bent for o in self.objective.lowered):
            return False
        self.objective = self.objective.recentred([r.values for r in self.verified], self.objective.seen(self.codes))
        self._prepare()
        self.recount()
        return True

    @property
    def n_target_totals(self) -> int:
        """How many totals belong to the outputs; those of known marginals follow them."""
        return int(self.objective.total_start[self.objective.n_lowered_targets])

    @property
    def is_out_of_time(self) -> bool:
        return self.log.seconds > self.settings.seconds

    def recount(self) -> None:
        """Totals from the codes: additions leave rounding behind."""
        self.totals = self.objective.totals(self.codes)

    def refresh(self, units: list[Floats] | None = None, inside: float | None = None) -> View:
        """Residuals as linear functions of the totals here. inside: the share of intervals aimed for; None: its own."""
        share = self.inside if inside is None else inside
        return self.objective.linearise(self.totals, self.objective.seen(self.codes), units, share)

    def descend(self, metric: Metric, residuals: Floats, n: int, temperature: float = 0.0) -> None:
        """Propose n changes, and keep those that lower the discrepancy (or raise it little, above temperature 0)."""
        state = State(self.codes, self.totals, residuals, self.stream)
        done, kept, now = descend(self.blocks, self.moves, self.rules, metric, state, self.work, n, temperature)
        self.log.proposals += done
        self.log.accepted += kept
        self.discrepancy = float(now)

    def draw(self, metric: Metric, moves: Moves, pool: Pool) -> int:
        """Fill the pool with changes that these moves propose. How many it holds then."""
        if not len(pool.rows):
            return 0
        slopes, stream = metric.slopes, self.stream
        filled = int(draw_pool(self.blocks, moves, self.rules, slopes, self.codes, stream, self.work, pool))
        self.log.proposals += filled
        return filled

    def shifts_of(self, metric: Metric, rows: Integers, column: int, news: Integers) -> tuple[Floats, Mask]:
        """What new codes in a column would do to the outputs' residuals, one by one, and which the rules allow."""
        return self.shifts_along(metric.slopes, rows, column, news, self.objective.n_target_residuals)

    def shifts_along(self, slopes: Slopes, rows: Integers, column: int, news: Integers, n: int) -> tuple[Floats, Mask]:
        """The same for the first n of whatever the slopes make of the totals."""
        pool = Pool.of(len(rows), n)
        pool.rows[:], pool.columns[:], pool.news[:] = rows, column, news
        is_allowed = np.zeros(len(rows), dtype=np.bool_)
        look_at_pool(self.blocks, self.moves, self.rules, slopes, self.codes, self.work, pool, is_allowed)
        return pool.shifts, is_allowed

    def pair_rows(self) -> None:
        """Order rows (a sample of them where there are many) by a numeric variable, by each of these in turn."""
        moves = self.moves
        numeric = moves.variables[moves.draws.is_numeric[moves.variables]]
        if not len(numeric) or len(numeric) == len(moves.variables):
            return
        self._ordered += 1
        step = -(-len(self.codes) // _PEERS)
        rows = np.arange(self._ordered % step, len(self.codes), step)
        column = self.codes[rows, numeric[self._ordered % len(numeric)]]
        self.moves = moves._replace(peers=rows[np.argsort(column, kind="stable")])

    def dwell(self, view: View | None) -> bool:
        """From now on half of the proposals are about rows behind figures of few that are off in the view; where there
        is none, about any. Whether there are such rows."""
        rows = np.zeros(0, dtype=np.int64)
        if view is not None and len(self.codes) > _OFTEN_ENOUGH:
            objective = self.objective
            n_blocks = sum(len(o.blocks) for o in objective.lowered[: objective.n_lowered_targets])
            behind = n_behind(self.blocks, n_blocks, self.codes, len(self.totals))
            wanted = view.of_few(behind, _OF_FEW * len(self.codes), objective.n_target_residuals)
            rows = rows_behind(self.blocks, n_blocks, self.codes, wanted)
        self.moves = self.moves._replace(rows=rows)
        return len(rows) > 0

    def half_units(self) -> list[Floats]:
        """Half the width of each figure's interval: the unit of the last digits."""
        units = []
        for output in self.objective.lowered:
            half = (output.high - output.low) / 2
            units.append(np.where(np.isfinite(half) & (half > 0), half, output.unit))
        return units

    def note(self, stage: str) -> None:
        """Tell the log how far the search is."""
        # The discrepancy falls about evenly on a logarithmic scale; where it does not, the time allowed is the bound.
        if self._first is None:
            self._first = max(self.discrepancy, _NEGLIGIBLE)
        whole = max(np.log(self._first / _NEGLIGIBLE), 1e-9)
        fallen = np.log(self._first / max(self.discrepancy, _NEGLIGIBLE)) / whole
        share = float(min(0.99, max(fallen, self.log.seconds / self.settings.seconds)))
        self.log.note(stage, share, self.discrepancy, lambda: self.objective.table(self.codes.copy()), self.objective)

    @property
    def stops_near(self) -> bool:
        """Whether the search ends once all is near enough, without a try for the last digits."""
        return self.settings.mae is not None or (self.enough is not None and self.enough.is_final)

    @property
    def has_near(self) -> bool:
        """Whether anything but what is as printed will do."""
        return self.settings.mae is not None or self.enough is not None

    def is_near(self, residuals: Floats) -> bool:
        """Whether every output, to first order, is near enough."""
        if not self.has_near:
            return False
        found = self.objective.lowered[: self.objective.n_lowered_targets]
        parts = np.split(residuals, self.objective.residual_start[1 : len(found) + 1])
        if self.settings.mae is not None:
            errors = [float(np.abs(part).mean()) for part, _ in zip(parts, found, strict=False)]
            return max(errors, default=0.0) <= self.settings.mae
        assert self.enough is not None, "asked above"
        for o, (part, output, se) in enumerate(zip(parts, found, self.enough.se, strict=False)):
            # Residuals beyond the figures are of standard errors; where there are fewer, only the exact look can tell.
            n = len(se)
            own, inside = part[:n], ((part >= output.low) & (part <= output.high))[:n]
            if len(own) == n and not self.enough.is_met(o, own, inside):
                return False
        return True

    def is_done(self) -> bool:
        """Whether every figure, recomputed exactly, is as printed, or all are near enough."""
        self.verified = reproduce(self.objective, self.objective.seen(self.codes))
        return all(r.is_complete or self._is_enough(o, r) for o, r in enumerate(self.verified))

    def _is_enough(self, number: int, found: Reproduction) -> bool:
        if self.settings.mae is not None:
            return found.mae <= self.settings.mae
        if self.enough is None:
            return False
        with np.errstate(invalid="ignore"):  # what has no finite value is as printed, or is not
            return self.enough.is_met(number, found.values - found.released, found.agrees)

    def n_far(self, found: Sequence[Reproduction]) -> int:
        """How many figures are neither as printed nor near enough; where a mean error will do, of how many outputs it
        is larger. What is near is not given away for digits of others."""
        if self.settings.mae is not None:
            return sum(not r.mae <= self.settings.mae for r in found)
        errors = () if self.enough is None else self.enough.se
        return sum(int((~r.near(se)).sum()) for r, se in zip_longest(found, errors[: len(found)]))

    def is_as_printed(self) -> bool:
        """Whether every figure, as recomputed last, is as printed."""
        return self.verified is not None and all(r.is_complete for r in self.verified)
