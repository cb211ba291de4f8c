"""Class disclosure: all of a group, or all but k, have the same value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Integers, Mask
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class ClassDisclosure(Rule):
    """k-disclosure: a margin p of a variable and one of its cells c with |p| − k ≤ |c|: all but k of p are in c."""

    name: ClassVar[str] = "class disclosure"
    asks: ClassVar[str] = "No group may have everybody, or everybody but k, in one cell."
    source: ClassVar[str] = "|p| − k ≤ |c|, not strict: Handbook on SDC 2025, group disclosure; GaussSuppression"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    k: Annotated[int, "How many of the group may know their own value: 0 outsiders, 1 an insider."] = 0
    sensitive: Annotated[str | None, "The variable that nobody's value of may be told; none: each in turn."] = None
    fewest: Annotated[int, "Groups of fewer people count however common the value is."] = 10
    rarest: Annotated[
        float,
        "Larger groups count where at most this share of all people have the value, unless every group has one value "
        "only: then one variable defines the other. 1: always.",
    ] = 1.0

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("count", "share"):
            if len(behind.shape) < 2:
                continue
            n = case.units(behind).reshape(behind.shape)
            full, counts = np.zeros(behind.shape, dtype=bool), np.zeros(behind.shape, dtype=bool)
            for axis, (name, size) in enumerate(zip(behind.names, behind.shape, strict=True)):
                if size > 1 and self.sensitive in (None, name):
                    alike, is_news = self._alike(n, axis)
                    full |= alike
                    counts |= alike & is_news
            shown = case.shown(behind) & ~case.leaves_open(behind, 1)
            sentence = "Class disclosure: {n} cell{s} with everybody of a group" + (
                f", or all but {self.k}." if self.k else "."
            )
            found += self.breach(case, behind, counts.ravel() & shown, sentence)
            others = self.breach(case, behind, (full & ~counts).ravel() & shown, sentence)
            found += [replace(f, severity=Severity.NOTE) for f in others]
        return found

    def _alike(self, n: Integers, axis: int) -> tuple[Mask, Mask]:
        """Cells with everybody (but k) of a group, and whether that says more than what a variable means."""
        group = n.sum(axis=axis, keepdims=True)
        alike = (group - self.k <= n) & (n > 0)
        others = tuple(a for a in range(n.ndim) if a != axis)
        share = n.sum(axis=others, keepdims=True) / max(int(n.sum()), 1)
        is_definition = bool((alike.any(axis=axis, keepdims=True) | (group == 0)).all())
        is_news = (group < self.fewest) | (self.rarest >= 1) | ((share <= self.rarest) & (not is_definition))
        return alike, np.broadcast_to(is_news, n.shape)
