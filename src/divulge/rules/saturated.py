"""Saturated models: as many parameters as cells, so that the model is a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class Saturated(Rule):
    """A model with at least as many parameters as its predictors have different rows: it gives every cell's mean."""

    name: ClassVar[str] = "saturated model"
    asks: ClassVar[str] = (
        "A model with a parameter for each combination of its predictors must have enough people in each."
    )
    source: ClassVar[str] = "Ritchie 2006; Green, Ritchie & White 2024: a saturated model is a table of means"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS, Statbarn.TESTS)

    fewest: Annotated[int, "Combinations with fewer people are too small."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("saturated"):
            n = case.units(behind)
            small = (n > 0) & (n < self.fewest)
            sentence = (
                f"The model is saturated: it gives the mean of {{n}} cell{{s}} of fewer than {self.fewest} {{units}}."
            )
            found += [replace(f, figures=("all rows",)) for f in self.breach(case, behind, small, sentence)]
            if not small.any():
                # A table of means of large groups is no secret, but whoever checks it should know that it is one.
                sentence = "The model is saturated: it gives the mean of every cell of a table, none of few people."
                people = np.zeros(case.table.n_rows, dtype=bool)
                found.append(Finding(self.name, Severity.NOTE, (case.number,), ("all rows",), sentence, people))
        return found
