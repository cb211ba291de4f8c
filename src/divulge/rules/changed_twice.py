"""Changed twice: the same counts rounded or perturbed independently more than once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
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

    fewest: Annotated[int, "Of groups of fewer people it is asked whether sums of finer tables tell them."] = 10
    draws: Annotated[float, "They do where their mean is as near as that of so many draws."] = 2.0

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        changed = [_cells(case) for case in cases if case.output.method is not None]
        found = [f for first, second in combinations(changed, 2) for f in self._between(first, second)]
        return found or self._averaged(
            [c.case for c in changed if c.case.output.method and c.case.output.method.is_drawn]
        )

    def _averaged(self, cases: Sequence[Case]) -> list[Finding]:
        """Small groups whose count is the sum of changed cells of several tables: of k cells the sum varies k times as
        much as one, and the best mean of all sums as one draw less than Σ 1/k (Aitken 1935)."""
        tables = [_Parts(case, behind) for case in cases for behind in case.of("count")]
        found: list[Finding] = []
        for group, label in _groups_told(tables) if len(cases) > 1 else ():
            people = cases[0].table.tally(group, int(group.max(initial=-1)) + 1, group >= 0)
            small = (people > 0) & (people < self.fewest)
            if not small.any():
                continue
            worth, told = np.zeros(len(people)), list[Integers]()
            numbers = set()
            for parts in tables:
                share, partition = parts.of(group, people)
                for seen in told:
                    share = np.where(seen == partition, 0.0, share)
                told.append(partition)
                worth += share
                numbers |= {parts.case.number} if (share > 0).any() else set()
            few = small & (worth >= self.draws)
            if few.any() and len(numbers) > 1:
                n = int(few.sum())
                sentence = (
                    f"{n:,} group{' is the sum' if n == 1 else 's are sums'} of cells of several tables, changed at "
                    "random each on its own: the mean of the sums is as near as if a cell were printed twice."
                )
                inside = np.append(few, False)[group]
                found.append(Finding(self.name, Severity.REVIEW, tuple(sorted(numbers)), (label,), sentence, inside))
        return found[:1]

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
    people: dict[int, int] = {}
    for count in case.of("count"):
        people |= dict(zip(count.figures.tolist(), _numbers(case, count).tolist(), strict=True))
    shown = [i for i, value in enumerate(case.released.values.tolist()) if np.isfinite(value)]
    values = case.released.values[shown].tolist()
    return _Cells(case, tuple(case.labels[i] for i in shown), tuple(values), tuple(people.get(i, 0) for i in shown))


def _parts(label: str) -> tuple[str, ...]:
    """A cell by its parts, in whatever order they stand."""
    return tuple(sorted(part.strip() for part in label.split("&")))


class _Parts(NamedTuple):
    """The changed cells of one division of people."""

    case: Case
    behind: Behind

    def of(self, group: Integers, people: Integers) -> tuple[Floats, Integers]:
        """For each group 1/k where it is the sum of k printed cells, else 0; and a number for these cells."""
        behind, n = self.behind, len(people)
        inside = behind.group >= 0
        cells = self.case.table.tally(behind.group, behind.n_groups, inside)
        home = np.full(behind.n_groups, -1)
        home[behind.group[inside]] = group[inside]
        strays = np.zeros(behind.n_groups, dtype=bool)
        strays[behind.group[inside & (group != home[behind.group])]] = True
        held = (home >= 0) & ~strays & (cells > 0) & self.case.shown(behind)
        k = np.bincount(home[held], minlength=n)
        whole = (k > 0) & (np.bincount(home[held], cells[held], minlength=n) == people)
        number = _numbers(self.case, behind)
        partition = np.zeros(n, dtype=np.int64)
        # Squared, so that two divisions of the same people have different numbers.
        np.add.at(partition, home[held], number[held] * number[held])
        return np.where(whole, 1.0 / np.maximum(k, 1), 0.0), partition


def _groups_told(tables: Sequence[_Parts]) -> Iterator[tuple[Integers, str]]:
    """The groups of each table, and those by the variables that two of them share; each set of names once."""
    seen = set()
    for one, other in [(t, t) for t in tables] + list(combinations(tables, 2)):
        names = tuple(name for name in one.behind.names if name in other.behind.names)
        where = one.case.output.where
        key = (frozenset(names), where)
        if not names or key in seen or where != other.case.output.where or not one.behind.shape:
            continue
        seen.add(key)
        at = np.unravel_index(np.maximum(one.behind.group, 0), one.behind.shape)
        kept = [one.behind.names.index(name) for name in names]
        group = np.ravel_multi_index([at[i] for i in kept], [one.behind.shape[i] for i in kept])
        is_inside: Mask = one.behind.group >= 0
        yield np.where(is_inside, group, -1).astype(np.int64), " × ".join(names)


def _numbers(case: Case, behind: Behind) -> Integers:
    """A number for the people in each group, whatever names it has; 0: nobody."""
    # Two different groups have the same number once in 2⁶³ times.
    row = np.random.default_rng(0).integers(1, 2**63 - 1, case.table.n_rows)  # any seed: it only tells rows apart
    number = np.zeros(behind.n_groups + 1, dtype=np.int64)
    np.bitwise_xor.at(number, behind.group, row)
    return number[:-1]
