"""β-likeness and δ-disclosure: how much more likely a class makes a target than the whole release does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.measures.case import Case
from divulge.measures.counting.classes import classes_of, of_people, of_release
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range

_CAO = "Cao and Karras 2012"
_BRICKELL = "Brickell and Shmatikov 2008"


@dataclass(frozen=True)
class Likeness(Family):
    """p is the share of a target in the release, q in a class: β = (q − p)/p where q > p, δ = |ln(q/p)| where q > 0.

    Targets that a class lacks have an infinite |ln(q/p)|; they are left out, as in pyCANON.
    """

    beta: Annotated[float, "The largest relative gain that is allowed.", Range(above=0)] = 1.0
    delta: Annotated[float, "The largest |ln(q/p)| that is allowed.", Range(above=0)] = 1.0

    name: ClassVar[str] = "likeness"
    needs_rows: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "beta_likeness", "The largest relative gain of a target in a class.", _CAO, of="synthetic", is_share=False
        ),
        Measure("beta_above", "People whose class gains more than β on some target.", _CAO),
        Measure(
            "beta_enhanced_above",
            "People whose class gains more than β, or more than −ln p, on some target.",
            _CAO,
        ),
        Measure(
            "delta_disclosure",
            "The largest |ln(q/p)| of a target in a class.",
            _BRICKELL,
            of="synthetic",
            is_share=False,
        ),
        Measure("delta_above", "People whose class has a target with |ln(q/p)| above δ.", _BRICKELL),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The gain of every target in every class; nothing here is random."""
        del rng
        classes = classes_of(case)
        seen = classes.cells.s > 0
        overall = np.where(seen, classes.overall[classes.cells.target], 1.0)
        ratio = np.where(seen, classes.shares, 1.0) / overall
        gain, log = ratio - 1, np.abs(np.log(ratio))
        limit = np.minimum(self.beta, -np.log(overall))
        beta, delta = classes.most(np.maximum(gain, 0.0)), classes.most(log)
        # A gain that is exactly at its limit must not be lost to rounding.
        enhanced = classes.most(((gain > limit + 1e-12) & (gain > 1e-12)).astype(np.float64)) > 0
        found = classes.found
        return {
            "beta_likeness": of_release("beta_likeness", beta[found], least=False),
            "beta_above": of_people("beta_above", case, classes, beta > self.beta + 1e-12, beta=self.beta),
            "beta_enhanced_above": of_people("beta_enhanced_above", case, classes, enhanced, beta=self.beta),
            "delta_disclosure": of_release("delta_disclosure", delta[found], least=False),
            "delta_above": of_people("delta_above", case, classes, delta > self.delta + 1e-12, delta=self.delta),
        }
