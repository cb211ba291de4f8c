"""Microdata as integer codes: one immutable array a column, and the schema that says what the codes mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from divulge.errors import BrokenRuleError, SchemaError
from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.table.schema import Schema
from divulge.table.variable import Variable

if TYPE_CHECKING:
    import pandas as pd  # imported where a frame is made: it takes longer than reading most files

_ROOM = 1 << 62
"""Numbers of rows stay below this; one bit short of what int64 holds, so that no intermediate sum overflows."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of people as codes. `columns[j][i]` is the code of row i in variable j of the schema.

    people: how many people each row stands for, where people who are alike are held once (`condensed`); None:
    every row is one person. Numbers that are expected, not counted, need not be whole.
    """

    schema: Schema
    columns: tuple[Codes, ...]
    people: Integers | None = None

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.schema):
            raise SchemaError(f"{len(self.schema)} columns of codes are needed, {len(self.columns)} are given.")
        held = []
        for variable, column in zip(self.schema, self.columns, strict=True):
            codes = np.asarray(column)
            if codes.ndim != 1 or len(codes) != len(self.columns[0]):
                raise SchemaError(f"the column of {variable.name!r} is not as long as the others.")
            if codes.size and (codes.dtype.kind not in "ui" or codes.min() < 0 or codes.max() >= variable.n_codes):
                raise SchemaError(f"the column of {variable.name!r} holds codes outside 0 … {variable.n_codes - 1}.")
            if codes.dtype != variable.dtype or codes.flags.writeable:
                codes = codes.astype(variable.dtype)
                codes.setflags(write=False)
            held.append(codes)
        object.__setattr__(self, "columns", tuple(held))
        least = 1 if self.people is None or self.people.dtype.kind in "ui" else np.finfo(float).tiny
        if self.people is not None and (len(self.people) != self.n_rows or (self.people < least).any()):
            raise SchemaError("as many numbers of people as rows are needed, each of at least 1.")

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @property
    def n_people(self) -> int:
        """How many people the rows stand for."""
        return self.n_rows if self.people is None else round(self.people.sum())

    @property
    def times(self) -> Floats:
        """How many people each row stands for, as a number to reckon with."""
        return np.ones(self.n_rows) if self.people is None else self.people.astype(np.float64)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def n_bytes(self) -> int:
        return sum(c.nbytes for c in self.columns)

    def __getitem__(self, name: str) -> Codes:
        """The codes of one variable."""
        return self.columns[self.schema.position(name)]

    def select(self, names: Iterable[str]) -> Table:
        """Some variables, in the order asked for. Shares the arrays."""
        wanted = list(names)
        return Table(self.schema.select(wanted), tuple(self[n] for n in wanted), self.people)

    def take(self, rows: NDArray[Any] | slice | Sequence[int]) -> Table:
        """Some rows, by index, slice or mask. The schema (and so every code) stays as it is."""
        index = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(index, slice) and index.dtype == bool:
            assert len(index) == self.n_rows, "a mask is of all rows"
            index = np.flatnonzero(index)  # once for all columns
        people = None if self.people is None else self.people[index]
        return Table(self.schema, tuple(c[index] for c in self.columns), people)

    def frequencies(self, name: str) -> Integers:
        """How many people have each code of a variable."""
        return self.tally(self[name], self.schema[name].n_codes)

    def tally(self, group: NDArray[np.integer], n_groups: int, rows: Mask | None = None) -> Integers:
        """How many people each group has. group: of each row. rows: those that count; all where None."""
        people = self.people
        if rows is not None:
            group, people = group[rows], None if people is None else people[rows]
        if people is None:
            return np.bincount(group, minlength=n_groups)
        # Sums of whole numbers below 2⁵³ are exact in floats.
        return np.bincount(group, people, minlength=n_groups).astype(people.dtype)

    def rows_of_people(self, rows: Mask) -> Integers:
        """The numbers of some rows, each as often as it stands for people."""
        found = np.flatnonzero(rows)
        return found if self.people is None else np.repeat(found, self.people[found])

    def count(self, rows: Mask) -> int:
        """How many people some rows stand for."""
        return int(rows.sum() if self.people is None else self.people[rows].sum())

    def check_rules(self) -> None:
        """Raise where rows break an edit rule, saying how many, never which."""
        for rule in self.schema.parsed_rules():
            broken = self.count(rule.broken(self))
            if broken:
                raise BrokenRuleError(
                    f"{broken:,} of {self.n_people:,} rows break the edit rule {rule.text!r}.",
                    hint="Mend the data or the rule, or take the rule out of the schema.",
                )

    def to_pandas(self, labels: bool = False) -> pd.DataFrame:
        """A data frame of values (or labels). Numeric columns are numbers with NaN for missing; others are text."""
        import pandas as pd

        return pd.DataFrame({v.name: _decoded(v, c, labels) for v, c in zip(self.schema, self.columns, strict=True)})

    def equals(self, other: Table) -> bool:
        """The same variables, the same codes, in the same order of rows."""
        return (
            self.schema == other.schema
            and self.n_rows == other.n_rows
            and all(np.array_equal(a, b) for a, b in zip(self.columns, other.columns, strict=True))
            and (self.people is None) == (other.people is None)
            and (self.people is None or other.people is None or np.array_equal(self.people, other.people))
        )

    def condensed(self) -> Table:
        """The different rows, in the order of their codes, each with how many people have it.

        People who are alike are held once: what is worked out from counts then costs what these rows cost. The order of
        the rows before does not show: two copies of the same people in another order become the same table.
        """
        _, first, row, counts = np.unique(
            self._row_numbers(), return_index=True, return_inverse=True, return_counts=True
        )
        if self.people is not None:
            # Sums of whole numbers below 2⁵³ are exact in floats.
            counts = np.bincount(row, self.people, minlength=len(first)).astype(np.int64)
        return Table(self.schema, tuple(column[first] for column in self.columns), counts)

    def expanded(self) -> Table:
        """One row for each person again."""
        if self.people is None:
            return self
        return Table(self.schema, tuple(np.repeat(column, self.people) for column in self.columns))

    def pieces(self, size: int) -> Iterator[tuple[Codes, ...]]:
        """The codes of a row for each person, at most so many rows at a time: all of them are never held together."""
        if self.people is None:
            for start in range(0, self.n_rows, size):
                yield tuple(column[start : start + size] for column in self.columns)
            return
        up_to = np.concatenate([[0], np.cumsum(self.people)])
        for start in range(0, int(up_to[-1]), size):
            person = np.arange(start, min(start + size, int(up_to[-1])))
            row = np.searchsorted(up_to, person, side="right") - 1
            yield tuple(column[row] for column in self.columns)

    def opened(self, most: int) -> tuple[Table, Integers]:
        """A row for each person again, but of each row no more than so many; and the row that each was.

        Whoever asks for groups of fewer people finds the same groups.
        """
        if self.people is None:
            return self, np.arange(self.n_rows)
        row = np.repeat(np.arange(self.n_rows), np.minimum(self.people, most))
        return Table(self.schema, tuple(column[row] for column in self.columns)), row

    def is_among(self, rows: Table) -> Mask:
        """Which rows are among these, which have some of the same variables."""
        return np.isin(self.select(rows.names)._row_numbers(), rows._row_numbers())

    def halved(self, rng: np.random.Generator) -> tuple[Table, Table]:
        """Condensed people halved at random: who is in, and who is out.

        A random half of the people: how many of each row are in (multivariate hypergeometric).
        """
        inside = self.half(rng)
        assert self.people is not None, "condensed"
        return self.with_people(inside), self.with_people(self.people - inside)

    def half(self, rng: np.random.Generator) -> Integers:
        """How many of each row are in a random half of the people."""
        assert self.people is not None, "condensed"
        return rng.multivariate_hypergeometric(self.people, self.n_people // 2, method="marginals")

    def with_people(self, people: Integers) -> Table:
        """The rows with so many people each; without those that have nobody."""
        kept = people > 0
        return Table(self.schema, tuple(column[kept] for column in self.columns), people[kept])

    def _row_numbers(self) -> Integers:
        """A number for every row: equal where rows are, and in the order of their codes."""
        number, size = np.zeros(self.n_rows, dtype=np.int64), 1
        for variable, column in zip(self.schema, self.columns, strict=True):
            if size * variable.n_codes >= _ROOM:
                # More combinations are possible than 64 bits can number, but no more occur than there are rows.
                seen, number = np.unique(number, return_inverse=True)
                size = len(seen)
            number = number * variable.n_codes + column
            size *= variable.n_codes
        return number


def _decoded(variable: Variable, codes: Codes, labels: bool) -> Any:
    import pandas as pd

    if variable.kind == "numeric" and not labels:
        if not variable.missing and variable.values.dtype == np.int64:
            return variable.values[codes]
        return variable.numbers[codes]
    shown: list[Any] = variable.display[: variable.n_values] if labels else variable.texts[: variable.n_values]
    # Every missing code is a missing value to pandas; writers that keep them apart work on codes instead.
    decode = np.array([*shown, *[None] * len(variable.missing)], dtype=object)
    return pd.Series(decode[codes], dtype="str" if pd.__version__ >= "3" else "object")
