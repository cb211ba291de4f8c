"""(α, k)-anonymity: no target is too common in a class, and no class is too small (Wong et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.measures.case import Case
from divulge.measures.counting.classes import classes_of, of_people, of_release
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range

_SOURCE = "Wong et al. 2006"


@dataclass(frozen=True)
class AlphaK(Family):
    """α is the largest share of one target in a class."""

    alpha: Annotated[float, "The largest share that is allowed.", Range(above=0, most=1)] = 0.9
    k: Annotated[int, "The fewest rows that are allowed.", Range(least=2)] = 5

    name: ClassVar[str] = "alpha_k"
    needs_rows: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("alpha", "The largest share of one target in any class of the release.", _SOURCE, of="synthetic"),
        Measure("alpha_k_broken", "People whose class is smaller than k or has a target above α.", _SOURCE),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The commonest target of every class; nothing here is random."""
        del rng
        classes = classes_of(case)
        largest = classes.most(classes.shares)
        # A share that is exactly α must not be lost to rounding.
        broken = (largest > self.alpha + 1e-12) | (classes.rows < self.k)
        return {
            "alpha": of_release("alpha", largest[classes.found], least=False),
            "alpha_k_broken": of_people("alpha_k_broken", case, classes, broken, alpha=self.alpha, k=self.k),
        }
