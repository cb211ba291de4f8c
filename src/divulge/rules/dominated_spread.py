"""A spread that one person makes: its sum of squares is nearly the square of how far that person lies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Mask
from divulge.kernels.largest import largest_by_group
from divulge.outputs import Statbarn
from divulge.outputs.spreads import Spread
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class DominatedSpread(Rule):
    """√(S − d₂²) < (1 + p %) d₁ with S the sum of squared deviations from the mean and d₁, d₂ the largest two.

    S = (n − 1) s² follows from the standard deviation, from the sums of squares of an analysis of variance, and from
    what a regression prints of its fit. Whoever lies second farthest takes their own away; what is left is nearly how
    far the farthest lies: the p % rule on squares. Of fourth powers, which a kurtosis gives, one person makes more
    still; of cubes, of which a skewness is made, others cancel each other.
    """

    name: ClassVar[str] = "dominated spread"
    asks: ClassVar[str] = "No standard deviation, sum of squares or kurtosis may tell how far one person lies."
    source: ClassVar[str] = "√(S − d₂²) − d₁ < p/100 d₁, strict: the p % rule (Handbook on SDC 2025) on squares"
    remedy: ClassVar[str] = "Leave the outlier out or cap it, or withhold what states the spread."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.SHAPE, Statbarn.MODELS, Statbarn.TESTS)

    per_cent: Annotated[float, "How closely nobody's distance may be estimated: p."] = 10.0

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for spread in case.spreads:
            behind = spread.behind
            near, farthest = self._near(case, spread)
            sentence = (
                "{n} figure{s} of a spread that one person makes: how far they lie from "
                f"{'what is predicted of them' if spread.is_left else 'the others'} follows to within "
                f"{self.per_cent:g} %."
            )
            for finding in self.breach(case, behind, near & case.shown(behind), sentence):
                found.append(replace(finding, people=finding.people & farthest))
        return found

    def _near(self, case: Case, spread: Spread) -> tuple[Mask, Mask]:
        """The groups whose farthest person is told, and who lies farthest in each."""
        behind, power = spread.behind, spread.power
        inside = behind.group >= 0
        group, away = behind.group[inside], spread.away[inside]
        times = case.table.times[inside]
        twice = np.repeat(np.arange(len(away)), np.minimum(times, 2).astype(np.int64))
        far = np.abs(away)
        first, second = largest_by_group(group[twice], far[twice], behind.n_groups, 2).T
        # Cubes on either side cancel, and nobody can know how far: one person must outweigh those of all others.
        total = np.bincount(group, times * far**power, minlength=behind.n_groups)
        # Of cubes nobody takes their own away: it is not said on which side others lie.
        left = total - (second**power if power % 2 == 0 else 0.0)
        off = np.maximum(
            np.abs(_root(left + spread.error, power) - first), np.abs(_root(left - spread.error, power) - first)
        )
        near = (off < self.per_cent / 100 * first) & (first > 0) & (case.rows(behind) > 2)
        farthest = np.zeros(case.table.n_rows, dtype=bool)
        farthest[inside] = far >= first[group]
        return near, farthest


def _root(total: Floats, power: int) -> Floats:
    return np.asarray(np.maximum(total, 0.0) ** (1 / power))
