"""Dominance: the largest contributors make up nearly all of a total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.contributions.case import Weighting
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class Dominance(Rule):
    """(n, k): x₁ + … + xₙ > k % of the total."""

    name: ClassVar[str] = "dominance"
    asks: ClassVar[str] = "The few largest contributors must not make up nearly all of a total or mean."
    source: ClassVar[str] = (
        "x₁ + … + xₙ > k/100 X, strict: Handbook on SDC 2025, sdcTable (2, 85); "
        "not strict (≥): ACRO (2, 90), sdcLog (2, 85), GaussSuppression"
    )
    statbarns: ClassVar[tuple[Statbarn, ...]] = (
        Statbarn.AGGREGATES,
        Statbarn.CONCENTRATION,
        Statbarn.GINI,
        Statbarn.MODELS,
    )

    largest: Annotated[int, "How many contributors are looked at: n."] = 2
    per_cent: Annotated[float, "The share of the total that they may have: k."] = 85.0
    strict: Annotated[bool, "Whether exactly k per cent is allowed still."] = True
    weighting: Annotated[Weighting, "How survey weights count: repeat, total or public."] = "total"

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of_amounts():
            held = case.contributions(behind, self.weighting)
            top, most = held.largest[:, : self.largest].sum(axis=1), self.per_cent / 100 * held.total
            slack = 1e-12 * held.total  # sums of floats: exactly k is exactly k
            over = top > most + slack if self.strict else top >= most - slack
            word = "more than" if self.strict else "at least"
            over &= (held.total > 0) & case.shown(behind)
            rest = np.maximum(held.total - held.largest[:, : max(self.largest, 1)].sum(axis=1), 0.0)
            closest = 100 * float(np.min(rest[over] / held.largest[over, 0], initial=np.inf))
            who = "largest contributor is" if self.largest == 1 else f"{self.largest} largest contributors are"
            by = "" if self.largest == 1 else " by the others of them"
            sentence = (
                f"The {who} {word} {self.per_cent:g} % of {{n}} figure{{s}}, so that the largest contribution can be "
                f"estimated{by} (the closest to within {closest:.1f} %)."
            )
            found += self.breach(case, behind, over, sentence)
        return found
