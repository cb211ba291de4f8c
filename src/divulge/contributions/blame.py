"""Blame: which figures and which levels give the exposed away. Never a row, and no level that is too small to name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.behind import Behind

SHARE = 0.5
"""Figures that carry at least this much of the blame together are those that mostly give somebody away."""

_LONGEST = 120
"""Characters of the figures that a sentence names, where it cannot name all of them."""

_NAMED = 0.5
"""What figures weigh together that a rule or a proof names: less than one that an exposed person stands behind."""

MOST_NAMED = 3
"""Figures that a sentence names."""


@dataclass(frozen=True, eq=False)
class Blame:
    """figures: how much of what gives those at risk away goes with each figure. levels: (variable, level, at risk,
    people). n_at_risk: how many they are altogether."""

    figures: Floats
    levels: tuple[tuple[str, str, int, int], ...]
    n_at_risk: int = 0

    @property
    def grades(self) -> list[int]:
        """A grade for each figure: 2 among the fewest that carry half of the blame, 1 with a part in it, else 0."""
        order = np.argsort(-self.figures, kind="stable")
        before = np.cumsum(self.figures[order]) - self.figures[order]
        found = np.zeros(len(self.figures), dtype=int)
        found[order] = np.where(before < SHARE * self.figures.sum(), 2, 1)
        # Figures alike are to blame alike, whichever stands first.
        least = self.figures[found == 2].min(initial=np.inf)
        found[self.figures >= least] = 2
        found[self.figures <= 0] = 0
        return [int(grade) for grade in found]

    def told_levels(self, smallest_group: int) -> list[dict[str, Any]]:
        """The levels that so many people at risk or more have, those of whom most are at risk first."""
        counts: dict[str, list[int]] = {}
        for name, _, n, _ in self.levels:
            counts.setdefault(name, []).append(n)
        least = {name: fewest_told(every, self.n_at_risk, smallest_group) for name, every in counts.items()}
        return [
            {"variable": name, "level": level, "exposed": n, "people": size}
            for name, level, n, size in self.levels
            if n >= least[name]
        ]

    def sentence(self, labels: Sequence[str]) -> str:
        """Which figures it mostly is; nothing where none is to blame."""
        grades = self.grades
        mostly = [i for i in np.argsort(-self.figures, kind="stable").tolist() if grades[i] == 2]
        if not mostly:
            return ""
        named = [labels[i] for i in mostly[:MOST_NAMED]]
        while len(mostly) > MOST_NAMED and len(named) > 1 and sum(map(len, named)) > _LONGEST:
            named.pop()
        if len(mostly) > MOST_NAMED:
            return f"Spread over {len(mostly):,} figures, among them {listed(named)}".removesuffix(".") + "."
        return f"Mostly the figure{'s' if len(named) > 1 else ''} {listed(named)}".removesuffix(".") + "."


def listed(names: Sequence[str], separator: str = "; ") -> str:
    """`a; b and c`."""
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"


def fewest_told(counts: Sequence[int], total: int, smallest_group: int) -> float:
    """How many people a group must have to be told. counts: of all groups of a variable; total: of everybody.

    Whoever knows the total subtracts what is told: those who are left are none, or a group that is large enough too.
    """
    told = sorted(n for n in counts if n >= smallest_group)
    while told and 0 < total - sum(told) < smallest_group:
        told = [n for n in told if n > told[0]]
    return told[0] if told else np.inf


def find_blame(case: Case, at_risk: Mask, named: Sequence[str] = ()) -> Blame:
    """What gives those at risk away, by figure and by level. named: figures that a rule or the audit names anyhow.

    Without its cell nothing is left of what a table says of somebody: each counts once in the finest cell that holds
    them. Without a term of a model they lose the leverage that goes with it.
    """
    found = np.zeros(len(case.labels))
    finest = _finest(case.behind)
    for behind in finest:
        inside = at_risk & (behind.group >= 0)
        counts = _given_away(case, behind, inside)
        own = (behind.figures >= 0) & case.shown(behind)
        np.maximum.at(found, behind.figures[own], counts[own])
    wanted = set(named)
    found = np.where([label in wanted for label in case.labels], np.maximum(found, _NAMED / max(len(wanted), 1)), found)
    if at_risk.any() and not found.any():
        # People who stand behind no figure of their own are given away by all of them together.
        found = np.isfinite(case.released.values).astype(np.float64)
    levels: dict[tuple[str, int], tuple[str, str, int, int]] = {}
    for name in dict.fromkeys(n for b in finest for n in b.names) or case.output.own_variables():
        variable = case.table.schema[name]
        people = case.table.frequencies(name)
        exposed = case.table.tally(case.table[name], variable.n_codes, at_risk)
        for code in np.flatnonzero(exposed[: variable.n_values]).tolist():
            levels[name, code] = name, variable.display[code], int(exposed[code]), int(people[code])
    ranked = sorted(levels.values(), key=lambda level: -level[2] / level[3])
    return Blame(found, tuple(ranked), case.table.count(at_risk))


def _given_away(case: Case, behind: Behind, inside: Mask) -> Floats:
    """How much of what gives people away goes with each group: of a term leverage, of anything else the people.

    Leverage (Hoaglin & Welsch 1978), as if terms were orthogonal: 1/m of a level with m people, and the square of the
    distance from the mean over the sum of such squares of a number. A level of few weighs more than one of many.
    """
    n = behind.n_groups
    if behind.what != "term":
        return case.table.tally(behind.group, n, inside).astype(np.float64)
    times = case.table.times
    if behind.variable is not None:
        counted, numbers = behind.group >= 0, case.numbers(behind)
        squares = (numbers - np.average(numbers[counted], weights=times[counted])) ** 2 if counted.any() else numbers
        squares = np.where(counted, squares, 0.0)
        leverage = squares / max(float((squares * times)[counted].sum()), np.finfo(float).tiny)
    else:
        leverage = 1.0 / np.maximum(np.append(case.rows(behind), 1), 1)[behind.group]
    return np.bincount(behind.group[inside], (leverage * times)[inside], minlength=n).astype(np.float64)


def _finest(every: Sequence[Behind]) -> list[Behind]:
    """Groups that no others cut finer: a table without its margins. Of models the terms."""
    named = [b for b in every if b.names and (b.figures >= 0).any()]
    kept = [b for b in named if not any(set(b.names) < set(other.names) for other in named)]
    return kept or [b for b in every if (b.figures >= 0).any()]
