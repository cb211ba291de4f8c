"""What is wrong with the cells of a table, in people: thin cells, groups with everybody in one cell, exposed people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import comb

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.kernels.merging import Limits

LARGE = 60
"""In a larger group one person moves no share by 0.1: half of 60 people are 30, give or take 8."""


@dataclass(frozen=True)
class Goal:
    """What cells should be like. fewest: people in each; None: any number. rarest: not all of a group may have a value
    that so few have, or fewer; None: they may. delta: nobody's chance of a right guess may rise by more, over random
    halves of the data; None: any."""

    fewest: int | None = None
    rarest: float | None = None
    delta: float | None = None

    @cached_property
    def limits(self) -> Limits:
        """The same as a kernel takes it."""
        rarest, delta = (-1.0 if self.rarest is None else self.rarest), (np.inf if self.delta is None else self.delta)
        return Limits(self.fewest or 0, rarest, delta, np.zeros((0, 0, 2)) if self.delta is None else _exposures())


@cache
def _exposures() -> Floats:
    """The exposure of somebody in a cell of a group, over random halves of the data, where the table is embedded as it
    is: E[(1 + T + p)/(2 + T + O)] − E[(T + p)/(1 + T + O)], T and O the others of the cell and of the group who are in.
    It is linear in the value's share p: a number without it and one with it, for every size of cell and of group.
    """
    found = np.zeros((LARGE + 1, LARGE + 1, 2))
    halved = [np.array([comb(n, k) for k in range(n + 1)]) / 2.0**n for n in range(LARGE + 1)]
    for group in range(1, LARGE + 1):
        for cell in range(1, group + 1):
            chance = np.outer(halved[cell - 1], halved[group - cell])
            t, n = np.arange(cell)[:, None], np.add.outer(np.arange(cell), np.arange(group - cell + 1))
            found[cell, group] = (
                (chance * ((1 + t) / (2 + n) - t / (1 + n))).sum(),
                (chance * (1 / (2 + n) - 1 / (1 + n))).sum(),
            )
    return found
