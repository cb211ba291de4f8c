"""Changed twice: the same counts rounded or perturbed independently more than once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from divulge.contributions import Case
from divulge.contributions.averaging import Averaging, people_keys
from divulge.kernels.arrays import Integers, Mask
from divulge.rules.rule import Finding, Rule, Severity

_MOST_ASKED = 100
"""Small groups that are asked about, those of fewest people first."""

_SLACK = 1e-6
"""Room for arithmetic where so many draws are wanted exactly."""


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

    fewest: Annotated[int, "Of groups of fewer people it is asked whether several changed counts tell them."] = 10
    draws: Annotated[float, "They do where their best mean is as near as so many draws of what one output tells."] = 2.0
    alone: Annotated[float, "The cells and margins of one table do where it is as near as so many draws."] = 4.0

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        changed = [_cells(case) for case in cases if case.output.method is not None]
        found = [f for first, second in combinations(changed, 2) for f in self._between(first, second)]
        return found or self._averaged(cases)

    def _averaged(self, cases: Sequence[Case]) -> list[Finding]:
        """Small groups that the mean of several changed counts tells, and of what exact ones leave for them."""
        drawn = [c for c in cases if c.output.method is not None and c.output.method.is_drawn]
        asked = _small_groups(drawn, self.fewest)
        if not asked:
            return []
        told, groups = Averaging(cases), [one.rows for one in asked]
        alone = {case.number: told.draws(groups, [case.number]) for case in drawn}
        found = [
            self._near(asked, n, [case]) for case in drawn if (n := alone[case.number] >= self.alone - _SLACK).any()
        ]
        together = told.draws(groups, [case.number for case in cases])
        near = together >= self.draws * np.maximum(np.max([*alone.values()], axis=0), 1.0) - _SLACK
        return found or ([self._near(asked, near, _needed(told, asked, near, cases))] if near.any() else [])

    def _near(self, asked: Sequence[_Small], which: Mask, cases: Sequence[Case]) -> Finding:
        few = [asked[i] for i in np.flatnonzero(which).tolist()]
        people = np.zeros(cases[0].table.n_rows, dtype=bool)
        people[np.concatenate([one.rows for one in few])] = True
        groups = f"{len(few):,} group{' is' if len(few) == 1 else 's are'}"
        of = "of one table and its margins" if len(cases) == 1 else "of several tables"
        sentence = (
            f"{groups} told by counts {of}, changed at random each on its own: their best mean is as near as if a cell "
            f"were printed {'four times' if len(cases) == 1 else 'twice'}."
        )
        numbers, names = tuple(sorted(case.number for case in cases)), tuple(dict.fromkeys(one.names for one in few))
        return Finding(self.name, Severity.REVIEW, numbers, names, sentence, people)

    def _between(self, first: _Cells, second: _Cells) -> list[Finding]:
        one, other = first.case, second.case
        is_same = one.output.where == other.output.where
        by_name = {_parts(label): k for k, label in enumerate(second.labels)} if is_same else {}
        by_people = {people: k for k, people in enumerate(second.people) if people}
        if is_same and one.output.method == other.output.method and not {*first.people} - {0} <= by_people.keys():
            return []  # no table of the same people in other words
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
        people |= dict(zip(count.figures.tolist(), people_keys(case, count).tolist(), strict=True))
    shown = [i for i, value in enumerate(case.released.values.tolist()) if np.isfinite(value)]
    values = case.released.values[shown].tolist()
    return _Cells(case, tuple(case.labels[i] for i in shown), tuple(values), tuple(people.get(i, 0) for i in shown))


def _parts(label: str) -> tuple[str, ...]:
    """A cell by its parts, in whatever order they stand."""
    return tuple(sorted(part.strip() for part in label.split("&")))


class _Small(NamedTuple):
    """A group of few people. names: of the variables that make it; rows: who it is."""

    names: str
    rows: Integers


def _small_groups(cases: Sequence[Case], fewest: int) -> list[_Small]:
    """The small groups of each table, and those by the variables that two of them share; the smallest first."""
    found: list[tuple[int, _Small]] = []
    counted = [(case, behind) for case in cases for behind in case.of("count") if behind.shape]
    seen = set()
    for (one, behind), (other, beside) in [(t, t) for t in counted] + list(combinations(counted, 2)):
        names = tuple(name for name in behind.names if name in beside.names)
        key = (frozenset(names), one.output.where)
        if not names or key in seen or one.output.where != other.output.where:
            continue
        seen.add(key)
        at = np.unravel_index(np.maximum(behind.group, 0), behind.shape)
        kept = [behind.names.index(name) for name in names]
        group = np.ravel_multi_index([at[i] for i in kept], [behind.shape[i] for i in kept])
        inside = behind.group >= 0
        people = one.table.tally(group, int(group.max(initial=-1)) + 1, inside)
        for g in np.flatnonzero((people > 0) & (people < fewest)).tolist():
            found.append((int(people[g]), _Small(" × ".join(names), np.flatnonzero(inside & (group == g)))))
    return [small for _, small in sorted(found, key=lambda pair: pair[0])[:_MOST_ASKED]]


def _needed(told: Averaging, asked: Sequence[_Small], near: Mask, cases: Sequence[Case]) -> list[Case]:
    """The outputs without which some of these groups would be told less."""
    groups = [asked[i].rows for i in np.flatnonzero(near).tolist()]
    whole = told.draws(groups, [case.number for case in cases])
    return [
        one
        for one in cases
        if (told.draws(groups, [case.number for case in cases if case is not one]) < whole - _SLACK).any()
    ]
