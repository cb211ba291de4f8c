"""What a variable is: its name, its possible values in order, their labels, and its missing codes.

A variable's values have the codes 0 … n_values − 1 in their order; its missing codes follow, one code each. Nothing
outside the table room turns labels into codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from divulge.errors import SchemaError
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.table.dates import as_date

Value = str | int | float
Kind = Literal["categorical", "numeric"]
Holds = Literal["levels", "date", "identifier", "near-unique", "postcode", "text"]
"""What the values are. Levels may be told; all others point at people, and no message, table or schema lists them."""


def value_text(value: Value | None) -> str:
    """The one text of a value, by which values of different files are compared: 57, 57.0 and "57" agree."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**63 else repr(value)
    return str(value)


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable of a table.

    values: possible values in order; strings or integers (categorical), integers or floats (numeric, sorted).
    labels: what a value stands for, where that is known; missing codes may have labels too.
    missing: values that mean "missing", each with a code of its own; None is the empty field.
    frequencies: how many rows have each code, where that is public knowledge (length n_codes).
    is_open: the possible values are not known yet and are taken from the data when a file is read.
    holds: what the values are; only levels are ever told. Dates are texts such as 2011-03-27, in their order.
    date_format: how the file writes its dates, as in %d/%m/%Y.
    """

    name: str
    kind: Kind
    values: NDArray[np.generic]
    labels: Mapping[Value | None, str] = field(default_factory=dict)
    missing: tuple[Value | None, ...] = ()
    title: str | None = None
    is_ordered: bool = False
    frequencies: Integers | None = None
    is_open: bool = False
    holds: Holds = "levels"
    date_format: str | None = None

    def __post_init__(self) -> None:
        values = _as_values(self.kind, self.values, self.name)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "missing", tuple(self.missing))
        object.__setattr__(self, "labels", dict(self.labels))
        if self._names_a_value_twice():
            raise SchemaError(f"variable {self.name!r} names the same value twice.", hint="List each value once.")
        if self.frequencies is not None:
            counts = np.asarray(self.frequencies, dtype=np.int64)
            if counts.shape != (self.n_codes,) or (counts < 0).any():
                raise SchemaError(
                    f"variable {self.name!r} needs {self.n_codes} frequencies of at least 0, "
                    f"one for each value and missing code; {counts.size} are given.",
                )
            counts.setflags(write=False)
            object.__setattr__(self, "frequencies", counts)

    def _names_a_value_twice(self) -> bool:
        named = [(v is None, value_text(v)) for v in self.missing]
        if self.kind == "numeric":
            # Sorted numbers: no texts are needed, which for ten million amounts would take longer than reading them.
            if (self.values[1:] == self.values[:-1]).any() or len(set(named)) != len(named):
                return True
            near = {n for v in self.missing if v is not None for n in _as_numbers(v)}
            held = self.values[np.isin(self.values, list(near))] if near else self.values[:0]
            return any((False, value_text(v)) in named for v in held.tolist())
        keys = [*((False, value_text(v)) for v in self.values.tolist()), *named]
        return len(set(keys)) != len(keys)

    @property
    def n_values(self) -> int:
        return len(self.values)

    @property
    def n_codes(self) -> int:
        """How many codes there are: values first, then missing codes."""
        return len(self.values) + len(self.missing)

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """The smallest unsigned integer type that holds the codes."""
        return np.dtype(np.min_scalar_type(max(self.n_codes - 1, 0)))

    @property
    def texts(self) -> list[str]:
        """The text of every code, in order. The empty field's text is empty."""
        return [value_text(v) for v in [*self.values.tolist(), *self.missing]]

    @property
    def display(self) -> list[str]:
        """What a person should read for every code: the label where there is one."""
        shown = []
        for value in [*self.values.tolist(), *self.missing]:
            label = self.labels.get(value)
            shown.append(
                label if label is not None else value_text(value) or ("missing" if value is None else "(empty)")
            )
        return shown

    @property
    def tellable(self) -> list[str]:
        """Texts and labels that a message may name: those of levels, and none where values point at people."""
        return [*self.texts, *self.display] if self.holds == "levels" else []

    @property
    def numbers(self) -> Floats:
        """The number behind every code; NaN for missing codes. Categorical values that are not numbers are NaN."""
        out = np.full(self.n_codes, np.nan)
        if self.kind == "numeric":
            out[: self.n_values] = self.values
            return out
        for i, value in enumerate(self.values.tolist()):
            try:
                out[i] = float(value)
            except ValueError:
                continue
        return out

    @property
    def is_missing(self) -> Mask:
        """For every code, whether it means "missing"."""
        return np.arange(self.n_codes) >= self.n_values

    def code(self, value: Value | None) -> int | None:
        """The code of a value given as itself, as its text or as its label; None where it is not one of them.

        A value goes before a label: with values 1, 2 labelled "2", "1" the text "1" means the value 1.
        """
        if value is None:
            return self.n_values + self.missing.index(None) if None in self.missing else None
        text = value_text(value)
        found = self._code_of_text.get(text, self._code_of_label.get(text))
        if found is None and self.holds == "date" and self.date_format is not None:
            plain = as_date(text, self.date_format)
            return None if plain is None else self._code_of_text.get(value_text(plain))
        return found

    @cached_property
    def _code_of_text(self) -> dict[str, int]:
        # Made once: whoever looks up every one of fifty thousand values must not read all of them each time.
        known = [*self.values.tolist(), *self.missing]
        return {value_text(v): i for i, v in reversed(list(enumerate(known))) if v is not None}

    @cached_property
    def _code_of_label(self) -> dict[str, int]:
        known = [*self.values.tolist(), *self.missing]
        return {self.labels[v]: i for i, v in reversed(list(enumerate(known))) if v in self.labels}

    def with_values(self, values: Iterable[Value], missing: Iterable[Value | None] | None = None) -> Variable:
        """The same variable with other possible values (frequencies, which belong to the old ones, are dropped)."""
        kept = self.missing if missing is None else tuple(missing)
        listed = list(values)
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
        return replace(self, values=array, missing=kept, frequencies=None, is_open=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        return (
            all(getattr(self, name) == getattr(other, name) for name in _PLAIN)
            and self.values.dtype == other.values.dtype
            and np.array_equal(self.values, other.values)
            and (self.frequencies is None) == (other.frequencies is None)
            and (self.frequencies is None or np.array_equal(self.frequencies, other.frequencies))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays; compare by ==


_PLAIN = ("name", "kind", "missing", "title", "is_ordered", "is_open", "labels")
"""What is compared as it is. The others are arrays, or say how values are told and written, not what they are."""


def _as_numbers(value: Value) -> list[int | float]:
    """The number that a value or its text is; as integer and as float, since large ones differ."""
    try:
        number = float(value)
    except ValueError:
        return []
    text = value_text(value)
    return [number, int(text)] if text.lstrip("-").isdigit() and -(2**63) <= int(text) < 2**63 else [number]


def _as_values(kind: Kind, values: object, name: str) -> NDArray[np.generic]:
    """Values as a fresh array: int64 or float64 where all are numbers, else Python strings."""
    if isinstance(values, np.ndarray) and values.size and values.dtype in (np.int64, np.float64):
        if not np.isfinite(values).all():
            raise SchemaError(f"variable {name!r} has a value that is not a finite number.")
        return np.sort(values) if kind == "numeric" else values.copy()
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)  # type: ignore[call-overload]
    if not listed:
        return np.empty(0, dtype=np.int64 if kind == "numeric" else object)
    if any(isinstance(v, str) for v in listed):
        if kind == "numeric":
            raise SchemaError(f"numeric variable {name!r} has a value that is not a number.")
        array = np.empty(len(listed), dtype=object)
        array[:] = [value_text(v) for v in listed]
        return array
    if all(isinstance(v, int) and not isinstance(v, bool) and -(2**63) <= v < 2**63 for v in listed):
        numbers: NDArray[np.generic] = np.array(listed, dtype=np.int64)
    else:
        numbers = np.array([float(v) for v in listed])
        if not np.isfinite(numbers).all():
            raise SchemaError(f"variable {name!r} has a value that is not a finite number.")
    return np.sort(numbers) if kind == "numeric" else numbers
