"""Counts of few people: a cell that 0 < n < t people share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class Threshold(Rule):
    """A count, or a cell behind a share or a ratio, of fewer people than the threshold; counts of a life table too."""

    name: ClassVar[str] = "threshold"
    asks: ClassVar[str] = "Every cell of a table must hold at least so many people, or nobody."
    source: ClassVar[str] = "0 < n < t, strict: ACRO (t = 10), Handbook on SDC 2025 (3), DataSHIELD (3); sdcTable n ≤ 3"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES, Statbarn.RATIOS, Statbarn.SURVIVAL)

    fewest: Annotated[int, "Cells with fewer people are too small."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("count", "share", "base", "ratio"):
            n = case.units(behind)
            small = (n > 0) & (n < self.fewest) & case.shown(behind) & ~case.leaves_open(behind, self.fewest)
            found += self.breach(case, behind, small, f"{{n}} cell{{s}} of fewer than {self.fewest} {{units}}.")
        return found
