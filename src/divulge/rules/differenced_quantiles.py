"""Quantiles of people who differ by one: those that fall and those that rise say between which of them the one lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.outputs.stated import spread_of
from divulge.rules.rule import Finding, Rule, Severity


class _Ladder(NamedTuple):
    """The quantiles of one variable that an output prints by the same groups. group: of each row."""

    case: Case
    behind: tuple[Behind, ...]
    numbers: Floats

    def figures(self, group: int) -> list[int]:
        return [int(behind.figures[group]) for behind in self.behind]


@dataclass(frozen=True, kw_only=True)
class DifferencedQuantiles(Rule):
    """Quantiles of a group, and the same quantiles of all of the group but one.

    Without somebody who lies above a quantile it falls or stays, without somebody below it rises or stays. So the one
    lies between the highest that falls and the lowest that rises: the finer the quantiles, the nearer.
    """

    name: ClassVar[str] = "differenced quantiles"
    asks: ClassVar[str] = "No quantiles may be printed twice, for people who differ by one whose value they enclose."
    source: ClassVar[str] = "n₁ − n₂ = 1: Eurostat guidelines 2015, differencing; Hyndman & Fan 1996"
    remedy: ClassVar[str] = "Release one of the two outputs, or fewer quantiles, or print fewer digits."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.POSITION,)

    per_cent: Annotated[float, "A value is given away where it is enclosed to within so many per cent of it,"] = 10.0
    share: Annotated[float, "or to within this share of the spread."] = 0.05

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        ladders = [ladder for case in cases for ladder in _ladders(case)]
        for whole, part in permutations(ladders, 2):
            if whole.case is part.case or whole.case.output.coarser != part.case.output.coarser:
                continue
            if whole.case.weighted_apart(part.case).any():
                continue
            if whole.behind[0].variable == part.behind[0].variable:
                found += self._between(whole, part)
        return found

    def _between(self, whole: _Ladder, part: _Ladder) -> list[Finding]:
        """Groups of the one that are a group of the other and one person more."""
        one, other = whole.behind[0], part.behind[0]
        times = whole.case.table.times
        sizes, parts = (
            np.bincount(b.group[b.group >= 0], times[b.group >= 0], minlength=b.n_groups) for b in (one, other)
        )
        both = (one.group >= 0) & (other.group >= 0)
        pairs, place = np.unique(one.group[both] * other.n_groups + other.group[both], return_inverse=True)
        shared = np.bincount(place.ravel(), times[both], minlength=len(pairs))
        found: list[Finding] = []
        for pair, n in zip(pairs.tolist(), shared.tolist(), strict=True):
            g, h = divmod(pair, other.n_groups)
            if parts[h] != n or sizes[g] != n + 1:
                continue
            person = (one.group == g) & (other.group != h)
            low, high = _enclosed(whole, g, part, h)
            if (high - low) / 2 <= self._allowed(whole, one.group == g, person):
                numbers = (whole.case.number, part.case.number)
                label = one.label(g, whole.case.labels)
                sentence = (
                    "Quantiles are printed with 1 person and without: those that fall and those that rise enclose the "
                    "value of this person."
                )
                found.append(Finding(self.name, self.severity, numbers, (label,), sentence, person))
        return found

    def _allowed(self, ladder: _Ladder, inside: Mask, person: Mask) -> float:
        spread = spread_of(ladder.numbers[inside], ladder.case.table.times[inside])
        return max(self.per_cent / 100 * float(np.abs(ladder.numbers[person]).max()), self.share * spread)


def _ladders(case: Case) -> list[_Ladder]:
    """The quantiles of each variable; what is printed as a distance of two of them is none."""
    found: dict[str, list[Behind]] = {}
    for behind in case.of("quantile"):
        if behind.variable is not None and not behind.label(0, case.labels).startswith("IQR "):
            found.setdefault(behind.variable, []).append(
                replace(behind, group=np.where(case.everybody, behind.group, -1))
            )
    return [_Ladder(case, tuple(those), case.numbers(those[0])) for those in found.values()]


def _enclosed(whole: _Ladder, g: int, part: _Ladder, h: int) -> tuple[float, float]:
    """Between which values the one lies whom the part lacks, by the quantiles that both print."""
    low, high = -np.inf, np.inf
    one, other = whole.case.released, part.case.released
    for (first, a), (second, b) in product(
        zip(whole.behind, whole.figures(g), strict=True), zip(part.behind, part.figures(h), strict=True)
    ):
        if first.quantile != second.quantile or min(a, b) < 0:
            continue
        # What is printed higher is higher: rounding keeps the order.
        if one.values[a] > other.values[b]:
            low = max(low, float(other.values[b]))
        elif one.values[a] < other.values[b]:
            high = min(high, float(other.values[b]))
    return low, high
