"""People per term: a dummy of few people is a statistic of few people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class PeoplePerTerm(Rule):
    """A level, an interaction of levels, or the values other than zero of a regression term, of few people."""

    name: ClassVar[str] = "people per term"
    asks: ClassVar[str] = "Every level, interaction and non-zero value of a regression term must have so many people."
    source: ClassVar[str] = "n < 5 different ids, strict: sdcLog sdc_model, Bundesbank (nobsreg5)"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS,)

    fewest: Annotated[int, "Terms with fewer people are too small."] = 5

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("term"):
            n = case.units(behind)
            small = (n > 0) & (n < self.fewest) & case.shown(behind)
            sentence = f"{{n}} term{{s}} of a regression with fewer than {self.fewest} {{units}}."
            found += self.breach(case, behind, small, sentence)
        return found
