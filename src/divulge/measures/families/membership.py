"""Membership inference: are synthetic rows denser around people who were in the data than around others, compared with
a reference sample that is neither (van Breugel et al. 2023)?
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.accused import accused, epsilon_measure
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points, sampled
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range

_SOURCE = "van Breugel et al. 2023 (DOMIAS)"
_FEW = "It needs a holdout of at least 20 people: one half is the reference, the other is attacked."


@dataclass(frozen=True)
class Membership(Family):
    """A person scores d_R/(d_S + d_R), with d_S and d_R the distances to the nearest synthetic and reference row.

    With k-nearest-neighbour densities it orders people as the ratio of the densities does. The reference is one half of
    the holdout; a reference that held the people attacked would give the answer away.
    """

    neighbours: Annotated[int, "The distance is to the so-many-th nearest row.", Range(least=1)] = 1
    false_positives: Annotated[
        float, "At which share of false accusations the right ones are counted.", Range(above=0, below=1)
    ] = 0.01
    most: Annotated[int, "More people than this are sampled.", Range(least=1)] = 100_000

    name: ClassVar[str] = "membership"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "membership_AUC",
            "How often a person of the data scores higher than one who was not in; one half is chance.",
            _SOURCE,
            is_share=False,
        ),
        Measure(
            "membership_TPR",
            "People accused rightly of being in the data where few are accused wrongly.",
            "Carlini et al. 2022",
        ),
        epsilon_measure("membership"),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Scores of people in and out; the generator halves the holdout."""
        if case.holdout is None or case.holdout.n_rows < 20 or not case.people.n_rows or not case.synthetic.n_rows:
            return {m.name: Estimate(m.name, math.nan, caveats=(_FEW,)) for m in self.measures}
        inside, outside = self.scores(case, rng)
        return accused("membership", inside, outside, self.false_positives, rng)

    def scores(self, case: Case, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The scores of people who were in, and of the half of the holdout that is no reference."""
        assert case.holdout is not None
        names = case.scenario.variables
        synthetic, held = points(case.synthetic, names), points(case.holdout, names)
        order = rng.permutation(len(held))
        reference, others = held[order[: len(held) // 2]], held[order[len(held) // 2 :]]
        people = sampled(points(case.people, names), self.most, rng)
        return self._score(people, synthetic, reference), self._score(others, synthetic, reference)

    def _score(self, rows: Floats, synthetic: Floats, reference: Floats) -> Floats:
        far = [nearest(among, rows, min(self.neighbours, len(among)))[0][:, -1] for among in (synthetic, reference)]
        total = far[0] + far[1]
        return np.divide(far[1], total, out=np.full(len(rows), 0.5), where=total > 0)
