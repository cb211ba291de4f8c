"""Means, totals, quantiles and the like of few people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import BARNS_OF_STATISTICS, STATISTICS, Finding, Rule


@dataclass(frozen=True, kw_only=True)
class SmallGroup(Rule):
    """A mean, total, quantile, spread, mode, concentration or survival curve of fewer people than the threshold."""

    name: ClassVar[str] = "small group"
    asks: ClassVar[str] = "Every statistic of a group must come from at least so many people."
    source: ClassVar[str] = "0 < n < t, strict: Green, Ritchie & White 2024; ACRO (10); sdcLog, Bundesbank (5 ids)"
    statbarns: ClassVar[tuple[Statbarn, ...]] = BARNS_OF_STATISTICS

    fewest: Annotated[int, "Groups with fewer people are too small."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of(*STATISTICS):
            n = case.units(behind)
            small = (n > 0) & (n < self.fewest) & case.shown(behind)
            sentence = f"{{n}} figure{{s}} of a group of fewer than {self.fewest} {{units}}."
            found += self.breach(case, behind, small, sentence)
        return found
