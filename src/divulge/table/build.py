"""Columns as a reader found them become a table: inferred, or brought onto a schema, and checked by its rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from divulge.errors import MissingColumnsError, suggest
from divulge.kernels.arrays import Codes
from divulge.table.column import RawColumn, coded
from divulge.table.conform import conform
from divulge.table.infer import infer
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Variable


def build_table(columns: Iterable[RawColumn], schema: Schema | None = None) -> Table:
    """A table of the columns: the schema's variables first, in its order, then the others as they come."""
    built: dict[str, tuple[Variable, Codes]] = {}
    for found in columns:
        known = schema[found.name] if schema is not None and found.name in schema else found.own
        variable, lookup = infer(found) if known is None else conform(found, known)
        built[found.name] = variable, coded(found, lookup, variable.dtype)
    order = list(built)
    if schema is not None:
        order = [*schema.names, *(n for n in order if n not in schema)]
    rules = () if schema is None else schema.rules
    table = Table(Schema(tuple(built[n][0] for n in order), rules), tuple(built[n][1] for n in order))
    table.check_rules()
    return table


def check_columns(names: Sequence[str], schema: Schema | None) -> None:
    """Raise where the schema names columns that the file does not have."""
    absent = [n for n in schema.names if n not in set(names)] if schema is not None else []
    if absent:
        raise MissingColumnsError(
            f"the schema names {', '.join(map(repr, absent))}, which the file does not have.",
            hint=suggest(absent[0], names) or f"The file has {len(names)} columns: {', '.join(names[:20])}.",
        )
