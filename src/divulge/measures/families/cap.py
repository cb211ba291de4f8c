"""Correct attribution probability: how likely is a person's target, given their keys (Elliot 2014; Taub 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import mean

_TAUB = "Taub et al. 2018"
_NO_PEOPLE = "There are no people to attack."


@dataclass(frozen=True)
class Cap(Family):
    """CAP of the original and of the synthetic data, and DCAP: the synthetic data used on the original people."""

    name: ClassVar[str] = "cap"
    is_default: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = False
    pools: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("baseCAPd", "The chance of a guess drawn from the target's distribution.", f"{_TAUB}, eq. 5"),
        Measure(
            "CAPd",
            "As DCAP within the original data: what the data themselves would give away.",
            f"{_TAUB}, eq. 3",
            moves_with_size=True,
        ),
        Measure("CAPs", "The same within the synthetic data alone.", "synthpop", of="synthetic"),
        Measure(
            "DCAP",
            "Mean share of synthetic people with the same keys who have the true target; no match counts as zero.",
            f"{_TAUB}, eq. 4",
        ),
        Measure(
            "DCAP_matched", "As DCAP, over the people whose keys are found in the synthetic data.", f"{_TAUB}, 3.3"
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """All of them; nothing here is random."""
        del rng
        sums, n_d, n_s, base = case.sums(), case.cells.n_people, case.cells.n_synthetic, case.base
        scores = case.own_shares() if case.with_scores else None
        return {
            "baseCAPd": Estimate("baseCAPd", base, base, 1, n=n_d, caveats=() if n_d else (_NO_PEOPLE,)),
            "CAPd": mean(
                "CAPd",
                sums.CAPd,
                sums.CAPd_squares,
                n_d,
                base,
                _NO_PEOPLE,
                caveats=("A person's own row is among those that are looked up.",),
            ),
            "CAPs": ratio("CAPs", sums.CAPs, n_s, undefined="The synthetic table has no rows.", n=n_s),
            "DCAP": mean(
                "DCAP",
                sums.DCAP,
                sums.DCAP_squares,
                n_d,
                base,
                _NO_PEOPLE,
                scores=None if scores is None else np.nan_to_num(scores),
            ),
            "DCAP_matched": mean(
                "DCAP_matched",
                sums.DCAP,
                sums.DCAP_squares,
                sums.iS,
                base,
                "Nobody's keys are in the synthetic data.",
                scores=scores,
            ),
        }
