"""Mean, standard deviation, skewness and kurtosis of few people that hold as many bits as all their values have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import factorial
from typing import ClassVar

import numpy as np

from divulge.attacks.attack import Attack, Submitted, hardly_shared, print_less
from divulge.kernels.arrays import Floats, Integers
from divulge.lattice.bits import Bits, independent_bits, set_bits
from divulge.lattice.turning import MOST_PEOPLE
from divulge.outputs.few_people import groups_of_few
from divulge.outputs.lowering.sizes import n_possible, spacing
from divulge.rules import Finding, Severity
from divulge.table import Table


@dataclass(frozen=True, kw_only=True)
class MomentsOfFew(Attack):
    """Compares the bits of printed sums of powers with those of all values of a group (Shannon 1948).

    The audit goes through all samples of small groups with a given mean and standard deviation (Derrick, Green, Ritchie
    & White 2022). Where that ends too soon, or further moments are printed, the bits of both are counted.
    """

    name: ClassVar[str] = "moments of few people"
    does: ClassVar[str] = "Counts the bits that moments of few people hold against those that all their values have."
    source: ClassVar[str] = "Shannon 1948; Derrick, Green, Ritchie & White 2022, reconstruction from summaries"
    remedy: ClassVar[str] = "Print fewer digits, leave out the higher moments, or merge groups."

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        table, row = submitted.table.opened(MOST_PEOPLE + 1)
        found: list[Finding] = []
        seen: set[tuple[int, ...]] = set()
        for group in _groups(submitted, table):
            outputs = tuple(sorted(group.outputs))
            if (
                len(group.errors) < 2
                or outputs in seen
                or not hardly_shared(group.own).any()
                or not group.bits().is_determined
            ):
                continue
            seen.add(outputs)
            people = np.zeros(submitted.table.n_rows, dtype=bool)
            people[row[group.rows]] = True
            sentence = group.sentence()
            found.append(Finding(self.name, Severity.REVIEW, outputs, (), sentence, people, submitted.table.people))
        return found


@dataclass(eq=False)
class _Group:
    """What is printed of one variable of few people. errors: of the sum of each power of their values, by power."""

    name: str
    rows: Integers
    own: Floats
    n_values: float
    step: float | None
    errors: dict[int, float] = field(default_factory=dict)
    outputs: set[int] = field(default_factory=set)

    def say(self, output: int, power: int, error: float) -> None:
        """One more sum that is printed."""
        if np.isfinite(error):
            self.errors[power] = min(error, self.errors.get(power, np.inf))
            self.outputs.add(output)

    def bits(self, less: int = 0) -> Bits:
        """With so many digits fewer than are printed."""
        columns = []
        for power, error in self.errors.items():
            # Of whole numbers sums of powers below a power leave its sum open in steps of its factorial.
            finest = 0.0 if self.step is None else factorial(power) * self.step**power / 2
            away = self.own - self.own.mean()
            columns.append(away**power / max(error * 10.0**less, finest, 1e-300))
        return Bits(independent_bits(np.column_stack(columns)), set_bits(len(self.rows), self.n_values))

    def sentence(self) -> str:
        bits = self.bits()
        return (
            f"The figures of {self.name} hold about {bits.printed:.0f} bits, all values of these {len(self.rows):,} "
            f"people about {bits.secret:.0f}: hardly any other values give the same figures, though nobody has looked "
            f"for them. {print_less(self.bits)}"
        )


def _groups(submitted: Submitted, table: Table) -> Iterator[_Group]:
    """Groups of few people for which a mean or total and a spread are printed."""
    known: dict[tuple[str, bytes], _Group] = {}
    for i, (output, printed) in enumerate(zip(submitted.outputs, submitted.printed, strict=True)):
        if output.weights is not None or output.coarser:
            continue
        for behind in output.behind(table):
            if behind.what not in ("mean", "total") or behind.variable is None:
                continue
            for g, rows in groups_of_few(behind.group, MOST_PEOPLE):
                figure = int(behind.figures[g])
                if figure >= 0 and np.isfinite(printed.values[figure]):
                    half = float(printed.half[figure])
                    _of(known, table, behind.variable, rows).say(
                        i, 1, half * (len(rows) if behind.what == "mean" else 1)
                    )
        for spread in output.spreads(table, printed):
            if spread.is_left or spread.behind.variable is None:
                continue
            for g, rows in groups_of_few(spread.behind.group, MOST_PEOPLE):
                _of(known, table, spread.behind.variable, rows).say(i, spread.power, float(spread.error[g]))
    return (group for group in known.values() if 1 in group.errors)


def _of(known: dict[tuple[str, bytes], _Group], table: Table, name: str, rows: Integers) -> _Group:
    key = name, rows.tobytes()
    if key not in known:
        variable = table.schema[name]
        values = variable.numbers[: variable.n_values]
        own = variable.numbers[table[name][rows]]
        known[key] = _Group(name, rows, own, n_possible(table, name), spacing(values))
    return known[key]
