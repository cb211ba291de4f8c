"""A table of all but one person beside any other output of all: what the one has is found by trying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity
from divulge.table import Table

_MOST_WORK = 1e7
"""Values × rows that are tried of each variable, some seconds; beyond it a checker has to look."""


@dataclass(frozen=True, kw_only=True)
class AllButOneCounted(Rule):
    """Whoever has all joint counts of the variables of an output has the rows that it was computed on.

    If the counts leave one person out, or the output does, each value that this person may have is tried: the figures
    are computed anew and compared with those that are printed. Where one value only is left, it is theirs (Dwork 2006,
    differencing).
    """

    name: ClassVar[str] = "all but one counted"
    asks: ClassVar[str] = "No table may count all people but one of another output of the same variables, or one more."
    source: ClassVar[str] = "n₁ − n₂ = 1: Eurostat guidelines 2015, differencing; Dwork 2006"
    remedy: ClassVar[str] = "Compute both outputs on the same people, or print fewer digits."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = ()

    values: Annotated[int, "Variables with more possible values are not tried."] = 100

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found = []
        for table, other in permutations(cases, 2):
            if other.output.kind == table.output.kind or not {*other.output.own_variables()} <= _counted(table):
                continue
            apart = table.everybody != other.everybody
            if table.table.count(apart) != 1 or table.table.people is not None:
                continue
            row = int(np.flatnonzero(apart)[0])
            told = self._told(other, row)
            if told is not None:
                numbers = (other.number, table.number)
                found.append(Finding(self.name, told[0], numbers, ("all figures",), told[1], apart))
        return found

    def _told(self, case: Case, row: int) -> tuple[Severity, str] | None:
        """What follows of the one person whom a table, or the output, leaves out; None where nothing does."""
        is_inside = bool(case.everybody[row])
        what = f"A table counts all people {'but one of this output' if is_inside else 'of this output and one more'}"
        for name in case.output.own_variables():
            variable, own = case.table.schema[name], int(case.table[name][row])
            if not 1 < variable.n_values <= self.values:
                continue
            if variable.n_values * case.table.n_rows > _MOST_WORK:
                return Severity.REVIEW, f"{what}: what follows of that one takes too long to try."
            others = [code for code in range(variable.n_values) if code != own]
            # In the place of whoever is left out another stands who has the value that is tried.
            tried = [(row, code) for code in others] if is_inside else _in_their_place(case, row, name, others)
            if tried and not any(_fits(case, name, *one) for one in tried):
                said = f"{what}: {name} of that one follows, since with every other value the figures would be others."
                return self.severity, said
        return None


def _in_their_place(case: Case, row: int, name: str, codes: Sequence[int]) -> list[tuple[int, int]]:
    """People of the output who would be left out if that person had another value, each with the value to give them."""
    alike = case.everybody.copy()
    for other in case.output.own_variables():
        alike &= (case.table[other] == case.table[other][row]) | (other == name)
    own = int(case.table[name][row])
    found = [np.flatnonzero(alike & (case.table[name] == code)) for code in codes]
    return [(int(rows[0]), own) for rows in found if len(rows)]


def _counted(case: Case) -> set[str]:
    """The variables of which a table gives all joint counts; none where it gives not all of them, or not exactly."""
    for behind in case.of("count"):
        figures = behind.figures[behind.figures >= 0]
        is_exact = np.isfinite(case.released.values[figures]) & (case.released.half[figures] <= 0.5)
        if len(figures) == behind.n_groups and is_exact.all() and {*behind.names} == {*case.output.own_variables()}:
            return {*behind.names}
    return set()


def _fits(case: Case, name: str, row: int, code: int) -> bool:
    """Whether the figures would be printed as they are if a row had another value of a variable."""
    at = case.table.schema.names.index(name)
    columns = list(case.table.columns)
    columns[at] = columns[at].copy()
    columns[at][row] = code
    values = case.output.evaluate(Table(case.table.schema, tuple(columns))).values
    return len(values) == len(case.released.values) and bool(case.released.agrees(values).all())
