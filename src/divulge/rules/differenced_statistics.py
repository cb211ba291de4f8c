"""Tests, correlations, spreads and curves of people who differ by a few: what changes is due to those few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.contributions.twins import twins_of
from divulge.kernels.arrays import Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.rules.rule import Finding, Rule, Severity

_LOOKED_AT = ("count", "share", "mean", "total", "quantile", "minimum", "maximum", "mode", "term", "saturated")
"""What other rules and attacks compare more exactly, or what one person more or less hardly moves."""

_CODED_LOOKED_AT = {*_LOOKED_AT} - {"term", "saturated"}
"""The same for values with a top or bottom code; models are compared for these alone."""

_OF_MOMENTS = ("test", "correlation", "model", "ratio", "events", "sd", "variance", "concentration")
"""What follows from counts, sums and squares, in whichever of these ways they are printed. A median is no function of
these, nor is a Gini coefficient; a Herfindahl index is one."""


@dataclass(frozen=True, kw_only=True)
class DifferencedStatistics(Rule):
    """The same statistic of all and of all but a few, printed so precisely that both differ.

    Whoever knows who these few are tries which of their values turn the one figure into the other. Another statistic of
    the same variables does as well, where both are made of counts, sums and squares. So does another variable: the same
    in other units, or with a few people recoded, cut off at the top or left missing.
    """

    name: ClassVar[str] = "differenced statistics"
    asks: ClassVar[str] = "No statistic may be printed twice, for people who differ by a few."
    source: ClassVar[str] = "0 < n₁ − n₂ ≤ n, not strict: Eurostat guidelines 2015, differencing; Ritchie 2006"
    remedy: ClassVar[str] = "Release one of the two outputs, or print fewer digits."
    severity: ClassVar[Severity] = Severity.REVIEW
    statbarns: ClassVar[tuple[Statbarn, ...]] = (
        Statbarn.FREQUENCIES,
        Statbarn.AGGREGATES,
        Statbarn.SHAPE,
        Statbarn.CONCENTRATION,
        Statbarn.GINI,
        Statbarn.RATIOS,
        Statbarn.SURVIVAL,
        Statbarn.MODELS,
        Statbarn.TESTS,
    )

    most: Annotated[int, "Differences of at most so many people are too small."] = 3
    units: Annotated[float, "Figures differ where they lie so many units of their last digit apart."] = 1.0

    def find(self, case: Case) -> list[Finding]:
        return self._between_twins([case])

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        people = [case.everybody for case in cases]
        found: list[Finding | None] = [f for f in self._between_twins(cases) if len(f.outputs) > 1]
        called = _called(cases)
        for (first, of_first), (second, of_second) in combinations(zip(cases, people, strict=True), 2):
            if first.output.kind == second.output.kind:
                found += [self._between(first, second, called), self._between_codes(first, second)]
                found.append(self._between_weights(first, second, called))
            else:
                same = _variables(first, called) == _variables(second, called)
                if same:
                    found.append(self._between_kinds(first, second, of_first != of_second, of_first & ~of_second))
        return [finding for finding in found if finding is not None]

    def _between_twins(self, cases: Sequence[Case]) -> list[Finding]:
        """Figures of two variables that are one another but for a few people, in one output or in two."""
        found: list[Finding] = []
        if not cases:
            return found
        speak = {name: [c.number for c in cases if name in c.output.own_variables()] for name in _names(cases)}
        for one, other, apart in twins_of(cases[0].table, tuple(speak), self.most):
            n = cases[0].table.count(apart)
            if n == 0:
                continue
            who = "1 person" if n == 1 else f"{n} people"
            sentence = f"{one} and {other} are the same but for {who}: where figures of both differ, it is due to them."
            outputs = tuple(sorted({speak[one][0], speak[other][0]}))
            found.append(Finding(self.name, self.severity, outputs, ("all figures",), sentence, apart))
        return found

    def _between_kinds(self, first: Case, second: Case, apart: Mask, more: Mask) -> Finding | None:
        """Outputs of two kinds on the same variables: a statistic, and whatever else of nearly the same people."""
        if not 0 < first.table.count(apart) <= self.most:
            return None
        if not _are_of_moments(first, second):
            return None
        larger, smaller = (first, second) if more.any() else (second, first)
        return self._finding(larger, smaller, apart) if self._moves(larger, apart) else None

    def _moves(self, case: Case, apart: Mask) -> bool:
        """Whether the figures of those with the few would be printed otherwise without them."""
        without = case.output.evaluate(case.table.take(np.flatnonzero(~apart))).values
        if len(without) != len(case.released.values):
            return True
        with np.errstate(invalid="ignore"):
            away = np.abs(case.released.values - without)
        return bool((away > self.units * 2 * case.released.half).any())

    def _between(self, first: Case, second: Case, called: Mapping[str, str]) -> Finding | None:
        same = _variables(first, called) == _variables(second, called)
        if not same or not self._differ(first, second):
            return None
        for a, b in zip(first.behind, second.behind, strict=False):
            if a.what != b.what or a.what in _LOOKED_AT or _name(a, called) != _name(b, called):
                continue
            apart = (a.group >= 0) != (b.group >= 0)
            if 0 < first.table.count(apart) <= self.most:
                return self._finding(first, second, apart)
        return None

    def _between_codes(self, first: Case, second: Case) -> Finding | None:
        """The same statistic of the same people, of whom a few have another value by a top or bottom code."""
        same = {*first.output.own_variables()} == {*second.output.own_variables()}
        if not same or all(b.what in _CODED_LOOKED_AT for b in first.behind) or not self._differ(first, second):
            return None
        apart = first.coded_apart(second)
        n = first.table.count(apart)
        if not 0 < n <= self.most:
            return None
        who = "1 person" if n == 1 else f"{n} people"
        sentence = f"The same statistic is printed with a code and without it, or with two: they differ by {who}."
        return Finding(self.name, self.severity, (first.number, second.number), ("all figures",), sentence, apart)

    def _between_weights(self, first: Case, second: Case, called: Mapping[str, str]) -> Finding | None:
        """The same statistic of the same people, of whom a few have another weight than all others."""
        weights = {first.output.weights, second.output.weights}
        same = _variables(first, called) - weights == _variables(second, called) - weights
        if len(weights) == 1 or not same or not self._differ(first, second):
            return None
        apart = first.weighted_apart(second) | (first.everybody != second.everybody)
        n = first.table.count(apart)
        if not 0 < n <= self.most:
            return None
        who = "1 person" if n == 1 else f"{n} people"
        sentence = f"The same statistic is printed with two weights, which differ for {who} alone."
        return Finding(self.name, self.severity, (first.number, second.number), ("all figures",), sentence, apart)

    def _differ(self, first: Case, second: Case) -> bool:
        """Whether any figure tells the two apart."""
        if first.labels != second.labels:
            return True
        with np.errstate(invalid="ignore"):
            away = np.abs(first.released.values - second.released.values)
            unit = 2 * np.maximum(first.released.half, second.released.half)
        return bool((away > self.units * unit).any())

    def _finding(self, first: Case, second: Case, apart: Mask) -> Finding:
        n = first.table.count(apart)
        what = (
            "The same statistic is"
            if first.output.kind == second.output.kind
            else "Statistics of the same variables are"
        )
        sentence = f"{what} printed for people who differ by {'1 person' if n == 1 else f'{n} people'}."
        return Finding(self.name, self.severity, (first.number, second.number), ("all figures",), sentence, apart)


def _names(cases: Sequence[Case]) -> list[str]:
    """The variables that outputs speak of."""
    return list(dict.fromkeys(name for case in cases for name in case.output.own_variables()))


def _called(cases: Sequence[Case]) -> dict[str, str]:
    """What each variable is called that is another one in other units or words: by the name of that other one."""
    called: dict[str, str] = {}
    for one, other, apart in twins_of(cases[0].table, _names(cases), 0) if len(cases) > 1 else ():
        if not apart.any():
            called[other] = called.get(one, one)
    return called


def _variables(case: Case, called: Mapping[str, str]) -> set[str]:
    return {called.get(name, name) for name in case.output.own_variables()}


def _name(behind: Behind, called: Mapping[str, str]) -> str | None:
    return None if behind.variable is None else called.get(behind.variable, behind.variable)


def _are_of_moments(first: Case, second: Case) -> bool:
    """Whether one is a statistic that whoever has counts, sums and squares works out, and the other says of these."""
    one, other = ({b.what for b in case.behind if _is_told(case, b.what)} for case in (first, second))
    says = {*_OF_MOMENTS, "count", "share", "mean", "total"}
    return any(a & {*_OF_MOMENTS} and b & says for a, b in ((one, other), (other, one)))


def _is_told(case: Case, what: str) -> bool:
    """Whether a statistic is what it says by itself: Gini's is a concentration that no moments give."""
    return not (what == "concentration" and case.output.statbarn is Statbarn.GINI)
