"""Nearest-neighbour adversarial accuracy: are people nearer to synthetic rows than to each other (Yale et al. 2020)?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points, sampled
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.intervals import normal
from divulge.settings import Range


@dataclass(frozen=True)
class AdversarialAccuracy(Family):
    """½ P(d_TS > d_TT) + ½ P(d_ST > d_SS) over as many people T as synthetic rows S, ties counted as one half.

    ½: they mix. Near 0: rows are copied. Near 1: the synthetic data are unlike the people. The published figure counts
    ties as nearer, which on categories makes good data look copied; it stands in the details as `strict`. Its privacy
    loss is the holdout's figure less the people's: the difference with its sign turned.
    """

    most: Annotated[int, "More people, or synthetic rows, than this are sampled.", Range(least=2)] = 100_000

    name: ClassVar[str] = "adversarial_accuracy"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "NNAA",
            "How well the nearest row tells people from synthetic rows; one half is not at all.",
            "Yale et al. 2020",
            is_share=False,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Four searches for nearest rows; the generator makes both sides equally large."""
        names = case.scenario.variables
        sizes = [t.n_rows for t in (*case.population, case.synthetic)]
        # All of them of one size, so that the people's figure and the holdout's compare.
        size = min(*sizes, self.most)
        if size < 2:
            return {"NNAA": Estimate("NNAA", math.nan, caveats=("It needs two people and two synthetic rows.",))}
        people, synthetic = (sampled(points(t, names), size, rng) for t in (case.people, case.synthetic))
        sides = [_compared(people, synthetic), _compared(synthetic, people)]
        value = float(np.mean([half.mean() for half in sides]))
        mutual = _mutual(np.concatenate([people, synthetic]))
        error = math.sqrt(sum(half.var() / size for half in sides) * (1 + mutual)) / 2
        details = {
            "size": size,
            "ties": float(np.mean([(half == 0.5).mean() for half in sides])),
            "strict": float(np.mean([(half == 1).mean() for half in sides])),
            "mutual_neighbours": mutual,
            "standard_error": error,
        }
        return {
            "NNAA": Estimate("NNAA", value, baseline=0.5, interval=normal(value, error), n=2 * size, details=details)
        }


def _mutual(pooled: Floats) -> float:
    """The share of rows that are the nearest of their nearest: such pairs count twice, which widens the interval.

    The figure is the share of rows whose nearest row is of their own kind (Schilling 1986, whose variance this is).
    """
    found = nearest(pooled, pooled, leave_out=True)[1][:, 0]
    return float((found[found] == np.arange(len(found))).mean())


def _compared(own: Floats, other: Floats) -> Floats:
    """For every row 1 where its own kind is nearer than the other, 0 where it is farther, ½ where both are as near."""
    across = nearest(other, own)[0][:, 0]
    within = nearest(own, own, leave_out=True)[0][:, 0]
    return np.where(across > within, 1.0, np.where(across < within, 0.0, 0.5))
