"""Two regressions whose people differ by a few: their coefficients give the responses of those few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity

_BLOCK = 50_000
"""Rows of the design that are held at once."""


@dataclass(frozen=True, kw_only=True)
class NestedModels(Rule):
    """The same model on all and on all but a few.

    The normal equations of a linear model are X'X b = X'y. Taken on both sets of people and subtracted, they leave
    X₁'X₁ b₁ − X₂'X₂ b₂ = D'y with D the rows of those in between (of one person: (X'X)(b₁ − b₂) = x (y − x'b₂); Ritchie
    2006). Who has the predictors of these people, and the second moments, solves it for y as precisely as the
    coefficients are printed.
    """

    name: ClassVar[str] = "nested models"
    asks: ClassVar[str] = "No two regressions of the same form may be fitted to people who differ by a few."
    source: ClassVar[str] = (
        "0 < n₁ − n₂ < t, strict: Ritchie 2006, differencing of regressions; Eurostat guidelines 2015"
    )
    remedy: ClassVar[str] = "Release one of the two regressions, or print fewer decimals."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS,)

    fewest: Annotated[int, "Differences of fewer people are too small."] = 10
    share: Annotated[float, "A response is given away where it follows to within this share of the spread."] = 0.05

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found = [self._between(more, fewer) for more, fewer in permutations(cases, 2)]
        return [finding for finding in found if finding is not None]

    def _between(self, more: Case, fewer: Case) -> Finding | None:
        """Those who are in the one model and not in the other, where these are few."""
        same = more.output.kind == fewer.output.kind and more.labels == fewer.labels
        if not same or more.output.own_variables() != fewer.output.own_variables():
            return None
        first, second = (next(iter(case.of("model")), None) for case in (more, fewer))
        if first is None or second is None:
            return None
        inside, within = first.group >= 0, second.group >= 0
        people = inside & ~within
        n = more.table.count(people)
        if (within & ~inside).any() or not 0 < n < self.fewest:
            return None
        error = self._error(more, fewer, np.flatnonzero(inside), more.table.rows_of_people(people))
        severity = Severity.REVIEW
        who = "1 person" if n == 1 else f"{n} people"
        sentence = f"Two regressions of the same form differ by {who}"
        if error is not None and error <= self.share:
            severity = self.severity
            sentence += (
                f". What X'X b is of the one less what it is of the other gives the response of each to within "
                f"{max(100 * error, 0.1):.1f} % of the spread"
            )
        return Finding(self.name, severity, (more.number, fewer.number), ("all coefficients",), sentence + ".", people)

    def _error(self, more: Case, fewer: Case, rows: Integers, between: Integers) -> float | None:
        """How precisely the responses follow, in standard deviations of the response; None where they do not."""
        stated = next((s for s in more.stated if s.link == "linear"), None)
        if stated is None or stated.is_weighted:
            return None
        design = stated.columns(between)
        width = design.shape[1]
        moments = np.zeros((width, width))
        times = more.table.times[rows]
        for start in range(0, len(rows), _BLOCK):
            block = stated.columns(rows[start : start + _BLOCK])
            moments += block.T @ (block * times[start : start + _BLOCK, None])
        if np.linalg.matrix_rank(design) < len(between):
            return None
        # D'y is known as precisely as both coefficient vectors are printed; solved along the directions of the design.
        solve = np.linalg.solve(design @ _inverse(moments) @ design.T, design @ _inverse(moments))
        first, second = more.released.half[:width], fewer.released.half[:width]
        if not (np.isfinite(first) & np.isfinite(second)).all():
            return None
        error = np.abs(solve @ moments) @ first + np.abs(solve @ (moments - design.T @ design)) @ second
        own = stated.own[rows]
        deviation = float(np.sqrt(np.average((own - np.average(own, weights=times)) ** 2, weights=times)))
        return float(error.max()) / deviation if deviation > 0 else None


def _inverse(moments: Floats) -> Floats:
    return np.asarray(np.linalg.pinv(moments, hermitian=True), dtype=np.float64)
