"""People per term: a dummy of few people, or a slope that one person decides, is a statistic of few people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class PeoplePerTerm(Rule):
    """A level, an interaction of levels, or the values other than zero of a regression term, of few people.

    A number whose spread one person makes is a term of that person: Σ d² / d₁² people as far from the mean as the
    farthest would make the same spread, and the farthest has at least the inverse as leverage (Huber 1981: above a half
    it is to be avoided). Of a class of the response with few people the score states the sum of their predictors.
    """

    name: ClassVar[str] = "people per term"
    asks: ClassVar[str] = "Every level, interaction and non-zero value of a regression term must have so many people."
    source: ClassVar[str] = "n < 5 different ids, strict: sdcLog sdc_model, Bundesbank (nobsreg5)"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS,)

    fewest: Annotated[int, "Terms with fewer people are too small."] = 5
    as_far: Annotated[float, "Numbers that fewer people as far as the farthest would spread alike are one's own."] = 2.0

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("class"):
            n = case.units(behind)
            sentence = f"A class of the response has fewer than {self.fewest} {{units}}: it tells their predictors."
            found += self.breach(case, behind, (n > 0) & (n < self.fewest), sentence)
        for behind in case.of("term"):
            n = case.units(behind)
            small = (n > 0) & (n < self.fewest) & case.shown(behind)
            sentence = f"{{n}} term{{s}} of a regression with fewer than {self.fewest} {{units}}."
            found += self.breach(case, behind, small, sentence)
            if behind.variable is not None and behind.n_groups == 1 and not small.any():
                found += self._outlier(case, behind)
        return found

    def _outlier(self, case: Case, behind: Behind) -> list[Finding]:
        """A number, as it is and not a function of it, that one person spreads."""
        rows = next((b.group >= 0 for b in case.of("model")), None)
        figure = int(behind.figures[0])
        if rows is None or figure < 0 or case.labels[figure] != behind.variable:
            return []
        times = case.table.times
        own = case.numbers(behind)
        far = np.where(rows, np.abs(own - np.average(own[rows], weights=times[rows])), 0.0) if rows.any() else own * 0.0
        is_one = far.max() > 0 and float(times @ far**2) < self.as_far * far.max() ** 2
        sentence = "{n} term{s} of a regression whose spread one person makes: the slope is theirs."
        found = self.breach(case, behind, np.array([is_one]) & case.shown(behind), sentence)
        return [replace(finding, people=far >= far.max()) for finding in found]
