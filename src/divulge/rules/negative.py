"""Negative contributions: rules on shares of a total do not hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class Negative(Rule):
    """A total or mean of a group with values below zero: the largest may be larger than the total."""

    name: ClassVar[str] = "negative values"
    asks: ClassVar[str] = "Totals and means of values of both signs are looked at by a person."
    source: ClassVar[str] = "ACRO: review; GaussSuppression takes absolute values; sdcTable refuses"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.AGGREGATES,)

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("mean", "total"):
            groups = case.has_negative(behind) & case.shown(behind)
            sentence = "{n} figure{s} of a group with negative values: dominance is not defined."
            found += self.breach(case, behind, groups, sentence)
        return found
