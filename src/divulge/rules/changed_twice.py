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
    and the mean of several draws is nearer to the count than any of them. A cell is the same where it has the same
    name, or counts the same people by another name: under another condition, or of coarser groups."""

    name: ClassVar[str] = "changed twice"
    asks: ClassVar[str] = "A cell that is rounded at random or perturbed must be printed alike wherever it is printed."
    source: ClassVar[str] = "Handbook on SDC 2025, cell keys; Fraser & Wooton 2005; Dinur & Nissim 2003"
    remedy: ClassVar[str] = "Print the cell as it was printed before: the same method with the same seed."
    severity: ClassVar[Severity] = Severity.REFUSE

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        changed = [_cells(case) for case in cases if case.output.method is not None]
        return [f for first, second in combinations(changed, 2) for f in self._between(first, second)]

    def _between(self, first: _Cells, second: _Cells) -> list[Finding]:
        one, other = first.case, second.case
        is_same = one.output.where == other.output.where
        if is_same and one.output.method == other.output.method:
            return []
        by_name = {_parts(label): k for k, label in enumerate(second.labels)} if is_same else {}
        by_people = {people: k for k, people in enumerate(second.people) if people}
        differ = []
        for k, label in enumerate(first.labels):
            same = by_name.get(_parts(label), by_people.get(first.people[k]))
            if same is not None and second.values[same] != first.values[k]:
                differ.append(label)
        if not differ:
            return []
        noun = "cell is" if len(differ) == 1 else "cells are"
        sentence = f"{len(differ):,} {noun} printed twice, changed at random each time on its own."
        nobody = np.zeros(one.table.n_rows, dtype=bool)
        return [Finding(self.name, self.severity, (one.number, other.number), tuple(differ), sentence, nobody)]


@dataclass(frozen=True, eq=False)
class _Cells:
    """The printed counts of an output. people: a number for the people in each, whatever names it has; 0: nobody."""

    case: Case
    labels: tuple[str, ...]
    values: tuple[float, ...]
    people: tuple[int, ...]


def _cells(case: Case) -> _Cells:
    n = case.table.n_rows
    # Two different groups have the same number once in 2⁶³ times.
    row = np.random.default_rng(0).integers(1, 2**63 - 1, n)  # any seed: the numbers only tell rows apart
    people: dict[int, int] = {}
    for count in case.of("count"):
        number = np.zeros(count.n_groups + 1, dtype=np.int64)
        np.bitwise_xor.at(number, count.group, row)
        people |= dict(zip(count.figures.tolist(), number[:-1].tolist(), strict=True))
    shown = [i for i, value in enumerate(case.released.values.tolist()) if np.isfinite(value)]
    values = case.released.values[shown].tolist()
    return _Cells(case, tuple(case.labels[i] for i in shown), tuple(values), tuple(people.get(i, 0) for i in shown))


def _parts(label: str) -> tuple[str, ...]:
    """A cell by its parts, in whatever order they stand."""
    return tuple(sorted(part.strip() for part in label.split("&")))
