"""A column brought onto a variable that is known already: its texts matched with the variable's values.

Values are matched by their text, so that 57, 57.0 and "57" agree; then by label. What does not match is an error
with counts. An open variable takes its values from the data instead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from divulge.errors import OutsideCategoriesError
from divulge.kernels.arrays import Integers
from divulge.table.column import RawColumn
from divulge.table.dates import as_date
from divulge.table.infer import NA_TEXTS, as_integers, parse_number
from divulge.table.variable import Value, Variable, value_text


def conform(found: RawColumn, variable: Variable, people: Integers | None = None) -> tuple[Variable, Integers]:
    """The variable (closed, where it was open) and the code of each id of the column."""
    if variable.holds == "date" and variable.date_format is not None:
        found = _as_dates(found, variable.date_format)
    settled, lookup = variable, _matched(found, variable)
    if variable.is_open:
        settled = _opened(found, variable, lookup)
        lookup = _matched(found, settled)
    outside = lookup < 0
    if outside.any():
        counts = found.counts(people)[outside]
        if counts.any():
            raise _outside(found, variable, int(counts.sum()), int((counts > 0).sum()))
    return settled, lookup


def _as_dates(found: RawColumn, written: str) -> RawColumn:
    """The column with its dates as 2011-03-27; what is no date of that format stays as it is."""
    texts = [value_text(v) for v in found.values]
    return replace(found, texts=[as_date(t, written) or t for t in texts], numbers=None)


def _matched(found: RawColumn, variable: Variable) -> Integers:
    places = {value_text(v): i for i, v in enumerate([*variable.values.tolist(), *variable.missing]) if v is not None}
    empty = variable.n_values + variable.missing.index(None) if None in variable.missing else -1
    by_label = _unique_labels(variable)
    lookup = np.full(found.n_ids, -1, dtype=np.int64)
    lookup[0] = empty
    for i, value in enumerate(found.values, start=1):
        text = value_text(value)
        place = places.get(text)
        if place is None and isinstance(value, str):
            number = parse_number(value)
            if number is not None:
                place = places.get(value_text(number))
            if place is None:
                place = by_label.get(value)
            if place is None and value == "":
                place = empty
        lookup[i] = -1 if place is None else place
    return lookup


def _unique_labels(variable: Variable) -> dict[str, int]:
    """Codes by label, leaving out labels that two values share."""
    codes: dict[str, int] = {}
    shared: set[str] = set()
    for i, value in enumerate([*variable.values.tolist(), *variable.missing]):
        label = variable.labels.get(value)
        if label is not None:
            shared.update({label} if label in codes else ())
            codes[label] = i
    return {label: i for label, i in codes.items() if label not in shared}


def _opened(found: RawColumn, variable: Variable, lookup: Integers) -> Variable:
    """The variable with the values that the data add, as far as they are of its kind; no longer open."""
    known: list[Value] = variable.values.tolist()
    added: list[Value] = [v for i, v in enumerate(found.values, start=1) if lookup[i] < 0]
    missing = list(variable.missing)
    if variable.kind == "numeric":
        missing += [t for t in NA_TEXTS if t in added]
        numbers = np.array([*known, *_numbers(added)])
        values = (as_integers(numbers) if numbers.dtype.kind == "f" else numbers).tolist()
    else:
        if variable.holds == "date":
            missing += [t for t in NA_TEXTS if t in added]
            dates = [v for v in added if isinstance(v, str) and as_date(v, "%Y-%m-%d")]
            return replace(
                variable,
                values=np.array(sorted({*map(value_text, known), *dates}), dtype=object),
                missing=tuple([None, *missing] if None not in missing and found.has_empty else missing),
                frequencies=None,
                is_open=False,
            )
        if known and not any(isinstance(v, str) for v in known) and len(_numbers(added)) == len(added):
            added = _numbers(added)
        values = [*known, *sorted(added, key=lambda v: (isinstance(v, str), v))]
    if None not in missing and found.has_empty:
        missing.insert(0, None)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return replace(variable, values=array, missing=tuple(missing), frequencies=None, is_open=False)


def _numbers(values: list[Value]) -> list[Value]:
    """The distinct numbers among values and texts of numbers, sorted."""
    numbers = [parse_number(v) if isinstance(v, str) else v for v in values]
    return sorted({n for n in numbers if n is not None})


def _outside(found: RawColumn, variable: Variable, n_rows: int, n_values: int) -> OutsideCategoriesError:
    needed = "numbers" if variable.is_open else "among its values in the schema"
    if variable.is_open and variable.holds == "date":
        needed = f"dates of the format {variable.date_format}"
    distinct = "1 distinct value" if n_values == 1 else f"{n_values:,} distinct values"
    return OutsideCategoriesError(
        f"{n_rows:,} rows of {found.name!r} ({distinct}) are not {needed}.",
        hint="Add what is absent to the categories, constraints or missingValues of the schema, or mend the data.",
    )
