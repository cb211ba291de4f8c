"""Levels that few rows have: a coefficient of three people is as printed only if these three are the right ones.

Their own estimating equation, Σ (y − μ) over the three, has no other terms, so no change of other rows helps. Random
versions of each row are tried, and those of four rows meet in the middle (`few_rows`).
"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.kernels.changes import Slopes
from divulge.objective.views import View
from divulge.synthesisers.descent.box import Box
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.few_rows import ROWS, VALUES, Row, meet

_MOST_TOTALS = 200
"""Sums up to which it is looked which are made by few rows; with more, the output is a table."""

_FEW = 12
"""Rows that make a sum, at most: what more of them leave, the lattice puts right."""

_INSIDE = 0.3
"""Share of the printed intervals that such a sum may take; the rest is for the others."""

_DRAWS = 3
"""Sets of four rows that are tried for a sum."""


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
    seen, is_changed = np.zeros(n_totals, dtype=bool), False
    for total in np.flatnonzero(is_rare & (np.abs(wanted) * effects > _INSIDE)):
        if not seen[total]:
            rows = np.flatnonzero(moved[:, total])
            together = np.flatnonzero(is_rare & moved[rows].any(axis=0))
            seen[together] = True
            scale = effects[together] / _INSIDE
            is_changed |= _put_rows_right(candidate, rows, together, -wanted[together] * scale, scale, rng, reach)
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


def _put_rows_right(
    candidate: Candidate,
    rows: Integers,
    totals: Integers,
    errors: Floats,
    scale: Floats,
    rng: np.random.Generator,
    reach: float,
) -> bool:
    """errors: of these totals, in units in which ±1 is near enough; scale: such units in one of the total."""
    objective, program = candidate.objective, candidate.objective.program
    n_blocks = sum(len(output.blocks) for output in objective.lowered[: objective.n_lowered_targets])
    for _ in range(1 if len(rows) <= ROWS else _DRAWS):
        chosen = rng.permutation(rows)[:ROWS]
        versions = [_versions(candidate, int(row), rng, reach) for row in chosen]
        moving = []
        for tried in versions:
            sums = program.of_rows(tried, n_blocks)[:, : candidate.n_target_totals]
            # Whoever leaves a level, or joins another, changes what is wanted of both.
            parts = sums != 0
            kept = np.flatnonzero((parts == parts[0]).all(axis=1))
            moving.append(Row(kept, (sums - sums[0])[kept][:, totals] * scale))
        found = meet(moving, errors, rng)
        if found is not None:
            for row, tried, one in zip(chosen, versions, found, strict=True):
                candidate.codes[row] = tried[one]
            return True
    return False


def _versions(candidate: Candidate, row: int, rng: np.random.Generator, reach: float) -> Codes:
    """The row as it is, and with other values of its numeric variables; where these go far, of those with two too."""
    objective, draws = candidate.objective, candidate.moves.draws
    tried = np.repeat(candidate.codes[row][None], VALUES, axis=0)
    for column in map(int, candidate.moves.variables):
        granted = np.flatnonzero(objective.marginals[objective.schema.names[column]] > 0)
        if draws.is_numeric[column]:
            place, most = int(np.searchsorted(granted, tried[0, column])), max(1, int(reach * len(granted)))
            drawn = np.clip(place + rng.integers(-most, most + 1, VALUES - 1), 0, len(granted) - 1)
            tried[1:, column] = granted[drawn]
        elif len(granted) == 2 and reach == 1.0:
            tried[1:, column] = granted[rng.integers(0, 2, VALUES - 1)]
    return tried
