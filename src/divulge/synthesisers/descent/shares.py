"""Rows that start from released percentages: groups of a size that can carry them, with their cells filled."""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.residuals import SizedResiduals
from divulge.outputs.lowering.sizes import nearest_sizes
from divulge.outputs.released.precision import SLACK
from divulge.synthesisers.descent.expansion import codes_with_counts, figure_of_cells


def expand_shares(objective: Objective, codes: Codes, done: set[str], rng: np.random.Generator) -> None:
    """Fill the cells of tables of percentages within each group, one table after the other.

    done: variables that are as they should be already. What one table has filled or grouped by, no other changes.
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


def _resize(objective: Objective, sized: SizedResiduals, by: list[str], codes: Codes, rng: np.random.Generator) -> None:
    """Move rows between groups of one variable until their sizes can carry the figures."""
    if len(by) != 1:
        return
    column = codes[:, objective.schema.position(by[0])]
    group = {dict(key[2])[by[0]]: g for g, key in enumerate(sized.keys)}  # of a level
    levels = np.array(sorted(group), dtype=np.int64)
    now = np.bincount(column, minlength=int(levels.max()) + 1)[levels].astype(float)
    add_up = bool(now.sum() == len(codes))
    wanted = nearest_sizes(now, [sized.sizes[group[int(level)]] for level in levels], add_up)
    if not add_up or sum(wanted) != now.sum():
        return
    leaving = [
        rng.permutation(np.flatnonzero(column == level))[: int(max(n - w, 0))]
        for level, n, w in zip(levels, now, wanted, strict=True)
    ]
    joining = np.repeat(levels, [int(max(w - n, 0)) for n, w in zip(now, wanted, strict=True)])
    column[rng.permutation(np.concatenate(leaving))] = joining


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
    known, at, scale = figures >= 0, np.maximum(figures, 0), sized.ratio.scale
    share = np.where(known, np.maximum(np.nan_to_num(sized.ratio.released[at]), 0.0), 0.0)
    least = np.where(known, np.maximum(np.ceil(n * (share + output.low[at]) / scale - SLACK * n), 0.0), 0.0)
    most = np.where(known, np.minimum(np.floor(n * (share + output.high[at]) / scale + SLACK * n), n), 0.0)
    if (least > most).any() or not least.sum() <= n <= most.sum():
        return share
    exact = n * share / scale
    counts = np.clip(np.round(exact), least, most)
    while counts.sum() != n:
        step = np.sign(n - counts.sum())
        may = np.flatnonzero(counts < most if step > 0 else counts > least)
        one = may[np.argmax(step * (exact - counts)[may])]
        counts[one] += step
    return counts
