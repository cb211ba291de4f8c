"""Pairs of changes: the two of a pool that together best cancel what is left of the discrepancy.

Single changes stall with about half of the last digits right; a pool of 1,500 has a million pairs.
"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.kernels.changes import Goal, discrepancy
from divulge.kernels.pairs import best_pair
from divulge.kernels.pool import Pool
from divulge.objective.views import View
from divulge.synthesisers.descent.candidate import Candidate

_STEPS = 12
"""Pair steps without a new best before they are given up."""

_LARGEST_POOL = 1500
"""Moves that pairs are chosen from: all pairs of them are a million, one matrix product."""

_LOOK = 4
"""Pair steps between two looks whether all is near enough."""

_WORK = 3e9
"""Multiplications that a pair step may take; with many figures the pool shrinks accordingly."""


def make_pairs(candidate: Candidate) -> None:
    """Make pairs of moves whose changes cancel what is left, as long as that helps."""
    # A pair moves a known marginal by a row or two, which does not matter: pairs look at the outputs alone.
    n_residuals = candidate.objective.n_target_residuals
    size = int(min(_LARGEST_POOL, max(200, np.sqrt(_WORK / max(n_residuals, 1)))))
    pool = Pool.of(size, n_residuals)
    units = candidate.half_units()
    view = candidate.refresh(units)
    candidate.pair_rows()
    goal, residuals = _of_outputs(view, n_residuals)
    best, since, step = np.inf, 0, 0
    while since < _STEPS and candidate.log.seconds < candidate.settings.seconds:
        candidate.discrepancy = now = float(discrepancy(goal, residuals))
        if (now == 0.0 and candidate.is_linear) or (
            (now == 0.0 or _may_be_near(candidate, residuals, step)) and candidate.is_done()
        ):
            break
        if now < 0.99 * best:
            best, since = now, 0
        since, step = since + 1, step + 1
        filled = candidate.draw(view.metric, candidate.moves, pool)
        for k in _best_moves(pool, filled, goal, residuals):
            pool.make(k, candidate.codes)
            residuals += pool.shifts[k]
            candidate.log.accepted += 1
        if step % 10 == 0:
            candidate.note("pairing")
        if (not candidate.is_linear and step % 20 == 0) or now == 0.0:
            candidate.recount()
            view = candidate.refresh(units)
            goal, residuals = _of_outputs(view, n_residuals)
    candidate.recount()


def _may_be_near(candidate: Candidate, residuals: Floats, step: int) -> bool:
    """Whether to look if all is near, where that is enough."""
    return candidate.stops_near and step % _LOOK == 0 and candidate.is_near(residuals)


def _best_moves(pool: Pool, filled: int, goal: Goal, residuals: Floats) -> tuple[int, ...]:
    """One change or two of the pool that lower the discrepancy most; none where no pair lowers it."""
    return tuple(k for k in best_pair(pool, filled, goal, residuals) if k >= 0)


def _of_outputs(view: View, n: int) -> tuple[Goal, Floats]:
    """Goal and values of the first n residuals."""
    return view.goal.part(slice(n)), view.residuals[:n].copy()
