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


@dataclass(frozen=True, kw_only=True)
class AllButOneCounted(Rule):
    """Whoever has all joint counts of the variables of an output has the rows that it was computed on.

    If the counts leave one person out, each value that this person may have is tried: the figures are computed anew and
    compared with those that are printed. Where one value only is left, it is theirs (Dwork 2006, differencing).
    """

    name: ClassVar[str] = "all but one counted"
    asks: ClassVar[str] = "No table may count all people but one of another output of the same variables."
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
            if table.table.count(apart) != 1 or not (apart & other.everybody).any() or table.table.people is not None:
                continue
            learnt = self._learnt(other, int(np.flatnonzero(apart)[0]))
            if learnt is not None:
                sentence = (
                    f"A table counts all people but one of this output: {learnt} of that one follows, since with every "
                    "other value the figures would be others."
                )
                numbers = (other.number, table.number)
                found.append(Finding(self.name, self.severity, numbers, ("all figures",), sentence, apart))
        return found

    def _learnt(self, case: Case, row: int) -> str | None:
        """The variable of the person of which one value only is left; None where there is none."""
        table = case.table
        for name in case.output.own_variables():
            at, variable = table.schema.names.index(name), table.schema[name]
            if not 1 < variable.n_values <= self.values:
                continue
            own = int(table[name][row])
            if not any(_fits(case, at, row, other) for other in range(variable.n_values) if other != own):
                return name
        return None


def _counted(case: Case) -> set[str]:
    """The variables of which a table gives all joint counts; none where it gives not all of them, or not exactly."""
    for behind in case.of("count"):
        figures = behind.figures[behind.figures >= 0]
        is_exact = np.isfinite(case.released.values[figures]) & (case.released.half[figures] <= 0.5)
        if len(figures) == behind.n_groups and is_exact.all() and {*behind.names} == {*case.output.own_variables()}:
            return {*behind.names}
    return set()


def _fits(case: Case, at: int, row: int, code: int) -> bool:
    """Whether the figures would be printed as they are if a row had another value of a variable."""
    columns = list(case.table.columns)
    column = columns[at].copy()
    column[row] = code
    columns[at] = column
    values = case.output.evaluate(Table(case.table.schema, tuple(columns))).values
    return len(values) == len(case.released.values) and bool(case.released.agrees(values).all())
