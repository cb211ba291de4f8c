"""p %: the second largest contributor can estimate the largest too closely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.contributions.case import Weighting
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class PPercent(Rule):
    """X − x₁ − x₂ < p % of x₁: what the second largest has left to guess is too little."""

    name: ClassVar[str] = "p per cent"
    asks: ClassVar[str] = "No contributor may be able to estimate another's contribution to within p per cent."
    source: ClassVar[str] = (
        "X − x₁ − x₂ < p/100 x₁, strict: Handbook on SDC 2025, τ-ARGUS, ACRO (10); the largest without a waiver"
    )
    statbarns: ClassVar[tuple[Statbarn, ...]] = (
        Statbarn.AGGREGATES,
        Statbarn.CONCENTRATION,
        Statbarn.GINI,
        Statbarn.MODELS,
    )

    per_cent: Annotated[float, "How closely nobody may be estimated: p."] = 10.0
    weighting: Annotated[Weighting, "How survey weights count: repeat, total or public."] = "total"

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of_amounts():
            held = case.contributions(behind, self.weighting)
            rest = np.maximum(held.total - held.protected - held.others[:, 0], 0.0)
            near = (rest < self.per_cent / 100 * held.protected - 1e-12 * held.total) & (held.protected > 0)
            near &= case.shown(behind)
            closest = 100 * float(np.min(rest[near] / held.protected[near], initial=np.inf))
            sentence = (
                f"The second largest contributor to {{n}} figure{{s}} can estimate the largest to within "
                f"{self.per_cent:g} % (the closest to within {closest:.1f} %)."
            )
            found += self.breach(case, behind, near, sentence)
        return found
