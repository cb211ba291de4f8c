"""Residual degrees of freedom: a model with few of them reproduces people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class DegreesOfFreedom(Rule):
    """n − parameters of a model, test or correlation below the least number."""

    name: ClassVar[str] = "degrees of freedom"
    asks: ClassVar[str] = "A model, test or correlation must have at least so many residual degrees of freedom."
    source: ClassVar[str] = "n − p < 10 is unsafe, strict: ACRO, Green, Ritchie & White 2024"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS, Statbarn.TESTS)

    fewest: Annotated[int, "Models with fewer residual degrees of freedom are too close to their data."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("model", "test", "correlation"):
            n = case.units(behind)
            few = (n > 0) & (n - behind.parameters < self.fewest)
            sentence = f"Fewer than {self.fewest} residual degrees of freedom."
            found += self.breach(case, behind, few & case.shown(behind), sentence)
        return found
