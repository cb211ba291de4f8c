"""Counts that reveal who did not answer: two outputs that differ by missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class NonResponse(Rule):
    """Two outputs of the same subpopulation whose numbers of people differ by a few with a missing value."""

    name: ClassVar[str] = "non-response"
    asks: ClassVar[str] = "No two outputs may differ by a few people because these have missing values."
    source: ClassVar[str] = "0 < n₁ − n₂ < t, strict: Eurostat output checking guidelines 2015; ACRO"
    severity: ClassVar[Severity] = Severity.NOTE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    fewest: Annotated[int, "Fewer people without an answer are too few."] = 10

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        counted = [(c, c.of("count")[0].group >= 0) for c in cases if c.of("count")]
        for (first, a), (second, b) in combinations(counted, 2):
            if first.output.where != second.output.where:
                continue
            for rows in (a & ~b, b & ~a):
                n = first.table.count(rows)
                if 0 < n < self.fewest and first.table.count(a) != first.table.count(b):
                    numbers = (first.number, second.number)
                    sentence = f"Two outputs differ by fewer than {self.fewest} people, who have missing values."
                    found.append(Finding(self.name, self.severity, numbers, (), sentence, np.asarray(rows)))
                    break
        return found
