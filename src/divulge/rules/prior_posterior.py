"""pq: the largest contribution known to q % beforehand is known to p % after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.contributions.case import Weighting
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class PriorPosterior(Rule):
    """X − x₁ − x₂ < (p/q) x₁."""

    name: ClassVar[str] = "prior posterior"
    asks: ClassVar[str] = "Who knows every contribution to within q per cent must not learn one to within p per cent."
    source: ClassVar[str] = "X − x₁ − x₂ < (p/q) x₁, strict: Handbook on SDC 2025; sdcTable (25, 50)"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.AGGREGATES, Statbarn.CONCENTRATION)

    per_cent: Annotated[float, "How closely nobody may be estimated: p."] = 25.0
    known: Annotated[float, "How closely everybody is known beforehand: q."] = 50.0
    weighting: Annotated[Weighting, "How survey weights count: repeat, total or public."] = "total"

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of_amounts():
            held = case.contributions(behind, self.weighting)
            rest = held.total - held.protected - held.others[:, 0]
            near = (rest < self.per_cent / self.known * held.protected - 1e-12 * held.total) & (held.protected > 0)
            sentence = f"The largest contributor to {{n}} figure{{s}} can be estimated to within {self.per_cent:g} %."
            found += self.breach(case, behind, near & case.shown(behind), sentence)
        return found
