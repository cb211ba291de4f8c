"""An extreme is somebody's value: whoever knows that a person is the largest or the smallest has it.

No contrast of people in and out shows this, since the keys that lead to the person are not in the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.outputs.released.precision import SLACK
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class HeldByFew(Rule):
    """A maximum or minimum that fewer than a given number of people of its group have, as far as is printed.

    A survival curve that falls to zero tells the longest time of all (Kaplan & Meier 1958).
    """

    name: ClassVar[str] = "extreme held by few"
    asks: ClassVar[str] = "A maximum or a minimum must be the value of several people, as far as it is printed."
    source: ClassVar[str] = "n < t, strict: Green, Ritchie & White 2024, maxima and minima; ACRO refuses them all"
    remedy: ClassVar[str] = "Leave the extremes out, or print them so coarsely that more people share them."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.EXTREMES, Statbarn.POSITION, Statbarn.SURVIVAL)

    fewest: Annotated[int, "So many people must have the extreme value."] = 10

    def find(self, case: Case) -> list[Finding]:
        released, table = case.released, case.table
        slack = SLACK * np.maximum(np.abs(released.centre), released.half)
        people = np.zeros(table.n_rows, dtype=bool)
        labels: list[str] = []
        for behind in case.of("minimum", "maximum"):
            rows = np.flatnonzero(behind.group >= 0)
            group, numbers = behind.group[rows], case.numbers(behind)[rows]
            at = behind.figures[group]
            held = (numbers >= released.low[at] - slack[at]) & (numbers <= released.high[at] + slack[at])
            n_held = np.bincount(group[held], table.times[rows][held], minlength=behind.n_groups)
            # A withheld figure says at most that the extreme is possible.
            few = case.shown(behind) & (n_held > 0) & (n_held < self.fewest)
            people[rows[held & few[group]]] = True
            labels += [behind.label(g, case.labels) for g in np.flatnonzero(few).tolist()]
        for behind in case.of("last step"):
            n_held = case.units(behind)
            few = case.shown(behind) & (n_held > 0) & (n_held < self.fewest)
            people |= case.people(behind, few)
            labels += [behind.label(g, case.labels) for g in np.flatnonzero(few).tolist()]
        if not labels:
            return []
        figures = "1 extreme is" if len(labels) == 1 else f"{len(labels):,} extremes are"
        n = table.count(people)
        who = "1 person" if n == 1 else f"{n:,} people"
        sentence = (
            f"{figures} the value of fewer than {self.fewest} people ({who} in all): whoever knows that a person is "
            "the largest or the smallest learns it."
        )
        return [Finding(self.name, self.severity, (case.number,), tuple(labels), sentence, people)]
