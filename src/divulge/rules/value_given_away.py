"""Figures of so few people that they are, or nearly are, one person's value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import BARNS_OF_STATISTICS, STATISTICS, Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class ValueGivenAway(Rule):
    """A statistic of at most three people, a quantile with less than one person beyond it, a term of one person, a
    ratio or a saturated model of cells of at most three.

    The mean of two tells each the other's value; the median of three is somebody's; a level of a regression that one
    person has fits that person exactly, and so does a ratio of one case to two: whoever knows how many people are in
    each group counts back. The χ² of a level that one person has says which of the other levels is theirs.
    """

    name: ClassVar[str] = "value given away"
    asks: ClassVar[str] = "No figure may be the value of one person, or tell one of a few the values of the others."
    source: ClassVar[str] = (
        "n ≤ 3, not strict: sdcTable (maxN 3), Handbook on SDC 2025 (at least 3); min(p, 1 − p) n < 1"
    )
    remedy: ClassVar[str] = "Withhold these figures, or merge their groups with others."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (
        *BARNS_OF_STATISTICS,
        Statbarn.MODELS,
        Statbarn.TESTS,
        Statbarn.RATIOS,
    )

    most: Annotated[int, "Figures of at most so many people give values away."] = 3

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = self._by_weights(case)
        for behind in case.of(*STATISTICS):
            n = case.units(behind)
            few = (n > 0) & (n <= self.most)
            if np.isfinite(behind.quantile):
                # 0.05 · 20 people are one person, whatever floats make of it; whose weight outweighs all is one too.
                beyond = min(behind.quantile, 1 - behind.quantile)
                few |= (n > 0) & (beyond * np.minimum(n, case.of_largest_weight(behind)) < 1 - 1e-9)
            sentence = (
                f"{{n}} figure{{s}} of at most {self.most} {{units}}, or of the outermost one: values are given away."
            )
            found += self.breach(case, behind, few & case.shown(behind), sentence)
        found += self._modes_of_one(case)
        for behind in case.of("ratio"):
            n = case.units(behind)
            few = (n > 0) & (n <= self.most) & case.shown(behind)
            found += self.breach(case, behind, few, f"{{n}} cell{{s}} behind a ratio of at most {self.most} {{units}}.")
        for behind in case.of("saturated"):
            few = (case.units(behind) > 0) & (case.units(behind) <= self.most)
            sentence = f"{{n}} cell{{s}} of at most {self.most} {{units}}, whose mean a saturated model gives."
            if case.output.statbarn is Statbarn.TESTS:
                sentence = (
                    f"{{n}} group{{s}} of at most {self.most} {{units}}, whose mean a test compares with others'."
                )
            found += [replace(f, figures=("all rows",)) for f in self.breach(case, behind, few, sentence)]
        for behind in case.of("term"):
            one = (case.units(behind) == 1) & case.shown(behind)
            sentence = "{n} term{s} of a regression that one person alone has: it fits them."
            if case.output.statbarn is Statbarn.TESTS:
                sentence = "{n} level{s} of a test that one person alone has: it tells the other value of theirs."
            found += self.breach(case, behind, one, sentence)
        return found

    def _modes_of_one(self, case: Case) -> list[Finding]:
        """Modes that one person alone has: where all numbers differ, the first of them, which is the least."""
        found: list[Finding] = []
        for behind in case.of("mode"):
            assert behind.variable is not None, "a mode is one of a variable"
            if case.table.schema[behind.variable].kind != "numeric":
                continue
            inside = behind.group >= 0
            at = behind.figures[behind.group]
            low, high = (np.append(bound, np.nan)[at] for bound in (case.released.low, case.released.high))
            numbers = case.numbers(behind)
            held = inside & (numbers >= low) & (numbers <= high)
            n_held = case.units(replace(behind, group=np.where(held, behind.group, -1)))
            one = (n_held == 1) & (case.units(behind) > self.most) & case.shown(behind)
            sentence = "{n} mode{s} that one person alone has: whoever knows that all values differ learns the least."
            of_one = replace(behind, group=np.where(held, behind.group, -1))
            found += self.breach(case, of_one, one, sentence)
        return found

    def _by_weights(self, case: Case) -> list[Finding]:
        """Figures of many people among whom the weights leave a few: the others hardly count."""
        found: list[Finding] = []
        if case.output.weights is None:
            return found
        sentence = f"{{n}} figure{{s}} of many people whose weights leave no more than {self.most} of them."
        for behind in case.behind:
            few = (
                (case.units(behind) > self.most) & (np.round(case.effective(behind)) <= self.most) & case.shown(behind)
            )
            for finding in self.breach(case, behind, few, sentence):
                if not any(f.figures == finding.figures for f in found):
                    found.append(finding)
        return found
