"""Steps of a survival curve or life table of few people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class SurvivalSteps(Rule):
    """A step between two shown times in which fewer than a given number of people have the event."""

    name: ClassVar[str] = "survival steps"
    asks: ClassVar[str] = "Between two times of a survival table or baseline so many must have the event, or nobody."
    source: ClassVar[str] = "0 < events < t, strict: ACRO 1.0 survival tables (10)"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.SURVIVAL, Statbarn.MODELS)

    fewest: Annotated[int, "Steps with fewer events are too small."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("events"):
            n = case.units(behind)
            few = (n > 0) & (n < self.fewest) & case.shown(behind)
            found += self.breach(case, behind, few, f"{{n}} step{{s}} with fewer than {self.fewest} events.")
        return found
