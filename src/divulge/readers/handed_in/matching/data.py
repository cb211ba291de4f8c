"""The data as matching asks for them: columns as numbers and levels, conditions as masks, new variables by expression.

Values of rows are compared with what was printed and go no further.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from divulge.errors import DivulgeError
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.columns import Column, Labels, coded
from divulge.readers.handed_in.matching.derive import computed
from divulge.table import Condition, Schema, Table

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

MOST_LEVELS = 60
"""Values that a variable which makes groups has at most."""

KNOWN, MISSING = -2, -1
"""Codes of a group that stand for: any value that is known, and none."""

Group = tuple[tuple[str, int], ...]
"""The people with these codes of these variables."""

_MOST_GROUPS = 400
"""Groups whose rows are held at the same time: at 50,000 rows 20 MB."""


_MOST_FIGURES = 200_000
"""Figures that are held at the same time: some 60 MB."""


class Data:
    """A table with what was computed of it so far."""

    def __init__(self, table: Table, blanks: frozenset[str] = frozenset()) -> None:
        """blanks: the variables in which an empty text is a value."""
        self.table = table
        self.blanks = blanks
        self.words = Vocabulary(table.schema)
        self._numbers: dict[str, Floats] = {}
        self._codes: dict[str, Ints] = {}
        self._masks: dict[str | None, Mask | None] = {}
        self._numeric: dict[str, bool] = {}
        self._groups: OrderedDict[tuple[str | None, Group], Mask] = OrderedDict()
        self._computed: dict[tuple[object, ...], list[float] | None] = {}

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.schema.names

    def numbers(self, name: str) -> Floats:
        """The values of a variable as numbers; NaN where missing or no number."""
        if name not in self._numbers:
            self._numbers[name] = self.table.schema[name].numbers[self.table[name]]
        return self._numbers[name]

    def codes(self, name: str) -> Ints:
        """The values of a variable as codes; −1 where missing."""
        if name not in self._codes:
            codes = self.table[name].astype(np.int64)
            self._codes[name] = np.where(codes >= self.table.schema[name].n_values, -1, codes)
        return self._codes[name]

    def texts(self, name: str) -> list[str]:
        """The values of a variable as texts, in the order of its codes."""
        variable = self.table.schema[name]
        return variable.texts[: variable.n_values]

    def n_levels(self, name: str) -> int:
        return self.table.schema[name].n_values

    def is_numeric(self, name: str) -> bool:
        if name not in self._numeric:
            numbers = self.table.schema[name].numbers[: self.n_levels(name)]
            self._numeric[name] = len(numbers) > 0 and bool(np.isfinite(numbers).all())
        return self._numeric[name]

    def has_missing(self, name: str) -> bool:
        return bool((self.codes(name) < 0).any())

    def mask(self, where: str | None) -> Mask | None:
        """The rows of a condition; None where it cannot be read."""
        if where not in self._masks:
            try:
                self._masks[where] = self._selected(where)
            except DivulgeError:
                self._masks[where] = None
        return self._masks[where]

    def _selected(self, where: str | None) -> Mask:
        if where is None:
            return np.ones(self.n_rows, dtype=bool)
        return Condition.parse(where, self.table.schema).selects(self.table)

    def rows(self, where: str | None, group: Group) -> Mask:
        """The rows of a group under a condition that can be read; not to be changed."""
        key = (where, group)
        held = self._groups.get(key)
        if held is not None:
            self._groups.move_to_end(key)
            return held
        rows = self.mask(where)
        assert rows is not None, "the condition was read before"
        for name, code in group:
            codes = self.codes(name)
            rows = rows & (codes >= 0 if code == KNOWN else codes == code)
        self._groups[key] = rows
        if len(self._groups) > _MOST_GROUPS:
            self._groups.popitem(last=False)
        return rows

    def once(self, key: tuple[object, ...], compute: Callable[[], list[float] | None]) -> list[float] | None:
        """What compute gives, which is asked only once. key: says which figure it is."""
        if key not in self._computed:
            if len(self._computed) > _MOST_FIGURES:
                self._computed.clear()
            self._computed[key] = compute()
        return self._computed[key]

    @cached_property
    def with_blanks(self) -> Data | None:
        """The data with an empty text as a value where a text is missing, as R and SPSS read such a file; or None."""
        blank = [n for n in self.names if not self.is_numeric(n) and self.has_missing(n)]
        if not blank:
            return None
        made = {n: coded(n, Labels(self.codes(n) + 1, ("", *self.texts(n)))) for n in blank}
        variables, columns = [], []
        for variable, column in zip(self.table.schema.variables, self.table.columns, strict=True):
            new = made.get(variable.name)
            variables.append(variable if new is None else new[0])
            columns.append(column if new is None else new[1].astype(np.uint32))
        return Data(Table(Schema(tuple(variables)), tuple(columns)), frozenset(made))

    def tells_blanks(self, names: Iterable[str | None], texts: str) -> bool:
        """Whether what is computed of these variables may differ from what the data without blanks give.

        texts: conditions and responses, in which further variables are named."""
        return not self.blanks or not self.blanks.isdisjoint(names) or any(name in texts for name in self.blanks)

    def with_derived(self, derived: Mapping[str, str]) -> Data:
        """The data with variables that a session made; expressions that cannot be understood are left out."""
        columns: dict[str, Column] = {}
        for name, expression in derived.items():
            if name in self.names:
                continue
            values = computed(expression, self, columns)
            if values is not None:
                columns[name] = values
        made = [c for name, values in columns.items() if (c := coded(name, values)) is not None]
        if not made:
            return self
        variables = (*self.table.schema.variables, *(v for v, _ in made))
        codes = (*self.table.columns, *(c.astype(np.uint32) for _, c in made))
        out = Data(Table(Schema(variables), codes), self.blanks and self.blanks | {v.name for v, _ in made})
        out._numbers, out._codes = dict(self._numbers), dict(self._codes)
        return out
