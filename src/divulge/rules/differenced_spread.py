"""Two spreads of people who differ by one: their sums of squares differ by how far that person lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Mask
from divulge.outputs import Statbarn
from divulge.outputs.spreads import Spread
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class DifferencedSpread(Rule):
    """S₁ − S₂ = m/(m + 1) (y − ȳ)² with S the sum of squared deviations of m + 1 people and of m of them.

    Standard deviations, sums of squares of any two analyses of variance and what regressions print of their fit all
    state S of their response (Welford 1962). So the one of all and another of all but one tell how far that one lies
    from the mean, on one side or the other. Of two or three people it tells each of them what the others have.
    """

    name: ClassVar[str] = "differenced spread"
    asks: ClassVar[str] = "No two outputs may state the spread of a variable among people who differ by a few."
    source: ClassVar[str] = "0 < n₁ − n₂ ≤ n, not strict: Eurostat guidelines 2015, differencing; Welford 1962"
    remedy: ClassVar[str] = "Compute both outputs on the same people, or print fewer digits."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.SHAPE, Statbarn.MODELS, Statbarn.TESTS)

    most: Annotated[int, "Differences of at most so many people give values away."] = 3
    per_cent: Annotated[float, "A value is given away where it follows to within so many per cent of it,"] = 10.0
    share: Annotated[float, "or to within this share of the spread."] = 0.05

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        stated = [(case, s) for case in cases for s in case.spreads if s.power == 2 and not s.is_left]
        for (first, one), (second, other) in combinations(stated, 2):
            if first is second or one.about != other.about:
                continue
            for a, b, apart in _few_apart(first, one, other, self.most):
                if self._is_told(first, (one, a), (other, b), apart):
                    found.append(self._finding(first, second, one, a, apart))
                    break
        return found

    def _is_told(self, case: Case, one: tuple[Spread, int], other: tuple[Spread, int], apart: Mask) -> bool:
        """Whether the difference is printed precisely enough to tell how far those in between lie."""
        (spread, a), (second, b) = one, other
        error = float(spread.error[a] + second.error[b])
        numbers = spread.own
        common = (spread.behind.group == a) & (second.behind.group == b)
        if not common.any() or not np.isfinite(error):
            return False
        times = None if case.table.people is None else case.table.people[common]
        mean = float(np.average(numbers[common], weights=times))
        deviation = float(np.sqrt(np.average((numbers[common] - mean) ** 2, weights=times)))
        distance = float(np.sqrt(((numbers[apart] - mean) ** 2).sum()))
        off = error / (2 * distance) if distance**2 > error else np.sqrt(error)
        allowed = max(self.per_cent / 100 * float(np.abs(numbers[apart]).min()), self.share * deviation)
        return bool(off <= allowed)

    def _finding(self, first: Case, second: Case, spread: Spread, group: int, apart: Mask) -> Finding:
        n = first.table.count(apart)
        who = "1 person" if n == 1 else f"{n} people"
        sentence = (
            f"The spread of {spread.about[0]} is stated for people who differ by {who}: how far they lie from the mean "
            f"is the difference, printed precisely enough to tell it."
        )
        severity = self.severity if n == 1 else Severity.REVIEW
        label = spread.behind.label(group, first.labels)
        return Finding(self.name, severity, (first.number, second.number), (label,), sentence, apart)


def _few_apart(case: Case, one: Spread, other: Spread, most: int) -> Iterator[tuple[int, int, Mask]]:
    """Groups of both that share people and differ by a few, with those few."""
    a, b = one.behind.group, other.behind.group
    times = case.table.times
    sizes = [np.bincount(g[g >= 0], times[g >= 0], minlength=1) for g in (a, b)]
    both = (a >= 0) & (b >= 0)
    width = int(b.max(initial=0)) + 1
    pairs, place = np.unique(a[both] * width + b[both], return_inverse=True)
    shared = np.bincount(place, times[both], minlength=len(pairs))
    for pair, n in zip(pairs.tolist(), shared.tolist(), strict=True):
        g, h = divmod(pair, width)
        if 0 < sizes[0][g] + sizes[1][h] - 2 * n <= most:
            yield g, h, (a == g) != (b == h)
