"""Columns as a reader found them become a table: inferred, or brought onto a schema, and checked by its rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from divulge.errors import MissingColumnsError, suggest
from divulge.kernels.arrays import Codes, Integers
from divulge.table.column import RawColumn, coded
from divulge.table.conform import conform
from divulge.table.infer import NA_TEXTS, infer
from divulge.table.recognise import recognised
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Variable


def build_table(columns: Iterable[RawColumn], schema: Schema | None = None, people: Integers | None = None) -> Table:
    """A table of the columns: the schema's variables first, in its order, then the others as they come.

    people: how many people each row stands for, where that is not one.
    """
    built: dict[str, tuple[Variable, Codes]] = {}
    inferred: list[str] = []
    opened: list[str] = []
    for found in columns:
        known = schema[found.name] if schema is not None and found.name in schema else found.own
        variable, lookup = infer(found) if known is None else conform(found, known, people)
        built[found.name] = variable, coded(found, lookup, variable.dtype)
        if known is None:
            inferred.append(found.name)
        elif known is found.own or known.is_open:
            opened.append(found.name)
    for name, variable in ((n, built[n][0]) for n in inferred):
        for text in _missing_elsewhere(variable, [built[n][0] for n in inferred]):
            built[name] = _without_level(*built[name], text)
    for name in (*inferred, *opened):
        # What a schema lists is told already; what only the data say may point at people.
        built[name] = recognised(*built[name], people), built[name][1]
    order = list(built)
    if schema is not None:
        order = [*schema.names, *(n for n in order if n not in schema)]
    rules = () if schema is None else schema.rules
    table = Table(Schema(tuple(built[n][0] for n in order), rules), tuple(built[n][1] for n in order), people)
    table.check_rules()
    return table


def _missing_elsewhere(variable: Variable, others: Sequence[Variable]) -> list[str]:
    """Levels that mean "missing" in a column of numbers of the same file: R writes NA in both."""
    if variable.kind == "numeric":
        return []
    said = {m for v in others if v.kind == "numeric" for m in v.missing if m in NA_TEXTS}
    found = [t for t in variable.values.tolist() if t in said]
    return found if len(found) < variable.n_values else []


def _without_level(variable: Variable, codes: Codes, text: str) -> tuple[Variable, Codes]:
    """A variable with one level as a missing code, and its column."""
    place = variable.values.tolist().index(text)
    lookup = np.arange(variable.n_codes + 1)
    lookup[place + 1 :] -= 1
    lookup[place] = variable.n_codes - 1
    changed = replace(variable, values=np.delete(variable.values, place), missing=(*variable.missing, text))
    return changed, lookup.astype(changed.dtype)[codes]


def check_columns(names: Sequence[str], schema: Schema | None) -> None:
    """Raise where the schema names columns that the file does not have."""
    absent = [n for n in schema.names if n not in set(names)] if schema is not None else []
    if absent:
        raise MissingColumnsError(
            f"the schema names {', '.join(map(repr, absent))}, which the file does not have.",
            hint=suggest(absent[0], names) or f"The file has {len(names)} columns: {', '.join(names[:20])}.",
        )
