"""Class disclosure: all of a group, or all but k, have the same value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class ClassDisclosure(Rule):
    """k-disclosure: a margin p of a variable and one of its cells c with |p| − k ≤ |c|: all but k of p are in c."""

    name: ClassVar[str] = "class disclosure"
    asks: ClassVar[str] = "No group may have everybody, or everybody but k, in one cell."
    source: ClassVar[str] = "|p| − k ≤ |c|, not strict: Handbook on SDC 2025, group disclosure; GaussSuppression"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    k: Annotated[int, "How many of the group may know their own value: 0 outsiders, 1 an insider."] = 0
    sensitive: Annotated[str | None, "The variable that nobody's value of may be told; none: each in turn."] = None

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("count", "share"):
            if len(behind.shape) < 2:
                continue
            n = case.units(behind).reshape(behind.shape)
            full = np.zeros(behind.shape, dtype=bool)
            for axis, (name, size) in enumerate(zip(behind.names, behind.shape, strict=True)):
                if size > 1 and self.sensitive in (None, name):
                    margin = n.sum(axis=axis, keepdims=True)
                    full |= (margin - self.k <= n) & (n > 0)
            sentence = "{n} cell{s} with everybody of a group" + (f", or all but {self.k}." if self.k else ".")
            found += self.breach(case, behind, full.ravel() & case.shown(behind), sentence)
        return found
