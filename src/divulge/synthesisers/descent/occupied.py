"""Levels that somebody has: a released coefficient says that its level is not empty, however rare it is."""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Integers, Mask
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Term

_MOST_COMBINATIONS = 100_000
"""Combinations of codes up to which it is looked for those of a level; nobody prints that many coefficients."""


def occupy_levels(objective: Objective, codes: Codes, rng: np.random.Generator) -> None:
    """Give every level with a released coefficient a row, where the start has none of it."""
    for output in objective.lowered[: objective.n_lowered_targets]:
        block = output.blocks[0]
        if block.link is None or block.link.moment != "score" or block.link.family == "multinomial":
            continue
        n = block.n_columns
        is_asked = (np.isfinite(output.low) | np.isfinite(output.high))[:n]
        for term in block.terms:
            if term.variables:
                _occupy(objective, term, is_asked, codes, rng)


def _occupy(objective: Objective, term: Term, is_asked: Mask, codes: Codes, rng: np.random.Generator) -> None:
    schema = objective.schema
    places = [schema.position(name) for name in term.variables]
    sizes = [schema[name].n_codes for name in term.variables]
    if np.prod([float(size) for size in sizes]) > _MOST_COMBINATIONS:
        return
    column_of = _columns_of(term, sizes)
    now = column_of[np.ravel_multi_index([codes[:, place].astype(np.int64) for place in places], sizes)]
    counts = np.bincount(now[now >= 0], minlength=len(is_asked))
    share = np.ones(1)
    for name in term.variables:
        share = np.outer(share, objective.marginals[name]).ravel()
    present = np.unique(column_of[column_of >= 0])
    for column in present[is_asked[present] & (counts[present] == 0)].tolist():
        likely = np.where(column_of == column, share, 0.0)
        # From a level that many have, so that none is emptied.
        many = np.flatnonzero((now < 0) | (counts[np.maximum(now, 0)] == counts.max()))
        if likely.max() <= 0 or not len(many):
            continue
        row = int(rng.choice(many))
        for place, code in zip(places, np.unravel_index(int(np.argmax(likely)), sizes), strict=True):
            codes[row, place] = code
        now[row] = column


def _columns_of(term: Term, sizes: list[int]) -> Integers:
    """The column (−1: none, or only with 0) of each combination of codes."""
    cell, is_zero = np.zeros(sizes, dtype=np.int64), np.zeros(sizes, dtype=bool)
    for axis, cells in enumerate(term.cells):
        shape = [1] * len(sizes)
        shape[axis] = sizes[axis]
        cell = cell + cells.astype(np.int64).reshape(shape)
        # A product of numbers is in its column only where none of them is 0.
        factor = term.factors[axis]
        if factor is not None:
            is_zero = is_zero | (factor == 0.0).reshape(shape)
    flat = np.where(is_zero, -1, cell).ravel()
    return np.where(flat >= 0, term.index[np.maximum(flat, 0)], -1).astype(np.int64)
