"""The scores of people looked up in expected numbers: the same formula as in synthetic rows (scenario/score.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.fitting.combinations import Combinations, Grouping
from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.fitting import window_sums
from divulge.scenario import Lookup
from divulge.scenario.score import score


@dataclass(frozen=True, eq=False)
class Place:
    """Where the cells of a look-up are among expected numbers.

    grouping: how these are summed over the variables that it does not ask for; None: it asks for all.
    first, step: as the kernel has them; target: the code of each cell.
    """

    lookup: Lookup
    grouping: Grouping | None
    first: Integers
    step: int
    target: Integers

    @classmethod
    def of(cls, lookup: Lookup, space: Combinations) -> Place:
        names, key = lookup.scenario.variables, lookup.cells // lookup.width
        target = lookup.cells % lookup.width
        if set(names) == set(space.schema.names):
            steps, columns = space.steps, lookup.coding.decode(key)
            first = np.zeros(len(key), dtype=np.int64)
            for name, codes in zip(lookup.scenario.keys, columns, strict=True):
                first += codes.astype(np.int64) * steps[name]
            return cls(lookup, None, first, steps[lookup.scenario.target], target)
        grouping = space.grouping_by([*lookup.scenario.keys, lookup.scenario.target])
        return cls(lookup, grouping, key * lookup.width, 1, target)

    def scores(self, values: Floats, cells: Integers | None = None) -> Floats:
        """The score of every cell, or of some. values: how many people of each combination are expected."""
        summed = values if self.grouping is None else self.grouping.totals(values)
        some = slice(None) if cells is None else cells
        first, target = self.first[some], self.target[some]
        near, matched = np.empty(len(first)), np.empty(len(first))
        lookup = self.lookup
        low, high = lookup.low[target], lookup.high[target]
        window_sums(summed, first, self.step, lookup.width, low, high, near, matched)
        return score(near, matched, lookup.prior[some])
