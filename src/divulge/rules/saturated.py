"""Saturated models: as many parameters as cells, so that the model is a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class Saturated(Rule):
    """A model with at least as many parameters as its predictors have different rows: it gives every cell's mean."""

    name: ClassVar[str] = "saturated model"
    asks: ClassVar[str] = "A model must have fewer parameters than its predictors have different combinations."
    source: ClassVar[str] = "Ritchie 2006; Green, Ritchie & White 2024: a saturated model is a table of means"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS, Statbarn.TESTS)

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("saturated"):
            groups = case.rows(behind) > 0
            sentence = "The model is saturated: it gives the mean of every cell of a table."
            found += self.breach(case, behind, groups, sentence)
        return found
