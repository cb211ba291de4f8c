"""The standard deviation of two: with their mean it gives both values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class SpreadOfTwo(Rule):
    """A standard deviation or variance of so few people that with the mean it gives every value."""

    name: ClassVar[str] = "spread of two"
    asks: ClassVar[str] = "A standard deviation must come from more than two people."
    source: ClassVar[str] = "n ≤ 2, not strict: x̄ ± s/√2 are the values; Derrick, Green, Ritchie & White 2022"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.SHAPE,)

    most: Annotated[int, "Groups of at most so many people are given away."] = 2

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("sd", "variance"):
            n = case.rows(behind)
            few = (n > 1) & (n <= self.most) & case.shown(behind)
            found += self.breach(case, behind, few, f"{{n}} standard deviation{{s}} of at most {self.most} people.")
        return found
