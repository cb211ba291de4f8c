"""Levels that few rows have: a coefficient of three people is as printed only if these three are the right ones.

Their own estimating equation, Σ (y − μ) over the three, has no other terms, so no change of other rows helps. Random
versions of each row are tried, and those of four rows meet in the middle (`few_rows`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.kernels.changes import Slopes
from divulge.objective.views import View
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.few_rows import ROWS, VALUES, Row, meet
from divulge.synthesisers.descent.printed_intervals import Box

_MOST_TOTALS = 200
"""Sums up to which it is looked which are made by few rows; with more, the output is a table."""

_FEW = 12
"""Rows that make a sum, at most: what more of them leave, the lattice puts right."""

_INSIDE = 0.3
"""Share of the printed intervals that such a sum may take; the rest is for the others."""

_NEARLY = 0.9
"""Share of the printed intervals that the sum of a row alone may take, where nothing nearer was found."""

_DRAWS, _DRAWS_ALONE = 3, 5
"""Sets of four rows that are tried for a sum; and how often other versions of one that is alone."""

_TRIAL = 30
"""Values of a variable from which it is seen whether it says which rare level a row has."""

_ROUNDING = 1e-9
"""What is nothing, where two equal sums are taken off each other."""

_VERSIONS = {1: 40_000, 2: 3_000}
"""Versions of each row, where fewer than three are changed together: one alone has no others to meet."""


def put_right(candidate: Candidate, view: View, box: Box, rng: np.random.Generator, reach: float) -> bool:
    """Change rows of rare levels so that their own sums are as the released figures say. Whether any was changed.

    reach: how far a numeric value may go, as a share of all its values. What is wanted of a sum depends a little on the
    rows themselves: so it is asked again, with shorter and shorter reach.
    """
    n_totals = candidate.n_target_totals
    if n_totals > _MOST_TOTALS or not view.has_dense:
        return False
    wanted, effects = _wanted(view, box, n_totals)
    if not (np.abs(wanted) * effects > _INSIDE).any():
        return False
    moved = _who_makes_what(candidate, n_totals)
    n_rows = moved.sum(axis=0)
    is_rare = (n_rows > 0) & (n_rows <= _FEW)
    bounds = _bounds(view, n_totals)
    seen, is_changed = np.zeros(n_totals, dtype=bool), False
    for total in np.flatnonzero(is_rare & (np.abs(wanted) * effects > _INSIDE)):
        if not seen[total]:
            rows = np.flatnonzero(moved[:, total])
            together = np.flatnonzero(is_rare & moved[rows].any(axis=0))
            seen[together] = True
            scale = effects[together] / _INSIDE
            asked = _Wanted(together, -wanted[together] * scale, scale, is_rare, *bounds)
            is_changed |= _put_rows_right(candidate, rows, asked, rng, reach)
    return is_changed


def _who_makes_what(candidate: Candidate, n_totals: int) -> Mask:
    """(rows, totals): whether a row has a part in a total, as changes of a column show that has a part in all of them.

    Of the columns of levels more is moved than of a response: the level that a row goes to, too.
    """
    moved = [_moved(candidate, int(column), n_totals) for column in candidate.moves.variables]
    most = max(np.count_nonzero(m.any(axis=0)) for m in moved)
    return min((m for m in moved if np.count_nonzero(m.any(axis=0)) == most), key=np.count_nonzero)


def _wanted(view: View, box: Box, n_totals: int) -> tuple[Floats, Floats]:
    """By how much each total has to change for figures outside their intervals to be in the middle of these, and how
    many half units of some figure one unit of it is."""
    n = int(view.residual_start[-1])
    half, change = np.full(n, np.inf), np.zeros(n)
    half[box.counts] = box.half
    change[box.counts] = np.where(np.abs(box.errors) > 1, -box.errors * box.half, 0.0)
    wanted, effects = np.zeros((2, n_totals))
    for o, jacobian in enumerate(view.jacobians):
        totals, rows = slice(*view.total_start[o : o + 2]), slice(*view.residual_start[o : o + 2])
        if totals.start >= n_totals or jacobian.ndim == 1:
            continue
        scaled = jacobian / half[rows, None]
        wanted[totals] = np.linalg.lstsq(scaled, change[rows] / half[rows], rcond=None)[0]
        effects[totals] = np.abs(scaled).max(axis=0, initial=0.0)
    return wanted, effects


def _bounds(view: View, n_totals: int) -> tuple[Floats, Floats]:
    """What is open on one side (nobody of a level has the outcome): how much each total brings it, and how far it is
    from being broken."""
    n = int(view.residual_start[-1])
    low, high = view.goal.low[:n], view.goal.high[:n]
    slopes = np.zeros((n, n_totals))
    for o, jacobian in enumerate(view.jacobians):
        totals, rows = slice(*view.total_start[o : o + 2]), slice(*view.residual_start[o : o + 2])
        if totals.start < n_totals and jacobian.ndim == 2:
            slopes[rows, totals] = jacobian
    up = np.flatnonzero(np.isfinite(low) & ~np.isfinite(high))
    down = np.flatnonzero(np.isfinite(high) & ~np.isfinite(low))
    room = np.concatenate([view.residuals[up] - low[up], high[down] - view.residuals[down]])
    return np.concatenate([-slopes[up], slopes[down]]), np.maximum(room, 0.0)


def _moved(candidate: Candidate, column: int, n_totals: int) -> Mask:
    """(rows, totals): whether another value of the column would change the total."""
    codes = candidate.codes
    granted = np.flatnonzero(candidate.objective.marginals[candidate.objective.schema.names[column]] > 0)
    if len(granted) < 2:
        return np.zeros((len(codes), n_totals), dtype=bool)
    place = np.searchsorted(granted, codes[:, column].astype(np.int64))
    news = granted[(place + 1) % len(granted)]
    each = np.arange(int(candidate.objective.total_start[-1]))
    slopes = Slopes(each, np.ones_like(each), each, np.ones(len(each)))
    shifts, _ = candidate.shifts_along(slopes, np.arange(len(codes)), column, news, n_totals)
    return shifts != 0


class _Wanted(NamedTuple):
    """What is wanted of some rare totals. errors: in units in which ±1 is near enough; scale: such units in one.

    toward (bounds, totals), room: what a total does to figures that are open on one side, and by how much these may go.
    """

    totals: Integers
    errors: Floats
    scale: Floats
    is_rare: Mask  # of all totals
    toward: Floats
    room: Floats


def _put_rows_right(
    candidate: Candidate, rows: Integers, wanted: _Wanted, rng: np.random.Generator, reach: float
) -> bool:
    few = len(rows) <= ROWS
    for _ in range(_DRAWS_ALONE if len(rows) == 1 else 1 if few else _DRAWS):
        chosen = rng.permutation(rows)[:ROWS]
        n = _VERSIONS.get(len(chosen), VALUES)
        versions, moving = [], []
        for row in map(int, chosen):
            tried = _versions(candidate, row, wanted.is_rare, rng, reach, n)
            sums = _sums(candidate, tried)
            shifts = sums - sums[0]
            # Nor may a row get the outcome that nobody of its other levels has.
            kept = _stays(sums[:, wanted.is_rare]) & (shifts @ wanted.toward.T <= wanted.room + _ROUNDING).all(axis=1)
            versions.append(tried)
            moving.append(Row(np.flatnonzero(kept), shifts[kept][:, wanted.totals] * wanted.scale))
        found = meet(moving, wanted.errors, rng)
        if found is None and len(chosen) == 1:
            # Nobody to meet: the nearest version will do, where the figure is as printed with it.
            off = np.abs(moving[0].shifts + wanted.errors).max(axis=1)
            found = [int(moving[0].codes[np.argmin(off)])] if off.min() < _NEARLY / _INSIDE else None
        if found is not None:
            for row, tried, one in zip(chosen, versions, found, strict=True):
                candidate.codes[row] = tried[one]
            return True
    return False


def _sums(candidate: Candidate, tried: Codes) -> Floats:
    """(rows, totals): what each row adds to these."""
    objective = candidate.objective
    n_blocks = sum(len(output.blocks) for output in objective.lowered[: objective.n_lowered_targets])
    return objective.program.of_rows(tried, n_blocks)


def _stays(sums: Floats) -> Mask:
    """Which rows have a part in the same totals as the first: whoever leaves a rare level, or joins another, changes
    what is wanted of both."""
    parts = sums != 0
    return np.asarray((parts == parts[0]).all(axis=1))


def _versions(candidate: Candidate, row: int, is_rare: Mask, rng: np.random.Generator, reach: float, n: int) -> Codes:
    """The row as it is, and with other values of its numeric variables; where these go far, of those with two too.

    Variables that say which rare level it has stay as they are.
    """
    objective, draws = candidate.objective, candidate.moves.draws
    tried = np.repeat(candidate.codes[row][None], n, axis=0)
    for column in map(int, candidate.moves.variables):
        granted = np.flatnonzero(objective.marginals[objective.schema.names[column]] > 0)
        if draws.is_numeric[column]:
            place, most = int(np.searchsorted(granted, tried[0, column])), max(1, int(reach * len(granted)))
            drawn = granted[np.clip(place + rng.integers(-most, most + 1, n - 1), 0, len(granted) - 1)]
        elif len(granted) == 2 and reach == 1.0:
            drawn = granted[rng.integers(0, 2, n - 1)]
        else:
            continue
        alone = np.repeat(candidate.codes[row][None], _TRIAL + 1, axis=0)
        alone[1:, column] = drawn[:_TRIAL]
        if _stays(_sums(candidate, alone)[:, is_rare]).all():
            tried[1:, column] = drawn
    return tried
