"""Quantile regressions printed so finely that they say through whose points they pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class PointsOnThePlane(Rule):
    """A quantile regression passes through the points of as many people as it has coefficients. Where a prediction is a
    possible value of the response for hardly anybody else, it says who they are and what their value is."""

    name: ClassVar[str] = "points on the plane"
    asks: ClassVar[str] = "A quantile regression must not tell which people's points it passes through."
    source: ClassVar[str] = "Koenker & Bassett 1978, theorem 3.1: the plane passes through as many points as parameters"
    remedy: ClassVar[str] = "Print the coefficients with fewer digits, or measure the response more coarsely."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS,)

    fewest: Annotated[int, "So many people must share the predictors of a point that is told."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("plane"):
            n = case.units(behind)
            sentence = "The figures tell {n} point{s} that the plane passes through: people's own responses."
            found += self.breach(case, behind, (n > 0) & (n < self.fewest), sentence)
        return found
