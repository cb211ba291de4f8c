"""A standard deviation that one person makes: its sum of squares is nearly the square of how far that person lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.largest import largest_by_group
from divulge.outputs import Statbarn
from divulge.outputs.lowering.rows import row_weights
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class DominatedSpread(Rule):
    """√(S − d₂²) < (1 + p %) d₁ with S the sum of squared deviations from the mean and d₁, d₂ the largest two.

    S = (n − 1) s² follows from the standard deviation. Whoever lies second farthest takes their own away; what is left
    is nearly how far the farthest lies: the p % rule on squares.
    """

    name: ClassVar[str] = "dominated spread"
    asks: ClassVar[str] = "No standard deviation may tell how far one person lies from the others."
    source: ClassVar[str] = "√(S − d₂²) − d₁ < p/100 d₁, strict: the p % rule (Handbook on SDC 2025) on squares"
    remedy: ClassVar[str] = "Leave the outlier out or cap it, or withhold the standard deviation."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.SHAPE,)

    per_cent: Annotated[float, "How closely nobody's distance may be estimated: p."] = 10.0

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("sd", "variance"):
            inside = behind.group >= 0
            group, value = behind.group[inside], case.numbers(behind)[inside]
            weight = row_weights(case.output, case.table)[inside]
            with np.errstate(invalid="ignore"):
                mean = np.bincount(group, weight * value, behind.n_groups) / np.bincount(group, weight, behind.n_groups)
            far = np.sqrt(weight) * np.abs(value - mean[group])
            largest = largest_by_group(group, far, behind.n_groups, 2)
            squares = np.bincount(group, far**2, minlength=behind.n_groups)
            left = np.sqrt(np.maximum(squares - largest[:, 1] ** 2, 0.0)) - largest[:, 0]
            near = (left < self.per_cent / 100 * largest[:, 0]) & (largest[:, 0] > 0) & (case.rows(behind) > 2)
            sentence = (
                "{n} figure{s} of a spread that one person makes: how far they lie from the others follows to within "
                f"{self.per_cent:g} %."
            )
            found += self.breach(case, behind, near & case.shown(behind), sentence)
        return found
