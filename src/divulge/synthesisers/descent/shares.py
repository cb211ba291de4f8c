"""Rows that start from released percentages: groups of a size that can carry them, with their cells filled."""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.residuals import SizedResiduals
from divulge.outputs.lowering.sizes import FARTHEST, nearest_sizes
from divulge.outputs.released.precision import SLACK
from divulge.synthesisers.descent.expansion import codes_with_counts, figure_of_cells


def expand_shares(objective: Objective, codes: Codes, done: set[str], rng: np.random.Generator) -> set[str]:
    """Fill the cells of tables of percentages within each group, one table after the other.

    done: variables that are as they should be already. What one table has filled or grouped by, no other changes.
    Returns all of these.
    """
    fixed = set(done)
    for output in objective.lowered[: objective.n_lowered_targets]:
        sized = output.sized
        if sized is None or any(where is not None for where, _, _ in sized.keys):
            continue
        by = [name for name, _ in sorted(sized.keys[0][2])]
        if not fixed & set(by):
            _resize(objective, sized, by, codes, rng)
        figures = figure_of_cells(output, objective)
        free = [name for name in output.variables if name not in by]
        fixed |= set(by)
        if figures is not None and free and not fixed & set(free):
            _fill(objective, output, sized, figures, free, codes, rng)
            fixed |= set(free)
    return fixed


def _resize(objective: Objective, sized: SizedResiduals, by: list[str], codes: Codes, rng: np.random.Generator) -> None:
    """Move rows between groups of one variable until their sizes can carry the figures."""
    if len(by) != 1:
        return
    column = codes[:, objective.schema.position(by[0])]
    group = {dict(key[2])[by[0]]: g for g, key in enumerate(sized.keys)}  # of a level
    levels = np.array(sorted(group), dtype=np.int64)
    now = np.bincount(column, minlength=int(levels.max()) + 1)[levels].astype(float)
    add_up = bool(now.sum() == len(codes))
    tables = _cells_by(objective, by[0])
    possible = [
        _adding_up(sized.sizes[group[int(level)]], size, [(output, cells[level]) for output, cells in tables])
        for level, size in zip(levels, now, strict=True)
    ]
    wanted = nearest_sizes(now, possible, add_up)
    if not add_up or sum(wanted) != now.sum():
        return
    leaving = [
        rng.permutation(np.flatnonzero(column == level))[: int(max(n - w, 0))]
        for level, n, w in zip(levels, now, wanted, strict=True)
    ]
    joining = np.repeat(levels, [int(max(w - n, 0)) for n, w in zip(now, wanted, strict=True)])
    column[rng.permutation(np.concatenate(leaving))] = joining


def _cells_by(objective: Objective, by: str) -> list[tuple[Lowered, Integers]]:
    """Tables of percentages within groups of one variable: for each of its levels the figures of its cells."""
    found = []
    for output in objective.lowered[: objective.n_lowered_targets]:
        if output.sized is None or {name for key in output.sized.keys for name, _ in key[2]} != {by}:
            continue
        figures = figure_of_cells(output, objective)
        if figures is not None and any(name != by for name in output.variables):
            sizes = [objective.schema[name].n_codes for name in output.variables]
            cells = np.moveaxis(figures.reshape(sizes), output.variables.index(by), 0)
            found.append((output, cells.reshape(len(cells), -1)))
    return found


def _adding_up(possible: Integers, now: float, tables: list[tuple[Lowered, Integers]]) -> Integers:
    """Of the sizes near the present one those with which the percentages of every table add up to all: cells that are
    as printed one by one may together be too few or too many."""
    near = np.arange(max(int(now) - FARTHEST, 1), int(now) + FARTHEST + 1)
    if len(possible):
        near = near[np.isin(near, possible) | (near > possible[-1])]
    for output, cells in tables:
        assert output.sized is not None, "chosen so"
        near = near[[bool(_bounds(output, output.sized, cells, int(n))[2]) for n in near]]
    # Sizes above the last are taken to carry anything: so the last is out of reach.
    return np.append(near, int(now) + 100 * FARTHEST) if len(near) else possible


def _fill(
    objective: Objective,
    output: Lowered,
    sized: SizedResiduals,
    figures: Integers,
    free: list[str],
    codes: Codes,
    rng: np.random.Generator,
) -> None:
    """Give the rows of each group codes of the free variables in the released shares."""
    sizes = [objective.schema[name].n_codes for name in output.variables]
    cells = np.moveaxis(figures.reshape(sizes), [output.variables.index(name) for name in free], range(-len(free), 0))
    grouped = [name for name in output.variables if name not in free]
    for levels in np.ndindex(*cells.shape[: len(grouped)]):
        rows = np.ones(len(codes), dtype=bool)
        for name, level in zip(grouped, levels, strict=True):
            rows &= codes[:, objective.schema.position(name)] == level
        n = int(rows.sum())
        counts = _counts(output, sized, cells[levels].ravel(), n)
        if n and counts.sum() > 0:
            chosen = codes_with_counts(counts, n, rng.integers(2**63, size=1, dtype=np.uint64))
            parts = np.unravel_index(chosen, cells.shape[len(grouped) :])
            for name, part in zip(free, parts, strict=True):
                codes[rows, objective.schema.position(name)] = part


def _counts(output: Lowered, sized: SizedResiduals, figures: Integers, n: int) -> Floats:
    """Whole numbers that add to n and are as printed, each near the middle of its interval; where there are none, the
    released shares."""
    least, most, is_possible = _bounds(output, sized, figures, n)
    share = _shares(sized, figures)
    if not is_possible:
        return share
    exact = n * share / sized.ratio.scale
    counts = np.clip(np.round(exact), least, most)
    while counts.sum() != n:
        step = np.sign(n - counts.sum())
        may = np.flatnonzero(counts < most if step > 0 else counts > least)
        one = may[np.argmax(step * (exact - counts)[may])]
        counts[one] += step
    return counts


def _shares(sized: SizedResiduals, figures: Integers) -> Floats:
    """The released share of each cell; 0 where no figure speaks of it."""
    released = sized.ratio.released[np.maximum(figures, 0)]
    return np.where(figures >= 0, np.maximum(np.nan_to_num(released), 0.0), 0.0)


def _bounds(output: Lowered, sized: SizedResiduals, figures: Integers, n: int) -> tuple[Floats, Floats, bool]:
    """How many of n rows each cell has at least and at most, and whether there are such counts that add to n."""
    known, at, scale = figures >= 0, np.maximum(figures, 0), sized.ratio.scale
    share = _shares(sized, figures)
    # A figure that was not given may be anything.
    low, high = (
        np.where(np.isfinite(end[at]), end[at], far) for end, far in ((output.low, -scale), (output.high, scale))
    )
    least = np.where(known, np.maximum(np.ceil(n * (share + low) / scale - SLACK * n), 0.0), 0.0)
    most = np.where(known, np.minimum(np.floor(n * (share + high) / scale + SLACK * n), n), 0.0)
    return least, most, not (least > most).any() and bool(least.sum() <= n <= most.sum())
