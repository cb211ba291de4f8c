"""Cells that are not as they should be, one by one over the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from divulge.merging import Goal


def merged(counts: Any, groups: Sequence[Sequence[int]]) -> Any:
    """The table over groups instead of levels: every level's people are added to its group."""
    made = np.zeros_like(counts)
    for place in np.ndindex(*counts.shape):
        made[tuple(groups[a][level] for a, level in enumerate(place))] += counts[place]
    return made


def exposure(cell: int, group: int, share: float) -> float:
    """Over all halves: what the others of the cell and of the group who are in make of the chance of a right guess."""
    found = 0.0
    for t in range(cell):
        for o in range(group - cell + 1):
            chance = comb(cell - 1, t) * comb(group - cell, o) / 2.0 ** (group - 1)
            found += chance * ((1 + t + share) / (2 + t + o) - (t + share) / (1 + t + o))
    return found


def bad_cells(counts: Any, goal: Goal, large: int) -> Any:
    """Cells that are not as they should be. large: in a larger group nobody is exposed."""
    total, found = counts.sum(), np.zeros(counts.shape, dtype=bool)
    for place in np.ndindex(*counts.shape):
        cell = int(counts[place])
        bad = goal.fewest is not None and 0 < cell < goal.fewest
        for axis in range(counts.ndim if counts.ndim > 1 else 0):
            by_level = counts.sum(axis=tuple(a for a in range(counts.ndim) if a != axis))
            group = int(counts[(*place[:axis], slice(None), *place[axis + 1 :])].sum())
            share = by_level[place[axis]] / total
            n_levels = int((by_level > 0).sum())
            if goal.rarest is not None and n_levels > 1 and 0 < cell == group and share <= goal.rarest:
                bad = True
            if goal.delta is not None and cell > 0 and group <= large and exposure(cell, group, share) > goal.delta:
                bad = True
        found[place] = bad
    return found
