"""Concentration of few contributors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class FewContributors(Rule):
    """A Herfindahl index or Gini coefficient of so few contributors that shares can be worked out."""

    name: ClassVar[str] = "concentration of few"
    asks: ClassVar[str] = "A concentration must come from more than a few contributors."
    source: ClassVar[str] = "n < 3, strict: Green, Ritchie & White 2024; of two, H gives both shares"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.CONCENTRATION, Statbarn.GINI)

    fewest: Annotated[int, "Concentrations of fewer contributors give shares away."] = 3

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("concentration"):
            n = case.units(behind)
            few = (n > 0) & (n < self.fewest) & case.shown(behind)
            found += self.breach(case, behind, few, f"{{n}} concentration{{s}} of fewer than {self.fewest} {{units}}.")
        return found
