"""Classes of the released rows: all synthetic rows that share the keys, and what they say about the target.

k-anonymity and its relatives speak of such classes. A person belongs to the class that has their keys, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.measures.case import Case
from divulge.measures.counting.cells import Cells
from divulge.measures.estimate import Estimate
from divulge.measures.figures import share

NO_ROWS = "The synthetic table has no rows."
NO_PEOPLE = "There are no people to attack."


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of the release, in the order of the key combinations that some row or person has."""

    cells: Cells

    @cached_property
    def rows(self) -> Integers:
        """How many synthetic rows each key combination has; 0 where only people have it."""
        return self._sums(self.cells.s)

    @cached_property
    def people(self) -> Integers:
        """How many people have each key combination."""
        return self._sums(self.cells.d)

    @property
    def found(self) -> Mask:
        """Which key combinations are classes of the release."""
        return self.rows > 0

    @cached_property
    def shares(self) -> Floats:
        """For every cell the share of its target in its class; 0 where the class has no synthetic row."""
        of_class = self.rows[self.cells.group]
        return np.divide(self.cells.s, of_class, out=np.zeros(len(of_class)), where=of_class > 0)

    @cached_property
    def overall(self) -> Floats:
        """The share of every target code among all synthetic rows."""
        counts = np.bincount(self.cells.target, weights=self.cells.s, minlength=self.cells.width)
        return counts / max(self.cells.n_synthetic, 1)

    def most(self, of_cells: Floats) -> Floats:
        """The largest figure among the cells of each key combination."""
        if not len(of_cells):
            return np.zeros(0)
        return np.maximum.reduceat(of_cells, self.cells.starts[:-1])

    def total(self, of_cells: Floats) -> Floats:
        """The sum of a figure over the cells of each key combination."""
        if not len(of_cells):
            return np.zeros(0)
        return np.add.reduceat(of_cells, self.cells.starts[:-1])

    def _sums(self, counts: Integers32) -> Integers:
        if not len(counts):
            return np.zeros(0, dtype=np.int64)
        return np.add.reduceat(counts, self.cells.starts[:-1], dtype=np.int64)


def classes_of(case: Case) -> Classes:
    """The classes of the case's release."""
    return Classes(case.cells)


def of_release(name: str, figures: Floats | Integers, *, least: bool, **details: object) -> Estimate:
    """The least (or largest) figure of any class: what a release is called after. It has no sampling error."""
    if not len(figures):
        return Estimate(name, float("nan"), caveats=(NO_ROWS,))
    value = float(figures.min() if least else figures.max())
    return Estimate(name, value, n=len(figures), details={"classes": len(figures), **details})


def of_people(name: str, case: Case, classes: Classes, chosen: Mask, **details: object) -> Estimate:
    """The share of people whose class in the release is among those chosen; nobody outside a class counts."""
    hit = chosen & classes.found
    scores = hit.astype(np.float64)[classes.cells.group] if case.with_scores else None
    return share(
        name,
        int(classes.people[hit].sum()),
        classes.cells.n_people,
        NO_PEOPLE,
        details={"found": int(classes.people[classes.found].sum()), **details},
        scores=None if scores is None else case.by_row(scores),
    )
