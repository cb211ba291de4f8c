"""t-closeness: how far the target's distribution in a class is from that in the whole release (Li et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.measures.case import Case
from divulge.measures.counting.classes import Classes, classes_of, of_people, of_release
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range

_SOURCE = "Li, Li and Venkatasubramanian 2007"


@dataclass(frozen=True)
class TCloseness(Family):
    """The earth mover's distance: of equal steps for categories, of ranks for numbers and ordered categories."""

    t: Annotated[float, "Classes farther than this from the whole are told apart.", Range(least=0, most=1)] = 0.2

    name: ClassVar[str] = "t_closeness"
    needs_rows: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("t_closeness", "How far the farthest class is from the whole release.", _SOURCE, of="synthetic"),
        Measure("t_above", "People whose class is farther than t from the whole release.", _SOURCE),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The distance of every class; nothing here is random."""
        del rng
        classes = classes_of(case)
        variable = case.people.schema[case.scenario.target]
        ordered = variable.kind == "numeric" or variable.is_ordered
        far = _rank_distances(classes) if ordered else _equal_distances(classes)
        how = "ranks" if ordered else "equal"
        return {
            "t_closeness": of_release("t_closeness", far[classes.found], least=False, distance=how),
            # A class exactly t away must not be lost to the rounding of a sum.
            "t_above": of_people("t_above", case, classes, far > self.t + 1e-12, t=self.t, distance=how),
        }


def _equal_distances(classes: Classes) -> Floats:
    """½ Σ |p_class − p| for every class: all targets are equally far from each other."""
    overall = classes.overall[classes.cells.target]
    seen = (classes.cells.s > 0).astype(np.float64)
    # Targets that the class lacks contribute their overall share.
    return 0.5 * (classes.total(seen * (np.abs(classes.shares - overall) - overall)) + classes.overall.sum())


def _rank_distances(classes: Classes) -> Floats:
    """Σ |F_class − F| / (m − 1) over the m targets of the release in their order, for every class.

    Between two targets of a class F_class is flat, so Σ |F_class − F| is read off the cumulated F: no table of all
    classes by all targets is made.
    """
    present = np.flatnonzero(classes.overall > 0)
    m = len(present)
    if m < 2 or not len(classes.cells.codes):
        return np.zeros(len(classes.rows))
    place = np.searchsorted(present, classes.cells.target)
    above = np.cumsum(classes.overall[present])
    keep = classes.cells.s > 0
    group, at, shares = classes.cells.group[keep], place[keep], classes.shares[keep]
    within = np.cumsum(shares)
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    within -= np.repeat(np.r_[0.0, within[first[1:] - 1]], np.diff(np.r_[first, len(group)]))
    until = np.r_[at[1:], m]
    until[np.r_[first[1:], len(group)] - 1] = m
    gaps = _flat_gaps(within, at, until, above)
    # Before its first target F_class is 0.
    sums = np.r_[0.0, np.cumsum(above)]
    gaps[first] += sums[at[first]]
    out = np.zeros(len(classes.rows))
    np.add.at(out, group, gaps)
    return out / (m - 1)


def _flat_gaps(level: Floats, start: Integers, end: Integers, above: Floats) -> Floats:
    """Σ |level − F_j| for j from start to end − 1, F ascending: F crosses the level once."""
    sums = np.r_[0.0, np.cumsum(above)]
    cross = np.clip(np.searchsorted(above, level), start, end)
    below = level * (cross - start) - (sums[cross] - sums[start])
    return below + (sums[end] - sums[cross]) - level * (end - cross)
