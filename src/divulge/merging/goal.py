"""What is wrong with the cells of a table, in people: thin cells, groups with everybody in one cell, exposed people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np

from divulge.kernels.arrays import Floats, Integers

LARGE = 60
"""In a larger group one person moves no share by 0.1: half of 60 people are 30, give or take 8."""

STEPS = 20
"""Shares of values are told apart in steps of one over this; exposure hardly depends on them."""


@dataclass(frozen=True)
class Goal:
    """What cells should be like. fewest: people in each; None: any number. rarest: not all of a group may have a value
    that so few have, or fewer; None: they may. delta: nobody's chance of a right guess may rise by more, over random
    halves of the data; None: any."""

    fewest: int | None = None
    rarest: float | None = None
    delta: float | None = None

    def people(self, counts: Integers) -> float:
        """How many people stand in cells that are not as they should be."""
        found = np.zeros(counts.shape, dtype=bool)
        if self.fewest is not None:
            found |= counts < self.fewest
        for axis in range(counts.ndim if counts.ndim > 1 else 0):
            group = counts.sum(axis=axis, keepdims=True)
            others = tuple(a for a in range(counts.ndim) if a != axis)
            share = counts.sum(axis=others, keepdims=True) / max(int(counts.sum()), 1)
            if self.rarest is not None and counts.shape[axis] > 1:
                found |= (group == counts) & (share <= self.rarest)
            if self.delta is not None:
                found |= _exposures(counts, np.broadcast_to(group, counts.shape), share) > self.delta
        return float(counts[found].sum())


def _exposures(cell: Integers, group: Integers, share: Floats) -> Floats:
    """The exposure of somebody in a cell of a group, over random halves of the data, where the table is embedded as it
    is: E[(1 + T + p)/(2 + T + O)] − E[(T + p)/(1 + T + O)], T and O the others of the cell and of the group who are in.
    """
    found = np.zeros(cell.shape)
    thin = (cell > 0) & (group <= LARGE)
    if not thin.any():
        return found
    share = np.broadcast_to(share, cell.shape)
    steps = np.round(STEPS * share[thin]).astype(np.int64)
    # Most cells are like others: each triple is looked up once.
    code = (cell[thin] * (LARGE + 1) + group[thin]) * (STEPS + 1) + steps
    known, place = np.unique(code, return_inverse=True)
    pairs = known // (STEPS + 1)
    triples = zip(pairs // (LARGE + 1), pairs % (LARGE + 1), known % (STEPS + 1), strict=True)
    found[thin] = np.array([_exposure(int(t), int(q), int(p)) for t, q, p in triples])[place.ravel()]
    return found


@cache
def _halved(n: int) -> Floats:
    """How likely 0 … n of n people are in a random half."""
    return np.array([comb(n, k) for k in range(n + 1)]) / 2.0**n


@cache
def _exposure(cell: int, group: int, steps: int) -> float:
    share = steps / STEPS
    mates, rest = np.arange(cell), np.arange(group - cell + 1)
    chance = np.outer(_halved(cell - 1), _halved(group - cell))
    t, o = mates[:, None], rest[None, :]
    return float((chance * ((1 + t + share) / (2 + t + o) - (t + share) / (1 + t + o))).sum())
