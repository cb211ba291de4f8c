"""Tables from different files on one schema: values are matched by what they are, never by their position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.errors import MissingColumnsError
from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.table.infer import parse_number
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Value, Variable, value_text


def align(*tables: Table, names: Sequence[str] | None = None) -> tuple[Table, ...]:
    """The same tables on one common schema, so that equal codes mean equal values.

    names: which variables; by default those of the first table that all the others have too.
    """
    if names is None:
        names = [n for n in tables[0].names if all(n in t.schema for t in tables)]
    for number, table in enumerate(tables):
        absent = [n for n in names if n not in table.schema]
        if absent:
            raise MissingColumnsError(
                f"file {number + 1} of {len(tables)} has no column {', '.join(map(repr, absent))}.",
                hint=f"Its columns are: {', '.join(table.names)}.",
            )
    variables = [_union([t.schema[n] for t in tables]) for n in names]
    rules = tables[0].schema.select(names).rules
    schema = Schema(tuple(variables), rules)
    return tuple(
        Table(schema, tuple(_recoded(t[v.name], t.schema[v.name], v) for v in variables), t.people) for t in tables
    )


def stacked(tables: Sequence[Table]) -> Table:
    """Tables of one schema as one, row after row."""
    columns = zip(*(t.columns for t in tables), strict=True)
    return Table(tables[0].schema, tuple(np.concatenate(c) for c in columns))


def onto(table: Table, schema: Schema) -> Table:
    """Rows of another file on a given schema. A number that it lacks becomes the nearest that it has; a row with a
    level that it lacks is left out, since it is nobody's."""
    known = align(table, names=schema.names)[0]
    columns, kept = [], np.ones(table.n_rows, dtype=bool)
    for variable in schema:
        old, codes = known.schema[variable.name], known[variable.name]
        moved = _recoding(old, variable)
        if variable.kind == "numeric" and variable.n_values:
            new = np.flatnonzero((moved < 0) & np.isfinite(old.numbers))
            moved[new] = _nearest(variable.numbers[: variable.n_values], old.numbers[new])
        column = moved[codes]
        kept &= column >= 0
        columns.append(column)
    return Table(schema, tuple(c[kept].astype(v.dtype) for c, v in zip(columns, schema, strict=True)))


def _nearest(values: Floats, wanted: Floats) -> Integers:
    """For every number the place of the nearest of some ascending values."""
    above = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    below = np.maximum(above - 1, 0)
    return np.where(wanted - values[below] <= values[above] - wanted, below, above)


def _union(variables: Sequence[Variable]) -> Variable:
    """One variable with the values of all: numbers sorted; otherwise the first one's order, then what others add.

    Where one file has numbers and another has texts, texts that write a number are that number: "57.0" is 57.
    """
    first = variables[0]
    if all(_same_codes(first, v) for v in variables[1:]):
        return first
    missing: dict[str, Value | None] = {}
    for variable in variables:
        for value in variable.missing:
            # The empty field and the empty text are different values with the same text.
            missing.setdefault("\0" if value is None else value_text(value), value)
    numeric = all(v.kind == "numeric" for v in variables)
    text_of = _number_text if not numeric and any(v.kind == "numeric" for v in variables) else value_text
    values: dict[str, Value] = {}
    for variable in variables:
        for value in variable.values.tolist():
            text = text_of(value)
            if text not in missing and value_text(value) not in missing:
                values.setdefault(text, value if text_of is value_text else text)
    labels = {k: v for variable in reversed(variables) for k, v in variable.labels.items()}
    listed: list[Value] = list(values.values())
    if not numeric and any(v.kind == "numeric" for v in variables):
        labels = {value_text(k) if k is not None else None: v for k, v in labels.items()}
    added = listed[first.n_values :] if not numeric else []
    if added:
        # Levels that only other files have come in a fixed order, whatever the order of the files' rows.
        listed = listed[: first.n_values] + sorted(added, key=value_text)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed if numeric or all(not isinstance(v, str) for v in listed) else [value_text(v) for v in listed]
    return Variable(
        first.name,
        "numeric" if numeric else "categorical",
        array,
        labels=labels,
        missing=tuple(missing.values()),
        title=first.title,
        is_ordered=first.is_ordered,
    )


def _same_codes(a: Variable, b: Variable) -> bool:
    return (
        a.kind == b.kind
        and a.missing == b.missing
        and a.values.dtype == b.values.dtype
        and np.array_equal(a.values, b.values)
    )


def _recoding(old: Variable, new: Variable) -> Integers:
    """For every code of `old`, the code of the same value in `new`; −1 where `new` does not have it."""
    place: dict[tuple[bool, str], int] = {}
    for i, value in enumerate([*new.values.tolist(), *new.missing]):
        place[(value is None, value_text(value))] = i
    found = []
    for value in [*old.values.tolist(), *old.missing]:
        at = place.get((value is None, value_text(value)), -1)
        # A text of one file that writes a number which another file has as a number: see `_union`.
        found.append(at if at >= 0 or value is None else place.get((False, _number_text(value)), -1))
    return np.array(found, dtype=np.int64)


def _number_text(value: Value) -> str:
    """The text of a value, where a text that writes a number counts as that number."""
    number = parse_number(value) if isinstance(value, str) else None
    return value_text(value if number is None else number)


def _recoded(codes: Codes, old: Variable, new: Variable) -> Codes:
    if _same_codes(old, new):
        return codes
    moved = _recoding(old, new).astype(new.dtype)[codes]
    moved.setflags(write=False)
    return moved
