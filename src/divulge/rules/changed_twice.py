"""Changed twice: the same counts rounded or perturbed independently more than once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class ChangedTwice(Rule):
    """A cell that is printed twice with different random changes: two intervals have less in common than each is wide,
    and the mean of several draws is nearer to the count than any of them."""

    name: ClassVar[str] = "changed twice"
    asks: ClassVar[str] = "A cell that is rounded at random or perturbed must be printed alike wherever it is printed."
    source: ClassVar[str] = "Handbook on SDC 2025, cell keys; Fraser & Wooton 2005; Dinur & Nissim 2003"
    remedy: ClassVar[str] = "Print the cell as it was printed before: the same method with the same seed."
    severity: ClassVar[Severity] = Severity.REFUSE

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        changed = [c for c in cases if c.output.method is not None]
        for first, second in combinations(changed, 2):
            if first.output.where != second.output.where or first.output.method == second.output.method:
                continue
            other = {_cell(label): v for label, v in zip(second.labels, second.released.values.tolist(), strict=True)}
            own = zip(first.labels, first.released.values.tolist(), strict=True)
            differ = [label for label, v in own if np.isfinite(other.get(_cell(label), np.nan)) and np.isfinite(v)]
            differ = [label for label in differ if other[_cell(label)] != _value(first, label)]
            if differ:
                noun = "cell is" if len(differ) == 1 else "cells are"
                sentence = f"{len(differ):,} {noun} printed twice, changed at random each time on its own."
                nobody = np.zeros(first.table.n_rows, dtype=bool)
                numbers = (first.number, second.number)
                found.append(Finding(self.name, self.severity, numbers, tuple(differ), sentence, nobody))
        return found


def _cell(label: str) -> tuple[str, ...]:
    """A cell by its parts, in whatever order they stand."""
    return tuple(sorted(part.strip() for part in label.split("&")))


def _value(case: Case, label: str) -> float:
    return float(case.released.values[case.labels.index(label)])
