"""CAP for the people whom intruders look for: statistical uniques and special uniques (Taub 2018, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.measures.case import Case
from divulge.measures.counting.unique_sets import unique_sets
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import mean
from divulge.settings import Range

_TAUB = "Taub et al. 2018"


@dataclass(frozen=True)
class SpecialUniques(Family):
    """DCAP among people who are unique on the keys, and among the special ones of these."""

    top: Annotated[
        float,
        "The share of the uniques, by SUDA score, that is special; those who tie with the last are in too.",
        Range(above=0, most=1),
    ] = 0.10

    name: ClassVar[str] = "subsets"
    pools: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "DCAP_uniques", "DCAP among people who are unique on the keys; no match is 0.", _TAUB, moves_with_size=True
        ),
        Measure(
            "DCAP_uniques_matched",
            "The same, of those whose keys are in the synthetic data.",
            _TAUB,
            moves_with_size=True,
        ),
        Measure("DCAP_special", "DCAP among special uniques; no match is 0.", _TAUB, moves_with_size=True),
        Measure(
            "DCAP_special_matched",
            "The same, of those whose keys are in the synthetic data.",
            _TAUB,
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Both subsets, both ways; nothing here is random."""
        del rng
        found = unique_sets(case.people, case.scenario.keys)
        is_unique = found.counts[found.of_row] == 1
        special = _special_uniques(found.suda_scores(), is_unique, self.top)
        scores, shares = case.own_shares(), self._shares(case)
        out: dict[str, Estimate] = {}
        for name, rows in {"uniques": is_unique, "special": special}.items():
            base = float(shares[rows].mean()) if rows.any() else float("nan")
            mine = scores[rows]
            nobody = f"Nobody is among the {'special ' if name == 'special' else ''}uniques."
            out[f"DCAP_{name}"] = self._mean(f"DCAP_{name}", np.nan_to_num(mine), base, nobody)
            matched = mine[~np.isnan(mine)]
            out[f"DCAP_{name}_matched"] = self._mean(
                f"DCAP_{name}_matched", matched, base, "Nobody of them has keys that are in the synthetic data."
            )
        return out

    def _mean(self, name: str, scores: Floats, base: float, undefined: str) -> Estimate:
        return mean(name, float(scores.sum()), float(scores @ scores), len(scores), base, undefined)

    def _shares(self, case: Case) -> Floats:
        """For every row the share of its target value: the baseline CAP of a record (Taub 2018, eq. 5)."""
        counts = case.people.frequencies(case.scenario.target)
        return (counts / max(case.people.n_rows, 1))[case.people[case.scenario.target]]


def _special_uniques(scores: Floats, is_unique: Mask, top: float) -> Mask:
    """The uniques whose SUDA score is among the top share; ties with the last of them are in."""
    among = np.sort(scores[is_unique])[::-1]
    if not among.size:
        return is_unique.copy()
    # −1e-9: 10 % of 30 people is 3, although 0.1 × 30 is a little more.
    last = among[int(np.ceil(top * among.size - 1e-9)) - 1]
    return is_unique & (scores >= last)
