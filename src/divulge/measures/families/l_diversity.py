"""l-diversity: how many different targets the rows of a class have (Machanavajjhala et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import xlogy

from divulge.kernels.arrays import Floats, Integers
from divulge.measures.case import Case
from divulge.measures.counting.classes import Classes, classes_of, of_people, of_release
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range

_SOURCE = "Machanavajjhala et al. 2007"


@dataclass(frozen=True)
class LDiversity(Family):
    """Distinct, entropy and recursive (c, l)-diversity of the target in the classes of the release."""

    l: Annotated[int, "Classes with fewer different targets are uniform.", Range(least=2)] = 2  # noqa: E741  # the paper's
    c: Annotated[float, "Recursive: the commonest target has fewer than c times the rest's rows.", Range(above=0)] = 3.0

    name: ClassVar[str] = "l_diversity"
    needs_rows: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "l_diversity", "How many targets the least diverse class has.", _SOURCE, of="synthetic", is_share=False
        ),
        Measure(
            "l_entropy",
            "As many equally frequent targets would be as diverse as the least diverse class.",
            _SOURCE,
            of="synthetic",
            is_share=False,
        ),
        Measure(
            "l_recursive",
            "The largest l for which every class is (c, l)-diverse; 0 where there is none.",
            _SOURCE,
            of="synthetic",
            is_share=False,
        ),
        Measure("l_below", "People whose class has fewer than l targets.", _SOURCE),
        Measure("l_entropy_below", "People whose class is less diverse than l equally frequent targets.", _SOURCE),
        Measure("l_recursive_below", "People whose class is not (c, l)-diverse.", _SOURCE),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Count the targets of every class; nothing here is random."""
        del rng
        classes = classes_of(case)
        distinct = classes.total((classes.cells.s > 0).astype(np.float64))
        diverse = np.exp(-classes.total(xlogy(classes.shares, classes.shares)))
        recursive = _recursive_levels(classes, self.c)
        found = classes.found
        # exp(H) of l equal shares must not fall below l by rounding.
        uneven = diverse < self.l * (1 - 1e-12)
        return {
            "l_diversity": of_release("l_diversity", distinct[found], least=True),
            "l_entropy": of_release("l_entropy", diverse[found], least=True),
            "l_recursive": of_release("l_recursive", recursive[found], least=True, c=self.c),
            "l_below": of_people("l_below", case, classes, distinct < self.l, l=self.l),
            "l_entropy_below": of_people("l_entropy_below", case, classes, uneven, l=self.l),
            "l_recursive_below": of_people("l_recursive_below", case, classes, recursive < self.l, l=self.l, c=self.c),
        }


def _recursive_levels(classes: Classes, c: float) -> Integers:
    """For every class the largest l with r_1 < c (r_l + … + r_m), r the counts from the commonest target on.

    0 where even l = 1 fails. The sum on the right falls with l, so the first failure ends it.
    """
    cells = classes.cells
    order = np.lexsort((-cells.s.astype(np.int64), cells.group))
    counts = cells.s[order].astype(np.float64)
    starts = cells.starts[:-1]
    if not len(counts):
        return np.zeros(0, dtype=np.int64)
    first = counts[starts][cells.group]
    holds = (counts > 0) & (first < c * _rest(counts, starts, cells.group))
    return np.add.reduceat(holds, starts, dtype=np.int64)


def _rest(counts: Floats, starts: Integers, group: Integers) -> Floats:
    """For every cell the sum of its own and all later counts of its class."""
    before = np.cumsum(counts) - counts
    total = np.add.reduceat(counts, starts)
    return total[group] - (before - before[starts][group])
