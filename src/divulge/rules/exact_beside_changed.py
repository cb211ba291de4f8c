"""Exact beside changed: means or shares of the people whose count was rounded or perturbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.rules.rule import Finding, Rule, Severity

_RATIOS = ("mean", "share", "ratio", "sd", "variance")
"""What is divided by the number of people, so that its digits tell something about that."""


@dataclass(frozen=True, kw_only=True)
class ExactBesideChanged(Rule):
    """A mean of whole numbers is a fraction with the true count below: beside a perturbed count it gives the count
    away. Means have to be computed from what is printed."""

    name: ClassVar[str] = "exact beside changed"
    asks: ClassVar[str] = "Where a count is rounded or perturbed, no exact mean or share of the same people is printed."
    source: ClassVar[str] = "Handbook on SDC 2025, section 5.7 (means of perturbed cells)"
    remedy: ClassVar[str] = "Leave the means out, or compute them from the counts that are printed."
    severity: ClassVar[Severity] = Severity.REFUSE

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        for changed in (c for c in cases if c.output.method is not None):
            for other in cases:
                if other is changed or other.output.method is not None:
                    continue
                labels = self._given_away(changed, other)
                if labels:
                    noun = "count is" if len(labels) == 1 else "counts are"
                    sentence = (
                        f"{len(labels):,} changed {noun} printed beside exact means or shares of the same people."
                    )
                    nobody = np.zeros(changed.table.n_rows, dtype=bool)
                    numbers = (changed.number, other.number)
                    found.append(Finding(self.name, self.severity, numbers, labels, sentence, nobody))
        return found

    def _given_away(self, changed: Case, other: Case) -> tuple[str, ...]:
        """The changed counts whose people another output has a mean or a share of."""
        for ratio in other.of(*_RATIOS):
            for count in changed.of("count"):
                if count.n_groups == ratio.n_groups and np.array_equal(count.group, ratio.group):
                    held = changed.rows(count) > 0
                    shown = held & changed.shown(count) & other.shown(ratio)
                    return tuple(count.label(g, changed.labels) for g in np.flatnonzero(shown).tolist())
        return ()
