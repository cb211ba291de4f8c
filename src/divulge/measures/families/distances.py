"""Distance to the closest record: how near people are to synthetic rows, and synthetic rows to people rather than to
people who were not in the data (Platzer and Reutterer 2021; Zhao et al. 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points, sampled
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.measures.intervals import normal, ratio_standard_error, wilson
from divulge.settings import Range

_ZHAO = "Zhao et al. 2021"
_PLATZER = "Platzer and Reutterer 2021"
_NOBODY = "The people or the synthetic data have no rows."
_DELUSION = "A large distance does not show that data are safe (Yao et al. 2025)."


@dataclass(frozen=True)
class Distances(Family):
    """Gower distances over keys and target. Ties are told apart: on categories most comparisons are ties."""

    most: Annotated[int, "More people, or synthetic rows, than this are sampled.", Range(least=1)] = 200_000

    name: ClassVar[str] = "distances"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("DCR", "The mean distance of a person to the nearest synthetic row.", _ZHAO, is_share=False),
        Measure("NNDR", "The mean of the distance to the nearest over that to the second nearest.", _ZHAO),
        Measure("identical", "People of whom a synthetic row is a copy in keys and target.", _ZHAO),
        Measure(
            "DCR_share",
            "Of the synthetic rows nearer to one side, those nearer to the people than to the holdout.",
            _PLATZER,
        ),
        Measure("DCR_ties", "Synthetic rows that are as near to the people as to the holdout.", _PLATZER),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """From the people to the synthetic rows, and back; the generator samples where there are too many."""
        names = case.scenario.variables
        people, synthetic = points(case.people, names), points(case.synthetic, names)
        if not len(people) or not len(synthetic):
            return {m.name: Estimate(m.name, math.nan, 0, 0, caveats=(_NOBODY,)) for m in self.measures}
        distances, _ = nearest(synthetic, sampled(people, self.most, rng), k=2)
        first, second = distances[:, 0], distances[:, 1]
        n = len(first)
        copies = int((first == 0).sum())
        found = {"DCR": _mean("DCR", first, _NOBODY, (_DELUSION,)), "NNDR": _ratios(first, second)}
        found["identical"] = share("identical", copies, n, _NOBODY)
        return {**found, **self._sides(case, people, synthetic, rng)}

    def _sides(self, case: Case, people: Floats, synthetic: Floats, rng: np.random.Generator) -> dict[str, Estimate]:
        if case.holdout is None or not case.holdout.n_rows:
            needs = ("It needs a holdout.",)
            return {n: Estimate(n, math.nan, caveats=needs) for n in ("DCR_share", "DCR_ties")}
        held = points(case.holdout, case.scenario.variables)
        # The larger side would be nearer by its size alone.
        size = min(len(people), len(held))
        rows = sampled(synthetic, self.most, rng)
        inside = nearest(sampled(people, size, rng), rows)[0][:, 0]
        outside = nearest(sampled(held, size, rng), rows)[0][:, 0]
        closer, farther = int((inside < outside).sum()), int((inside > outside).sum())
        ties, n = len(rows) - closer - farther, len(rows)
        details = {
            "people": size,
            "closer": closer,
            "farther": farther,
            "ties": ties,
            # SDMetrics counts ties as safe.
            "strict_share": closer / n,
            "DCROverfittingProtection": min(2 * (1 - closer / n), 1.0),
        }
        return {
            "DCR_share": ratio(
                "DCR_share",
                closer,
                closer + farther,
                undefined="Every synthetic row is as near to the people as to the holdout.",
                baseline=0.5,
                interval=wilson(closer, closer + farther),
                n=closer + farther,
                details=details,
                caveats=(_DELUSION,),
            ),
            "DCR_ties": share("DCR_ties", ties, n, _NOBODY),
        }


def _ratios(first: Floats, second: Floats) -> Estimate:
    if not np.isfinite(second).all():
        return Estimate("NNDR", math.nan, caveats=("There is one synthetic row alone.",))
    # A copy has the ratio 0, also where there are several copies.
    ratios = np.divide(first, second, out=np.zeros(len(first)), where=second > 0)
    return _mean("NNDR", ratios, _NOBODY, ())


def _mean(name: str, values: Floats, undefined: str, caveats: tuple[str, ...]) -> Estimate:
    n, total = len(values), float(values.sum())
    error = ratio_standard_error(n, float(values @ values), total, n, total, n)
    details = {"standard_error": error, "median": float(np.median(values)), "fifth_percentile": _low(values)}
    return ratio(
        name, total, n, undefined=undefined, n=n, interval=normal(total / n, error), details=details, caveats=caveats
    )


def _low(values: Floats) -> float:
    return float(np.quantile(values, 0.05))
