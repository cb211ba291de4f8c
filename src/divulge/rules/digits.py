"""More digits than the size of a group warrants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class Digits(Rule):
    """A mean or share of n people printed to less than a tenth of what one person can change: 1/(10 n) of the range."""

    name: ClassVar[str] = "digits"
    asks: ClassVar[str] = "A figure should not have digits that only one person's value can move."
    source: ClassVar[str] = "unit < range / (10 n), strict: a rule of ours; see the stronger intruder of the audit"
    severity: ClassVar[Severity] = Severity.NOTE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.AGGREGATES, Statbarn.FREQUENCIES)

    factor: Annotated[float, "How many times finer than one person's weight a figure may be printed."] = 10.0

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("mean"):
            assert behind.variable is not None, "a mean is one of a variable"
            numbers = case.table.schema[behind.variable].numbers
            spread = float(np.nanmax(numbers) - np.nanmin(numbers))
            n = case.rows(behind)
            unit = 2 * case.released.half[behind.figures]
            fine = (n > 0) & (unit * self.factor * n < spread * (1 - 1e-9)) & case.shown(behind)
            found += self.breach(case, behind, fine, "{n} figure{s} with digits that one person's value moves.")
        return found
