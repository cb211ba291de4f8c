"""One run of descent: single moves, the last digits, disturbances, until all is as printed or nothing helps.

The last digits are arithmetic (`last_digits`). For what that leaves there are pairs (models), annealing (counts),
and disturbances (all), each measured to pay.
"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes
from divulge.kernels.pool import Pool
from divulge.objective.embedding import Embedding, Outcome
from divulge.objective.reproduction import reproduce
from divulge.outputs import Statbarn
from divulge.synthesisers.descent.annealing import anneal
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.last_digits import LastDigits
from divulge.synthesisers.descent.pairs import make_pairs
from divulge.synthesisers.descent.proposing import MOST_FIGURES
from divulge.synthesisers.descent.single_moves import make_single_moves

_DISTURBED = 12
"""Swaps that disturb a search which has stalled: enough to get elsewhere, few enough to be mended at once."""


_SHARE_FOR_MENDING = 0.7
"""Share of a search's time for the last digits of what is wrong, where the rest is as printed: that is hardly kept by
anything else."""

_SHARE, _SHARE_AT_LAST = 0.4, 0.85
"""Share of a search's time for the last digits; and where all is near enough, so that nothing comes after them."""

_NEAR_ROUNDS = 6
"""Rounds in which the last digits of what is near enough are tried for."""

_AT_ONCE = 20_000
"""Rows up to which arithmetic is tried before pairs: with more, a look at what columns do takes as long as pairs."""

_ROUNDS = 8
"""Rounds without one more figure after which a search has stalled."""


class Search:
    """Rounds of a candidate, and the best codes so far."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.settings = candidate.settings
        self.best: Codes | None = None
        self.least_off = (np.inf, np.inf, np.inf)
        self.is_first_round = True
        # Pairs are for the last digits of estimates. Counts are put right by annealing, which leaves means of few
        # people where arithmetic finds nothing: for these it is enough to try again from elsewhere.
        statbarns = {t.output.statbarn for t in candidate.objective.targets}
        self.has_model = Statbarn.MODELS in statbarns
        self.is_of_counts = statbarns == {Statbarn.FREQUENCIES}

    def run(self) -> Outcome:
        """Search until all is as printed or near, nothing helps any more, or the time is over."""
        if not len(self.candidate.moves.variables):
            return Outcome.NOTHING_TO_MOVE
        candidate, stalls, n_near = self.candidate, 0, 0
        if self._mend_what_is_wrong():
            return Outcome.REPRODUCED
        while True:
            is_near = make_single_moves(candidate, is_first=self.is_first_round) or candidate.is_done()
            if is_near and (candidate.stops_near or candidate.is_as_printed()):
                return Outcome.REPRODUCED
            if candidate.is_out_of_time:
                return Outcome.OUT_OF_TIME
            candidate.recount()
            if is_near and len(candidate.codes) > _AT_ONCE:
                # Of many rows the last digits take far longer than all before, and near is enough for a test.
                return Outcome.NEAR_ENOUGH
            if candidate.stops_near and self.has_model:
                # Where near is enough, pairs mostly are: what lattices land on is as printed or taken back.
                make_pairs(candidate)
                if candidate.is_done():
                    return Outcome.REPRODUCED
            is_quick = is_near or self._is_quick()
            if is_quick and candidate.recentre():
                is_near = make_single_moves(candidate, is_first=False) or candidate.is_done()
                if is_near and (candidate.stops_near or candidate.is_as_printed()):
                    return Outcome.REPRODUCED
                candidate.recount()
            share = _SHARE_AT_LAST if is_near else _SHARE
            if is_quick and self._may_land() and LastDigits(candidate, share).land():
                return Outcome.REPRODUCED
            if is_near:
                # From elsewhere the last digits may be within reach: near is kept, and tried again while there is time.
                self._is_best_so_far()
                self.is_first_round = False
                n_near += 1
            if n_near:
                if n_near > _NEAR_ROUNDS or candidate.log.seconds > _SHARE_AT_LAST * self.settings.seconds:
                    return Outcome.NEAR_ENOUGH
                self._disturb()
                continue
            if self.settings.keep is not None or self.is_of_counts or (not self.has_model and self._is_many):
                anneal(candidate, stalls)
            elif self.has_model:
                make_pairs(candidate)
            if candidate.is_done():
                return Outcome.REPRODUCED
            if candidate.is_out_of_time:
                return Outcome.OUT_OF_TIME
            stalls = 0 if self._is_best_so_far() else stalls + 1
            self.is_first_round = False
            if stalls >= _ROUNDS:
                return Outcome.STALLED
            candidate.inside += (1.0 - candidate.inside) / 2
            if stalls and self.best is not None:
                candidate.codes[:] = self.best
            self._disturb()

    def _mend_what_is_wrong(self) -> bool:
        """Where the start has some outputs as printed, or groups of sizes that can carry their figures, leave their
        variables alone first. Whether all is reproduced."""
        candidate, objective = self.candidate, self.candidate.objective
        if self.settings.keep is not None or candidate.is_done() or candidate.verified is None:
            return False
        used = [set(output.variables) for output in objective.lowered]
        judged = [(u, r.is_complete, r.target.output.weight) for u, r in zip(used, candidate.verified, strict=False)]
        wrong = [u for u, is_right, _ in judged if not is_right]
        # What counts little, as what was granted does, must not bind what counts much.
        most = max((weight for _, is_right, weight in judged if not is_right), default=0.0)
        fixed = set().union(*(u for u, is_right, weight in judged if is_right and weight >= most))
        fixed |= self._carrying_groups()
        candidate.move_all_but(fixed)
        movable = {objective.schema.names[v] for v in candidate.moves.variables}
        may_help = bool(fixed) and all(u & movable for u in wrong)
        is_done = may_help and (
            make_single_moves(candidate, is_first=True)
            or candidate.is_done()
            or (not candidate.is_out_of_time and LastDigits(candidate, _SHARE_FOR_MENDING).land())
        )
        candidate.move_all_but(())
        if not is_done and may_help:
            # Single moves of all variables may undo what is right, and the time may be over before it is right again.
            self._is_best_so_far()
        return is_done

    def _carrying_groups(self) -> set[str]:
        """Variables whose groups have sizes that can carry their figures: hardly any others can, so that they stay."""
        candidate, objective = self.candidate, self.candidate.objective
        found: set[str] = set()
        for o, output in enumerate(objective.lowered[: objective.n_lowered_targets]):
            totals = candidate.totals[objective.total_start[o] : objective.total_start[o + 1]]
            if output.sized is not None and output.sized.has_sizes(totals):
                found |= {name for key in output.sized.keys for name, _ in key[2]}
        return found

    def _is_quick(self) -> bool:
        """Whether a look at what columns do pays now: of many rows, pairs are tried first."""
        return len(self.candidate.codes) <= _AT_ONCE or not self.is_first_round or not self.has_model

    @property
    def _is_many(self) -> bool:
        """Whether there are more figures than lattices take."""
        return self.candidate.objective.n_target_residuals > MOST_FIGURES

    def _may_land(self) -> bool:
        """Whether arithmetic is tried: models with so many other figures are for pairs, as many counts for annealing.

        Every column moves more of these than a lattice takes, and a look at what columns do took most of the time.
        """
        is_for_others = self.has_model or (self.is_of_counts and self.candidate.is_linear)
        return self.settings.keep is None and not (self._is_many and is_for_others)

    def _is_best_so_far(self) -> bool:
        """Whether fewer figures are off than ever before. Codes are kept then, and where as many are off by less."""
        candidate, objective = self.candidate, self.candidate.objective
        found = reproduce(objective, objective.table(candidate.codes))
        now = candidate.n_far(found), sum(int((~r.agrees).sum()) for r in found), sum(r.off for r in found)
        if now >= self.least_off:
            return False
        is_fewer = now[:2] < self.least_off[:2]
        self.least_off, self.best = now, candidate.codes.copy()
        return is_fewer

    def _disturb(self) -> None:
        """Swap values between some rows: from elsewhere nearby, the last digits may be within reach."""
        candidate, pool = self.candidate, Pool.of(_DISTURBED, 0)
        filled = candidate.draw(candidate.refresh().metric, candidate.moves._replace(swap_share=1.0), pool)
        taken: set[int] = set()
        for k in range(filled):
            rows = {int(pool.rows[k]), int(pool.others[k])}
            if not rows & taken:
                pool.make(k, candidate.codes)
                taken |= rows
        candidate.recount()

    def finish(self, outcome: Outcome) -> Embedding:
        """The rows that are kept in the end, evaluated exactly."""
        candidate, objective = self.candidate, self.candidate.objective
        if self.best is not None and outcome is not Outcome.REPRODUCED:
            self._is_best_so_far()
            candidate.codes = self.best
        # What was reproduced has just been recomputed exactly, from these very codes.
        verified = candidate.verified if outcome is Outcome.REPRODUCED else None
        if outcome is Outcome.REPRODUCED and candidate.stops_near:
            outcome = Outcome.NEAR_ENOUGH  # which becomes `reproduced` where every figure is
        table = objective.table(candidate.codes)
        candidate.codes = np.empty((0, len(table.schema)), dtype=candidate.codes.dtype)  # memory for the evaluation
        return candidate.log.finish(objective, table, outcome, candidate.discrepancy, verified)
