"""People by their levels, held once where they are alike, with levels merged step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Integers
from divulge.kernels.merging import weigh_cells
from divulge.merging.goal import Goal

NOTHING = (-1, 0, 0)
"""Of the kernel: no two levels more are merged."""

Partition = Mapping[str, Integers]
"""For each variable the group of each level; a group is called by its first level."""


@dataclass(frozen=True, eq=False)
class Cells:
    """How many people have each combination of levels. names: the variables, one an axis."""

    names: tuple[str, ...]
    counts: Integers


class Weight(NamedTuple):
    """people: who stand where nobody should. bits: that are left. kept: of these, where such cells are withheld."""

    people: float
    bits: float
    kept: float


class Rows:
    """Tables whose levels are merged: how many people stand where nobody should, and how many bits are left.

    looked_at: how many rows were looked at so far, over all merges.
    """

    def __init__(self, tables: Sequence[Cells], goal: Goal) -> None:
        self._names = [table.names for table in tables]
        self._codes = [np.argwhere(table.counts > 0) for table in tables]
        self._people = [table.counts[table.counts > 0].astype(np.int64) for table in tables]
        self._sizes = [np.array(table.counts.shape, dtype=np.int64) for table in tables]
        self._scratch = [np.zeros((2, table.counts.size), dtype=np.int64) for table in tables]
        self._limits = goal.limits
        self.looked_at = 0

    def weigh(self, state: Partition) -> Weight:
        """What levels merged so weigh."""
        return _together([self._weighed(i, self._merged(i, state), NOTHING) for i in range(len(self._names))])

    def weigh_merges(self, state: Partition, name: str, pairs: Sequence[tuple[int, int]]) -> list[Weight]:
        """The same with each pair of groups of a variable merged besides."""
        every = [self._merged(i, state) for i in range(len(self._names))]
        still = [None if name in names else self._weighed(i, every[i], NOTHING) for i, names in enumerate(self._names)]
        found = []
        for first, second in pairs:
            of_each = [
                kept or self._weighed(i, every[i], (self._names[i].index(name), first, second))
                for i, kept in enumerate(still)
            ]
            found.append(_together(of_each))
        return found

    def people_at(self, name: str, n: int) -> Integers:
        """How many people have each level of a variable, over the tables."""
        found = np.zeros(n, dtype=np.int64)
        for names, codes, people in zip(self._names, self._codes, self._people, strict=True):
            if name in names:
                np.add.at(found, codes[:, names.index(name)], people)
        return found

    def _merged(self, i: int, state: Partition) -> Integers:
        codes = self._codes[i]
        columns = [state[n][codes[:, a]] if n in state else codes[:, a] for a, n in enumerate(self._names[i])]
        return np.stack(columns, axis=1)

    def _weighed(self, i: int, codes: Integers, merged: tuple[int, int, int]) -> Weight:
        self.looked_at += len(codes)
        return Weight(*weigh_cells(codes, self._people[i], self._sizes[i], merged, self._limits, self._scratch[i]))


def _together(tables: Sequence[Weight]) -> Weight:
    return Weight(*map(sum, zip(*tables, strict=True)))
