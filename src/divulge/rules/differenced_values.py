"""Means and totals that differ by a few people, or by the values of a few: the difference is the value of those few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.rows import row_weights
from divulge.outputs.lowering.sizes import least_step
from divulge.outputs.stated import spread_of
from divulge.rules.rule import Finding, Rule, Severity


class _Sums(NamedTuple):
    """What one output says of a variable. behind: its groups. numbers, weight: of each row. error: of each group's
    sum."""

    case: Case
    behind: Behind
    numbers: Floats
    weight: Floats
    error: Floats


@dataclass(frozen=True, kw_only=True)
class DifferencedValues(Rule):
    """A mean of all and a mean of all but a few, or a total and the totals of its parts but for a few.

    n₁ m₁ − n₂ m₂ is the sum of the values of those in between, to within n₁ h₁ + n₂ h₂ with h half a unit of the last
    digit (Eurostat guidelines 2015, differencing). Of one person that is the value; of two or three it tells each of
    them the others'. How many people there are is taken as known. So does a mean with a top code beside one without,
    or with another code: the difference is what lies beyond the one and not beyond the other.
    """

    name: ClassVar[str] = "differenced values"
    asks: ClassVar[str] = "No two means or totals may differ by a few people whose values follow from the difference."
    source: ClassVar[str] = "0 < n₁ − n₂ ≤ n, not strict: Eurostat guidelines 2015; the n of sdcTable (maxN 3)"
    remedy: ClassVar[str] = "Release one of the two outputs, or print fewer digits."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.AGGREGATES,)

    most: Annotated[int, "Differences of at most so many people give values away."] = 3
    fewest: Annotated[int, "Of fewer people than that a checker looks at the difference, as at a small group."] = 10
    per_cent: Annotated[float, "A value is given away where it follows to within so many per cent of it,"] = 10.0
    share: Annotated[float, "or to within this share of the spread."] = 0.05

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        stated = [_sums(case, behind) for case in cases for behind in case.of("mean", "total")]
        for whole, parts in product(stated, stated):
            if whole is not parts and whole.behind.variable == parts.behind.variable:
                found += self._between(whole, parts)
        return found

    def _between(self, whole: _Sums, parts: _Sums) -> list[Finding]:
        """Groups of the one that hold groups of the other and a few people more."""
        case, behind = whole.case, whole.behind
        inside = _parts_inside(behind, parts)
        in_both = (behind.group >= 0) & np.append(inside, False)[parts.behind.group]
        rest = (behind.group >= 0) & ~in_both
        is_same = behind.n_groups == parts.behind.n_groups and not rest.any()
        if whole.case.number < parts.case.number or not is_same:
            # Two outputs of the same people are asked about once.
            rest |= in_both & (whole.numbers != parts.numbers) & whole.case.coded_apart(parts.case)
        n = case.table.tally(behind.group, behind.n_groups, rest)
        # Groups that hold none of the other's are a small group by themselves, which other rules look at.
        holds = np.zeros(behind.n_groups, dtype=bool)
        holds[behind.group[in_both]] = True
        error = whole.error + _errors_inside(behind, parts, inside)
        told = holds & case.shown(behind) & (error <= self._tolerance(whole, rest))
        numbers = tuple(dict.fromkeys((case.number, parts.case.number)))
        found = []
        for most, groups, severity in (
            (self.most, told & (n > 0) & (n <= self.most), self.severity),
            (self.fewest - 1, told & (n > self.most) & (n < self.fewest), Severity.REVIEW),
        ):
            sentence = (
                f"{{n}} figure{{s}} less those of another output {{are}} the sum of at most {most} people's values, "
                "and printed precisely enough to tell it."
            )
            people = rest & case.people(behind, groups)
            for one in self.breach(case, behind, groups, sentence):
                found.append(Finding(self.name, severity, numbers, one.figures, one.sentence, people))
        return found

    def _tolerance(self, whole: _Sums, rest: Mask) -> Floats:
        """How precisely the sum of those in between must follow to tell a value, for each group."""
        behind, value = whole.behind, whole.numbers
        inside = behind.group >= 0
        spread = spread_of(value[inside], whole.case.table.times[inside])
        size = np.bincount(behind.group[rest], (whole.weight * np.abs(value))[rest], minlength=behind.n_groups)
        weight = np.bincount(behind.group[rest], whole.weight[rest], minlength=behind.n_groups)
        # Values that lie apart (0 and 1, whole years) are told exactly by anything nearer than half a step.
        step = least_step(whole.case.table, behind.variable, value, inside) / 2 if behind.variable else 0.0
        return np.asarray(np.maximum(self.per_cent / 100 * size, max(self.share * spread, step) * weight))


def _sums(case: Case, behind: Behind) -> _Sums:
    """The groups with the error of the sum that each printed figure stands for; infinite where none is printed."""
    weight = np.where(behind.group >= 0, row_weights(case.output, case.table) * case.table.times, 0.0)
    total = np.bincount(behind.group[behind.group >= 0], weight[behind.group >= 0], minlength=behind.n_groups)
    half = np.where(case.shown(behind) & (behind.figures >= 0), case.released.half[behind.figures], np.nan)
    error = half if behind.what == "total" else half * total
    return _Sums(case, behind, case.numbers(behind), weight, np.where(np.isfinite(error), error, np.inf))


def _parts_inside(behind: Behind, parts: _Sums) -> Mask:
    """Which groups of the parts lie wholly in one group of the other output and have a printed figure."""
    rows = parts.behind.group >= 0
    part, home = parts.behind.group[rows], behind.group[rows]
    n_parts = parts.behind.n_groups
    lowest = np.full(n_parts, np.iinfo(np.int64).max)
    highest = np.full(n_parts, -1)
    np.minimum.at(lowest, part, home)
    np.maximum.at(highest, part, home)
    return np.asarray((lowest == highest) & (lowest >= 0) & np.isfinite(parts.error))


def _errors_inside(behind: Behind, parts: _Sums, inside: Mask) -> Floats:
    """The errors of the parts that lie in each group, added up."""
    home = np.full(parts.behind.n_groups, -1)
    rows = parts.behind.group >= 0
    home[parts.behind.group[rows]] = behind.group[rows]
    return np.bincount(home[inside], parts.error[inside], minlength=behind.n_groups).astype(np.float64)
