"""p % with a coalition: several contributors together estimate the largest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.contributions.case import Weighting
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class Coalition(Rule):
    """X − x₁ − (x₂ + … + x_{c+1}) < p % of x₁: c contributors put theirs together."""

    name: ClassVar[str] = "coalition"
    asks: ClassVar[str] = "Several contributors together must not be able to estimate another to within p per cent."
    source: ClassVar[str] = "X − x₁ − (x₂ + … + x_{c+1}) < p/100 x₁, strict: Handbook on SDC 2025, coalitions"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.AGGREGATES, Statbarn.CONCENTRATION)

    members: Annotated[int, "How many put their contributions together: c."] = 2
    per_cent: Annotated[float, "How closely nobody may be estimated: p."] = 10.0
    weighting: Annotated[Weighting, "How survey weights count: repeat, total or public."] = "total"

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of_amounts():
            held = case.contributions(behind, self.weighting)
            rest = held.total - held.protected - held.others[:, : self.members].sum(axis=1)
            near = (rest < self.per_cent / 100 * held.protected - 1e-12 * held.total) & (held.protected > 0)
            sentence = (
                f"{self.members} contributors together can estimate the largest to within {self.per_cent:g} % "
                "in {n} figure{s}."
            )
            found += self.breach(case, behind, near & case.shown(behind), sentence)
        return found
