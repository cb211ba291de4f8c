"""What tables say of each other's withheld counts: the same people, counted by what the tables have in common.

A count that is withheld in one table may follow from another: how many people a group has, less those that are printed.
Scaling alone would get there, but ever more slowly the more people there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Floats

_ROUNDS = 4
"""Times that every table is held against every other. What needs longer chains, scaling finds."""


@dataclass(frozen=True)
class Axes:
    """A table that counts everybody: its variables, how many levels each has, and which figures its cells are."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    first: int

    @property
    def cells(self) -> slice:
        return slice(self.first, self.first + int(np.prod(self.shape)))

    def summed(self, bound: Floats, names: Sequence[str]) -> Floats:
        """How many people each combination of some variables has, by the bound of its cells; in the order asked."""
        kept = [i for i, name in enumerate(self.names) if name in names]
        dropped = tuple(i for i in range(len(self.names)) if i not in kept)
        order = [kept.index(self.names.index(name)) for name in names]
        found: Floats = bound[self.cells].reshape(self.shape).sum(axis=dropped).transpose(order)
        return found


def narrow(tables: Sequence[Axes | None], bounds: Sequence[tuple[Floats, Floats]]) -> None:
    """Narrow the bounds of counts in place where tables tell more of them together.

    tables: None for one that cannot be compared with others. bounds: of each, of all figures of its output.
    """
    known = [(table, *bound) for table, bound in zip(tables, bounds, strict=True) if table is not None]
    is_open = [bool((high > low)[table.cells].any()) for table, low, high in known]
    for _ in range(_ROUNDS if any(is_open) else 0):
        for a, (one, low, high) in enumerate(known):
            for b, (other, other_low, other_high) in enumerate(known):
                if a != b and is_open[a]:
                    _narrow(one, low, high, other, other_low, other_high)


def _narrow(one: Axes, low: Floats, high: Floats, other: Axes, other_low: Floats, other_high: Floats) -> None:
    """Narrow the bounds of one table in place by the sums of the other over what it does not share."""
    shared = [name for name in one.names if name in other.names]
    spread = tuple(i for i, name in enumerate(one.names) if name not in shared)
    least, most = (np.expand_dims(other.summed(bound, shared), spread) for bound in (other_low, other_high))
    mine_low, mine_high = (bound[one.cells].reshape(one.shape) for bound in (low, high))
    with np.errstate(invalid="ignore"):
        from_below = least - (mine_high.sum(axis=spread, keepdims=True) - mine_high)
        from_above = most - (mine_low.sum(axis=spread, keepdims=True) - mine_low)
    new_low = np.fmax(mine_low, from_below)
    new_high = np.fmin(mine_high, from_above)
    # Counts that contradict each other are left as they are: the fit shows it.
    fits = new_low <= new_high
    low[one.cells] = np.where(fits, new_low, mine_low).ravel()
    high[one.cells] = np.where(fits, new_high, mine_high).ravel()
