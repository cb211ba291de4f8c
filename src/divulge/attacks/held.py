"""Figures of few people that hold as many bits as the people's values, of kinds that are not solved here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, log2, sqrt
from typing import ClassVar

import numpy as np

from divulge.attacks.attack import Attack, Submitted, hardly_shared
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.lattice.bits import HALF_UNITS, Bits, figure_bits, independent_bits, set_bits, whole_bits
from divulge.lattice.turning import MOST_PEOPLE
from divulge.outputs import Output, Released
from divulge.outputs.lowering.influence import influence
from divulge.outputs.lowering.rows import counted
from divulge.outputs.lowering.sizes import n_possible, spacing
from divulge.rules import Finding, Severity
from divulge.table import Table


@dataclass(frozen=True, kw_only=True)
class MoreThanPeople(Attack):
    """Compares the bits of the figures with the bits of the values, all else of these people known (Shannon 1948).

    With as many bits more than one set of values would be a coincidence: it can be found by trying, however long that
    takes. Counted as for the last digits of a search, to within a few bits; nothing is proved, so it is a review.
    """

    name: ClassVar[str] = "digits of few people"
    does: ClassVar[str] = "Counts the bits that figures of few people hold against those that the people's values have."
    source: ClassVar[str] = "Shannon 1948; Dinur & Nissim 2003"
    remedy: ClassVar[str] = "Print fewer digits, or compute the figures from more people."

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        table, row = submitted.table, np.arange(submitted.table.n_rows)
        if table.people is not None:
            if not any(output.responses() for output in submitted.outputs):
                return []
            table, row = table.opened(MOST_PEOPLE + 1)
        found = []
        for i, (output, printed) in enumerate(zip(submitted.outputs, submitted.printed, strict=True)):
            for question in _questions(output, printed, table):
                people = np.zeros(submitted.table.n_rows, dtype=bool)
                people[row[question.rows[question.told()]]] = True
                if people.any() and question.bits().is_determined:
                    found.append(
                        Finding(
                            self.name, Severity.REVIEW, (i,), (), question.sentence(), people, submitted.table.people
                        )
                    )
                    break
        return found


@dataclass(frozen=True, eq=False)
class _Question:
    """What the figures of some people tell of one variable if all their other variables are known.

    rows: who they are. values: of the variable. alike: the number of each person's pattern of all other variables.
    moves: (people, figures), in their own units; figures, half: as they are printed, error: that of a standard error
    beside them, in half units.
    most: the bits that no digit adds to. is_of_order: whether only the order of the values counts.
    """

    name: str
    rows: Integers
    values: Integers
    n_values: float
    alike: Integers
    moves: Floats
    figures: Floats
    half: Floats
    error: float
    most: float
    is_of_order: bool

    def told(self) -> Mask:
        """Who shares a value with hardly anybody of the same pattern. Others cannot be told apart."""
        return hardly_shared(self.alike * (self.values.max(initial=0) + 1) + self.values)

    def shown(self) -> Integers:
        """How many significant digits each figure is printed with."""
        sizes = np.floor(np.log10(np.maximum(np.abs(self.figures), 2 * self.half)))
        return (sizes + 1 - np.round(np.log10(2 * self.half))).astype(np.int64)

    def bits(self, digits: int | None = None) -> Bits:
        """As printed, or with at most so many significant digits of each figure."""
        less = np.zeros(len(self.half)) if digits is None else np.maximum(self.shown() - digits, 0)
        error = 1.0 if digits is None else 10.0 ** float(less.max(initial=0))
        printed = independent_bits(self.moves / (self.half * 10.0**less)) + log2(max(self.error / error, 1.0))
        n = len(self.rows)
        sizes = np.bincount(self.alike)
        secret = sum(set_bits(size, self.n_values) for size in sizes[sizes > 0].tolist())
        if self.is_of_order:
            secret = min(secret, lgamma(n + 1) / log(2))
        return Bits(min(printed, self.most), secret)

    def sentence(self) -> str:
        bits = self.bits()
        fewer = range(int(self.shown().max()) - 1, 0, -1)
        digits = next((k for k in fewer if not self.bits(k).is_determined), None)
        how = "fewer digits" if digits is None else f"no more than {digits} significant digit{'s' * (digits > 1)}"
        return (
            f"The figures of these {len(self.rows):,} people hold about {bits.printed:.0f} bits, what they have of "
            f"{self.name} about {bits.secret:.0f}: for whoever knows all else of them hardly any other values give the "
            f"same figures, though nobody has looked for them. Print {how}."
        )


def _questions(output: Output, printed: Released, table: Table) -> Iterator[_Question]:
    """One for each variable that the figures may tell of few people."""
    names = output.responses()
    rows = np.flatnonzero(counted(output, table, output.own_variables())) if names else np.zeros(0, dtype=np.int64)
    if not 1 < len(rows) <= MOST_PEOPLE:
        return
    own = table.take(rows)
    error = _of_errors(printed, len(rows))
    if error <= 1.0 and output.few_people(own, printed, MOST_PEOPLE):
        return  # responses from coefficients are solved
    found = influence(output, printed, own)
    if found is None:
        return
    given = np.isfinite(printed.values) & np.isfinite(printed.half) & (printed.half > 0)
    moves, figures, half = found.moves[:, given], printed.values[given], printed.half[given]
    for name in names:
        others = [n for n in output.own_variables() if n != name]
        codes = np.column_stack([own[n] for n in others]) if others else np.zeros((len(rows), 1))
        alike = np.unique(codes, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
        of_name = np.ones(len(half), dtype=bool) if len(names) == 1 else _speaks_of(output, own, name)[given]
        yield _Question(
            name,
            rows,
            own[name].astype(np.int64),
            n_possible(table, name),
            alike,
            moves[:, of_name],
            figures[of_name],
            half[of_name],
            error,
            _most(output, printed, own, name) if output.is_of_sums else np.inf,
            output.is_of_order,
        )


def _speaks_of(output: Output, own: Table, name: str) -> Mask:
    """Which figures change where the values of a variable change places."""
    at = own.names.index(name)
    columns = tuple(np.roll(c, 1) if k == at else c for k, c in enumerate(own.columns))
    before, after = output.evaluate(own).values, output.evaluate(replace(own, columns=columns)).values
    return np.asarray(before != after)


def _of_errors(printed: Released, n: int) -> float:
    """By how many half units the printed standard errors vary. All vary by the spread of the residuals."""
    if printed.se is None or not np.isfinite(printed.se).any():
        return 0.0
    # A variance of n values has a relative error of √(2/n), a deviation half of it.
    with np.errstate(invalid="ignore"):
        finest = float(np.nanmax(printed.se / printed.se_half))
    return finest / sqrt(2.0 * n) * HALF_UNITS


def _most(output: Output, printed: Released, own: Table, name: str) -> float:
    """The bits of sums of the values, of their products with whole predictors, and of their squares."""
    variable = own.schema[name]
    stated = [s for s in output.stated(own, printed) if s.about[0] == name or s.about[1] == name]
    every = np.arange(own.n_rows)
    parts = [s.columns(every) for s in stated]
    if not parts:
        parts = [np.nan_to_num(own.schema[n].numbers)[own[n]][:, None] for n in output.own_variables() if n != name]
    columns = np.hstack([np.ones((own.n_rows, 1)), *parts])
    columns = columns - np.where(np.ptp(columns, axis=0) > 0, columns.min(axis=0), 0.0)
    if variable.kind == "categorical":
        shares = np.bincount(own[name], minlength=variable.n_values) / own.n_rows
        return sum(whole_bits(columns, p * (1 - p)) for p in np.sort(shares)[:-1].tolist() if p > 0)
    numbers = variable.numbers[own[name]]
    if output.is_of_order:  # products of ranks alone: their sums and squares are known
        from scipy.stats import rankdata  # imported where it is used: it takes longer than most commands

        ranks = rankdata(numbers) * (1 if len(set(numbers.tolist())) == len(numbers) else 2)  # ties have halves
        orders = np.column_stack([rankdata(column) for column in columns[:, 1:].T])
        return whole_bits(orders, float(np.var(ranks)))
    step = spacing(variable.numbers[: variable.n_values])
    if step is None:
        return np.inf
    steps = (numbers - numbers.min()) / step
    squares = steps**2 - (steps**2).mean()  # a sum of squares is even where the sum is: steps of 2
    return whole_bits(columns, float(steps.var())) + figure_bits(squares[:, None], 1.0)
