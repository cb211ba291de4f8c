"""Special uniques: how many, and how small, are the sets of keys on which a person is unique.

Scores as in Elliot, Manning and Ford (2002) with sdcMicro's original weights; nothing synthetic is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.case import Case
from divulge.measures.counting.unique_sets import UniqueSets, unique_sets
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range


@dataclass(frozen=True)
class Suda(Family):
    """SUDA scores of the people on the keys."""

    sampling_fraction: Annotated[
        float, "The share of the population that is in the data, for DIS-SUDA.", Range(above=0, below=1)
    ] = 0.01
    largest: Annotated[int, "The most keys that an MSU may have; 0 is no limit.", Range(least=0)] = 0

    name: ClassVar[str] = "suda"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "MSU", "People with a set of keys on which they are unique.", "Elliot et al. 2002", moves_with_size=True
        ),
        Measure(
            "SUDA",
            "Mean SUDA score: small unique sets of keys weigh most.",
            "Elliot et al. 2002",
            is_share=False,
            moves_with_size=True,
        ),
        Measure(
            "DIS_SUDA",
            "Mean DIS-SUDA: how likely a match on a unique person is right.",
            "Elliot et al. 2002",
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The shares and means over the people, with the scores of every row; nothing here is random."""
        del rng
        found = unique_sets(case.people, case.scenario.keys, self.largest)
        n = case.people.n_rows
        scores = found.suda_scores()
        dis = _dis_suda(found, scores, self.sampling_fraction)
        has = int((scores > 0).sum())
        sizes = np.bincount(found.sizes, minlength=len(found.keys) + 1)[1:]
        nobody = "There are no people to attack."
        details: dict[str, Any] = {
            "largest": float(scores.max(initial=0)),
            "sets_by_size": {str(k + 1): int(sizes[k]) for k in range(len(sizes))},
            "by_variable": found.by_variable(),
        }
        return {
            "MSU": share("MSU", has, n, nobody),
            "SUDA": ratio("SUDA", float(scores.sum()), n, undefined=nobody, n=n, details=details, scores=scores),
            "DIS_SUDA": ratio(
                "DIS_SUDA",
                float(dis.sum()),
                n,
                undefined=nobody,
                n=n,
                details={"largest": float(dis.max(initial=0)), "sampling_fraction": self.sampling_fraction},
                scores=dis,
            ),
        }


def _dis_suda(found: UniqueSets, scores: Floats, sampling_fraction: float) -> Floats:
    """1/(1 + [P(1−f)/f] / (score^Q · A)) with A = Σ score^−Q over scores above 0 and Q = 1 + (8 − M)/20.

    P is the number of rows in pairs with equal keys (Elliot 2000; Elliot, Manning and Ford 2002; sdcMicro).
    """
    q = 1 + (8 - len(found.keys)) / 20
    pairs = 2.0 * int((found.counts == 2).sum())
    odds = pairs * (1 - sampling_fraction) / sampling_fraction
    out = np.zeros(len(scores))
    has = scores > 0
    a = float((scores[has] ** -q).sum())
    out[has] = 1 / (1 + odds / (scores[has] ** q * a))
    return out
