"""Microdata as integer codes: one immutable array a column, and the schema that says what the codes mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of people as codes. `columns[j][i]` is the code of row i in variable j of the schema.

    people: how many people each row stands for, where people who are alike are held once (table/condense.py); None:
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
