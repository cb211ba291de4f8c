"""A frequency table of an amount lists people's values one by one: its ends are those of single people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class ListedValues(Rule):
    """The frequencies of exact incomes: the first or the last value that anybody has is that of few."""

    name: ClassVar[str] = "listed values"
    asks: ClassVar[str] = (
        "A frequency table of a variable with many values must not end in values that few people have."
    )
    source: ClassVar[str] = "n < t, strict, as for maxima and minima: Green, Ritchie & White 2024"
    remedy: ClassVar[str] = "Show classes of values, with open ones at both ends, instead of single values."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    fewest: Annotated[int, "So many people must have the first and the last value."] = 10
    values: Annotated[int, "Variables with at most so many possible values are not looked at: these are classes."] = 40

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("count", "share"):
            if len(behind.names) != 1:
                continue
            variable = case.table.schema[behind.names[0]]
            if variable.kind != "numeric" or variable.n_values <= self.values:
                continue
            n = case.units(behind)
            shown = np.flatnonzero((n > 0) & case.shown(behind))[[0, -1]] if n.any() else np.zeros(0, dtype=np.int64)
            ends = np.zeros(behind.n_groups, dtype=bool)
            ends[shown[n[shown] < self.fewest]] = True
            sentence = f"{{n}} value{{s}} at an end of the list {{are}} that of fewer than {self.fewest} {{units}}."
            found += self.breach(case, behind, ends, sentence)
        return found
