"""Single moves: changes of one cell (or two of a row, or swaps), kept when the discrepancy falls, until they stall."""

from __future__ import annotations

from divulge.kernels.pool import Pool
from divulge.objective.views import Turn, View
from divulge.synthesisers.descent.candidate import Candidate

_CHUNK, _LARGE_CHUNK = 8_000, 20_000
"""Proposals between two looks at the figures, at least; with more rows four times as many as these up to the second,
and beyond half as many: each level is to be proposed now and then."""

_REDUCTION = 0.8
"""A large chunk of proposals that leaves more than this share of the discrepancy has stalled, a smaller one if it
leaves accordingly more: arithmetic gets on faster then."""

_PATIENCE, _PATIENCE_LATER = 6, 2
"""Stalled chunks in a row after which single moves are given up: they are cheap beside what comes after them. Once that
was tried, fewer: what single moves cannot do by then, more of them cannot either."""

_TURNS_OF_FEW = 4
"""How often, once single moves have stalled, it is gone on with rows behind figures of few: of many rows those are
hardly ever proposed."""

_HARDLY_ANY = 1e-4
"""Share of proposals kept below which chunks are no larger than a large one: every level was proposed by then, and of
half a million proposals on a million rows hardly one would be kept."""

_REFRESH = 0.1
"""Linearised kinds are refreshed when the discrepancy has fallen to this share."""

_POOL_FOR_UNITS, _LEAST_POOL_FOR_UNITS, _LARGEST_POOL_FOR_UNITS = 40, 1000, 2000
"""Moves for each figure, and in all at least and at most, from which the units of dense outputs are taken."""


def make_single_moves(candidate: Candidate, is_first: bool) -> bool:
    """Single moves until they stall; linearised kinds are refreshed on the way. Whether all is reproduced.

    Dense outputs are measured in units of what moves do to them (`View.in_moves`).
    """
    objective = candidate.objective
    n_targets, n_figures = objective.n_lowered_targets, objective.n_target_residuals
    n_rows = len(candidate.codes)
    whole = max(_CHUNK, min(_LARGE_CHUNK, 4 * n_rows), n_rows // 2)
    chunk = whole // 4 if candidate.has_near else whole
    reduction = _REDUCTION ** (chunk / max(_LARGE_CHUNK, n_rows // 2))
    view = candidate.refresh()
    candidate.pair_rows()
    turns = _turns(candidate, view)
    aim = view.in_moves(turns, n_targets)
    before = refreshed = least = aim.discrepancy()
    stalls, turns_left = 0, _TURNS_OF_FEW
    patience = _PATIENCE if is_first else _PATIENCE_LATER
    while before > 0 and stalls < patience and candidate.log.seconds < candidate.settings.seconds:
        n_kept = -candidate.log.accepted
        candidate.descend(aim.metric, aim.residuals, chunk)
        n_kept += candidate.log.accepted
        if n_kept < _HARDLY_ANY * chunk:
            chunk = min(chunk, _LARGE_CHUNK)
            reduction = _REDUCTION ** (chunk / max(_LARGE_CHUNK, n_rows // 2))
        candidate.discrepancy = now = aim.discrepancy()
        candidate.note("descending")
        here = view.at(candidate.totals)
        is_inside = here.is_inside(n_figures) or candidate.is_near(here.residuals)
        if is_inside and candidate.is_done():
            candidate.dwell(None)
            return True
        has_stalled = now > reduction * before
        if not candidate.is_linear and (is_inside or has_stalled or now < _REFRESH * refreshed):
            here = view = candidate.refresh()
            turns = _turns(candidate, view)
        aim = here.in_moves(turns, n_targets)
        before = aim.discrepancy()
        if here is view:
            refreshed = before
        # Progress is what is true: slopes that held no longer may have promised any.
        if candidate.is_linear or here is view:
            stalls = stalls + 1 if before > reduction * least else 0
            least = min(least, before)
        if stalls == patience and turns_left and candidate.dwell(here):
            stalls, turns_left, least = 0, turns_left - 1, before
    candidate.dwell(None)
    return False


def _turns(candidate: Candidate, view: View) -> list[Turn | None]:
    """What moves do to dense outputs, from a pool of them: half as the search proposes, half with all codes alike.

    A level that one row in a thousand has is hardly ever proposed, and a figure that depends on it would pass for one
    that nothing can move.
    """
    n_figures = candidate.objective.n_target_residuals
    size = min(_LARGEST_POOL_FOR_UNITS, max(_LEAST_POOL_FOR_UNITS, _POOL_FOR_UNITS * n_figures))
    pool = Pool.of(size if view.has_dense else 0, n_figures)
    moves, draws = candidate.moves, candidate.moves.draws
    half = candidate.draw(view.metric, moves, pool.part(0, len(pool.rows) // 2))
    alike = moves._replace(draws=draws._replace(threshold=(draws.threshold > 0).astype(float)))
    filled = half + candidate.draw(view.metric, alike, pool.part(half, len(pool.rows)))
    return view.turns(pool.shifts[:filled], len(candidate.codes))
