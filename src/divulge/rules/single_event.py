"""Single events: a step of one person says when it happened to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class SingleEvent(Rule):
    """A step of a survival curve that one person makes."""

    name: ClassVar[str] = "single event"
    asks: ClassVar[str] = "No step of a survival table or of a baseline may be one person's event."
    source: ClassVar[str] = "events = 1: Green, Ritchie & White 2024, hazard and survival tables"
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.SURVIVAL, Statbarn.MODELS)

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("events"):
            one = (case.units(behind) == 1) & case.shown(behind)
            found += self.breach(case, behind, one, "{n} step{s} of one person: when it happened to them is told.")
        return found
