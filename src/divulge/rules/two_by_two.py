"""Two by two: a correlation or χ² of two variables with two values each is as good as their four counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class TwoByTwo(Rule):
    """φ = (n k − a b) / √(a (n − a) b (n − b)), and χ² = n φ²: of n people a have the one value, b the other, k both.

    Pearson's, Spearman's and Kendall's correlations of 0 and 1 are all φ (Yule 1912). How many people have each value
    is taken as known; the printed figure then belongs to one k, if it has enough digits.
    """

    name: ClassVar[str] = "two by two"
    asks: ClassVar[str] = "No correlation or χ² of two variables with two values may tell a count of few people."
    source: ClassVar[str] = "0 < n < t, strict, as for tables: Green, Ritchie & White 2024; Yule 1912"
    remedy: ClassVar[str] = "Leave this figure out, or print fewer digits."
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.TESTS, Statbarn.MODELS)

    fewest: Annotated[int, "Counts of fewer people are too small."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        if case.output.weights is not None:
            return found
        if case.output.kind == "chi-squared":
            whole = next(iter(case.of("test")), None)
            figure = next((k for k, label in enumerate(case.labels) if label == "statistic"), -1)
            asked = [(case.output.own_variables(), whole, figure)] if whole is not None and figure >= 0 else []
        else:
            pairs = combinations(case.output.responses(), 2)
            asked = [(pair, b, int(b.figures[0])) for pair, b in zip(pairs, case.of("correlation"), strict=False)]
        for names, behind, figure in asked:
            found += self._of_pair(case, names, behind, figure)
        return found

    def _of_pair(self, case: Case, names: tuple[str, ...], behind: Behind, figure: int) -> list[Finding]:
        rows = behind.group >= 0
        numbers = [np.unique(case.table[name][rows], return_inverse=True) for name in names]
        if any(len(values) != 2 for values, _ in numbers):
            return []
        cell = np.full(len(rows), -1)
        cell[rows] = 2 * numbers[0][1].ravel() + numbers[1][1].ravel()
        counts: Floats = np.bincount(cell[rows], case.table.times[rows], minlength=4).astype(np.float64)
        few = (counts > 0) & (counts < self.fewest)
        if not few.any() or not self._is_told(case, counts, figure):
            return []
        people = np.append(few, False)[cell]
        sentence = (
            f"A figure tells how many people have each of two values of {names[0]} and of {names[1]}: fewer than "
        )
        sentence += f"{self.fewest} somewhere."
        return [Finding(self.name, self.severity, (case.number,), (case.labels[figure],), sentence, people)]

    def _is_told(self, case: Case, counts: Floats, figure: int) -> bool:
        """Whether no other counts with the same margins are printed alike."""
        n, a, b = counts.sum(), counts[2] + counts[3], counts[1] + counts[3]
        both: Integers = np.arange(max(0.0, a + b - n), min(a, b) + 1).astype(np.int64)
        away = n * both - a * b
        is_test = case.output.kind == "chi-squared"
        if is_test and getattr(case.output, "correction", False):
            away = np.maximum(np.abs(away) - n / 2, 0.0)
        phi = away / np.sqrt(a * (n - a) * b * (n - b))
        values = n * phi**2 if is_test else phi
        released = case.released
        alike: Mask = (values >= released.low[figure] - 1e-12) & (values <= released.high[figure] + 1e-12)
        return int(alike.sum()) == 1
