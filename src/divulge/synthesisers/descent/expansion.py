"""Rows that start from released crosstabs: cells expanded into as many rows as they count."""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.kernels.randomness import Stream
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.released.precision import SLACK

_LARGEST_EXPANSION = 1_000_000
"""Cells of a crosstab that are expanded into rows at the start; larger ones are left to the search."""

_MOST_SLOTS = 1_000_000_000
"""Rows that cells could hold beyond their least, together, up to which NumPy draws from them."""


def expand_crosstabs(objective: Objective, codes: Codes, rng: np.random.Generator) -> set[str]:
    """Rows drawn from released crosstabs: the largest first, then those that share no variable with it.

    Returns the variables of these.
    """
    done: set[str] = set()
    outputs = objective.lowered[: objective.n_lowered_targets]  # known marginals are drawn from already
    found = [(o, cells) for o in outputs if (cells := _cells_of(o, objective)) is not None]
    for output, index in sorted(found, key=lambda f: -len(f[1])):
        if done & set(output.variables):
            continue
        counts = _spread(output, index, objective, len(codes), rng)
        if counts.sum() <= 0:
            continue
        chosen = codes_with_counts(counts, len(codes), rng.integers(2**63, size=1, dtype=np.uint64))
        sizes = [objective.schema[n].n_codes for n in output.variables]
        for name, part in zip(output.variables, np.unravel_index(chosen, sizes), strict=True):
            codes[:, objective.schema.position(name)] = part
        done |= set(output.variables)
    return done


def _spread(output: Lowered, index: Integers, objective: Objective, n_rows: int, rng: np.random.Generator) -> Floats:
    """A count for every combination of codes. Those that one figure counts together share it as their marginals do."""
    inside = np.flatnonzero(index >= 0)
    figures, first, place, size = np.unique(index[inside], return_index=True, return_inverse=True, return_counts=True)
    if len(figures) == len(inside):
        return _counts(output, index, n_rows, rng)
    share = np.ones(1)
    for name in output.variables:
        share = np.outer(share, objective.marginals[name]).ravel()
    counts = np.zeros(len(index))
    together = _counts(output, figures, n_rows, rng)
    counts[inside[first]] = together
    order = inside[np.argsort(place, kind="stable")]
    ends = np.cumsum(size)
    for f in np.flatnonzero((size > 1) & (together > 0)).tolist():
        cells = order[ends[f] - size[f] : ends[f]]
        chance = share[cells] + 1e-12  # somebody is there, whatever the marginals say
        counts[cells] = rng.multinomial(round(together[f]), chance / chance.sum())
    return counts


def _counts(output: Lowered, index: Integers, n_rows: int, rng: np.random.Generator) -> Floats:
    """A count for every combination of codes: whole numbers within the released intervals, drawn so that they add to n.

    Of all the rows that withheld and rounded cells may hold, each is as likely as any other to be there. Where no such
    counts exist, as released.
    """
    figure = np.maximum(index, 0)
    centre = output.constants[figure]
    least = np.maximum(np.ceil(centre + output.low[figure] - SLACK), 0.0)
    most = np.floor(centre + output.high[figure] + SLACK)
    least, most = np.where(index >= 0, least, 0.0), np.where(index >= 0, most, 0.0)
    left = n_rows - least.sum()
    slots = np.minimum(most - least, max(left, 0.0))
    if left < 0 or slots.min(initial=0.0) < 0 or not left <= slots.sum() < _MOST_SLOTS:
        return np.where(index >= 0, np.maximum(centre, 0.0), 0.0)
    loose = np.flatnonzero(slots)
    if len(loose):
        least[loose] += rng.multivariate_hypergeometric(slots[loose].astype(np.int64), int(left), method="marginals")
    return least


def _cells_of(output: Lowered, objective: Objective) -> Integers | None:
    """The figure (−1: none) that counts each combination of codes, for a crosstab of counts; otherwise None."""
    return figure_of_cells(output, objective) if output.residuals.is_diagonal else None


def figure_of_cells(output: Lowered, objective: Objective) -> Integers | None:
    """The figure (−1: none) that speaks of each combination of codes, where each speaks of one or more; else None."""
    if len(output.blocks) != 1:
        return None
    block = output.blocks[0]
    term = block.terms[0]
    if block.link is not None or block.weight is not None or set(term.variables) != set(output.variables):
        return None
    sizes = [objective.schema[n].n_codes for n in output.variables]
    if np.prod([float(s) for s in sizes]) > _LARGEST_EXPANSION or any(f is not None for f in term.factors):
        return None
    order = [term.variables.index(n) for n in output.variables]
    cell = np.zeros(sizes, dtype=np.int64)
    for axis, at in enumerate(order):
        shape = [1] * len(sizes)
        shape[axis] = sizes[axis]
        cell = cell + term.cells[at].astype(np.int64).reshape(shape)
    flat = cell.ravel()
    return np.where(flat >= 0, term.index[np.maximum(flat, 0)], -1)


def codes_with_counts(share: Floats, n_rows: int, rng: Stream) -> Integers:
    """Codes whose counts are n · share, rounded by largest remainder, in random order."""
    exact = share / share.sum() * n_rows
    counts = np.floor(exact).astype(np.int64)
    short = n_rows - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:short]] += 1
    listed = np.repeat(np.arange(len(share)), counts)
    return listed[np.argsort(np.random.default_rng(rng).random(n_rows), kind="stable")]
