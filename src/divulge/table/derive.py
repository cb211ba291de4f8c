"""Bands of dates as variables of their own: the year, the quarter, the month, or a person's age in completed years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from divulge.errors import RuleError, unknown_variable
from divulge.kernels.arrays import Codes, Integers
from divulge.table.dates import as_date
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Variable

_CALL = re.compile(r"\s*(?P<band>[a-z]+)\s*\(\s*(?P<first>[^,()]+?)\s*(?:,\s*(?P<second>[^,()]+?)\s*)?\)\s*")
_EXAMPLE = "Write year(ADMITTED), quarter(ADMITTED), month(ADMITTED), age(BORN, 2011-03-27) or age(BORN, ADMITTED)."
_LENGTH = {"year": len("2011"), "month": len("2011-03")}
_YEARS = 10_000
"""20110327 − 19800401 is 310,926: 31 completed years, and the birthday of this year is still to come or was."""


def with_derived(table: Table, definitions: Mapping[str, str]) -> Table:
    """The table with a variable for each definition, such as ADM_YEAR: year(ADMITTED), behind its own."""
    for name, text in definitions.items():
        if name in table.schema:
            raise RuleError(f"there is a variable {name!r} already.", where=f"derive.{name}", hint="Use another name.")
        variable, codes = _derived(name, text, table)
        schema = Schema((*table.schema.variables, variable), table.schema.rules)
        table = Table(schema, (*table.columns, codes), table.people)
    return table


def dates_in(definitions: Mapping[str, str], known: Iterable[str]) -> tuple[str, ...]:
    """The columns of dates that definitions speak of."""
    calls = [found for text in definitions.values() if (found := _CALL.fullmatch(text)) is not None]
    said = {part for call in calls for part in (call["first"], call["second"])}
    return tuple(name for name in known if name in said)


def _derived(name: str, text: str, table: Table) -> tuple[Variable, Codes]:
    where = f"derive.{name}"
    found = _CALL.fullmatch(text)
    if found is None or found["band"] not in ("year", "quarter", "month", "age"):
        raise RuleError(f"{text!r} cannot be read.", where=where, hint=_EXAMPLE)
    if (found["second"] is not None) != (found["band"] == "age"):
        needed = "a date of birth and a day" if found["band"] == "age" else "one date"
        raise RuleError(f"{found['band']} needs {needed}.", where=where, hint=_EXAMPLE)
    dates = _dates(found["first"], table, where)
    if found["band"] == "age":
        return _age(name, table, dates, found["second"], where)
    return _band(name, table, dates, found["band"])


def _dates(name: str, table: Table, where: str) -> Variable:
    if name not in table.schema:
        raise unknown_variable(name, table.names, where=where)
    variable = table.schema[name]
    if variable.holds != "date":
        raise RuleError(
            f"{name!r} holds no dates.",
            where=where,
            hint='If it does, write "type": "date" and its "format", as in "%d/%m/%Y", in the schema.',
        )
    return variable


def _band(name: str, table: Table, dates: Variable, band: str) -> tuple[Variable, Codes]:
    plain = [str(v) for v in dates.values.tolist()]
    bands = [f"{t[:4]}-Q{(int(t[5:7]) + 2) // 3}" if band == "quarter" else t[: _LENGTH[band]] for t in plain]
    levels = sorted(set(bands))
    place = {level: i for i, level in enumerate(levels)}
    lookup = np.array([place[b] for b in bands] + [len(levels) + i for i in range(len(dates.missing))], dtype=np.int64)
    if band == "year":
        years = np.array([int(level) for level in levels], dtype=np.int64)
        variable = Variable(name, "numeric", years, missing=dates.missing)
    else:
        variable = Variable(name, "categorical", np.array(levels, dtype=object), missing=dates.missing, is_ordered=True)
    return variable, lookup[table[dates.name]].astype(variable.dtype)


def _age(name: str, table: Table, born: Variable, until: str, where: str) -> tuple[Variable, Codes]:
    """Completed years from a date of birth to a day, the same for everybody or another column of dates."""
    births = _day_of_row(table, born)
    day = as_date(until, "%Y-%m-%d") or as_date(until, born.date_format or "")
    ends = (
        np.full(table.n_rows, int(_day_numbers([day])[0])) if day else _day_of_row(table, _dates(until, table, where))
    )
    is_known = (births > 0) & (ends > 0)
    ages = (ends - births) // _YEARS
    if (ages[is_known] < 0).any():
        n = table.count(is_known & (ages < 0))
        raise RuleError(f"{n:,} people would have an age below 0.", where=where, hint="Use a later day.")
    values, places = np.unique(ages[is_known], return_inverse=True)
    variable = Variable(name, "numeric", values, missing=() if is_known.all() else (None,))
    codes = np.full(table.n_rows, len(values), dtype=np.int64)
    codes[is_known] = places
    return variable, codes.astype(variable.dtype)


def _day_of_row(table: Table, dates: Variable) -> Integers:
    """2011-03-27 as 20110327 for every row; 0 where it is missing."""
    days = np.concatenate(
        [_day_numbers([str(v) for v in dates.values.tolist()]), np.zeros(len(dates.missing), np.int64)]
    )
    return days[table[dates.name]]


def _day_numbers(plain: Sequence[str]) -> Integers:
    """2011-03-27 as 20110327: the difference of two of these, in ten thousands, is the completed years between them."""
    return np.array([int(text[:10].replace("-", "")) for text in plain], dtype=np.int64)
