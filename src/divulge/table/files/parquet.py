"""Parquet files, column by column. A file that we wrote carries its schema (labels, missing codes) with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from divulge.errors import (
    BrokenRuleError,
    DivulgeError,
    DuplicateColumnsError,
    HeaderOnlyError,
    MissingColumnsError,
    NotATableError,
    OutsideCategoriesError,
)
from divulge.kernels.arrays import Codes
from divulge.record import whole_file
from divulge.table.build import build_table, check_columns
from divulge.table.column import RawColumn
from divulge.table.files.arrow_columns import found_from_arrow
from divulge.table.frictionless import format_schema, parse_schema
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Variable, value_text

_KEY = b"divulge.schema"
_ROWS = 1 << 20  # rows of condensed people that are written at a time
_LISTED = 1 << 16  # a numeric variable of more values than this does not list them in the file: they are in its rows


def read_parquet(
    path: Path, schema: Schema | None, wanted: Callable[[Sequence[str]], Sequence[str]] | None = None
) -> Table:
    """A Parquet file as a table. Without a schema, one that the file carries is used where the rows keep to it.

    wanted: of its columns those that are read; all where None.
    """
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError):
        raise NotATableError(
            "this is not a Parquet file, or it is damaged.", where=str(path), hint="Was it copied whole?"
        ) from None
    with file:
        names = file.schema_arrow.names
        twice = [n for n, count in Counter(names).items() if count > 1]
        if twice:
            raise DuplicateColumnsError(f"column names must differ, but there is more than one {twice[0]!r}.")
        if file.metadata.num_rows == 0 or not names:
            raise HeaderOnlyError(f"the file has {len(names)} columns and no rows.", where=str(path))
        check_columns(names, schema)
        carried = _carried(file) if schema is None else None
        if wanted is not None:
            names = list(wanted(names))
            schema, carried = (s and s.select([n for n in s.names if n in names]) for s in (schema, carried))
        if carried is not None:
            try:
                check_columns(names, carried)
                return build_table(_columns(path, file, names), carried)
            except (MissingColumnsError, OutsideCategoriesError, BrokenRuleError):
                # Another program changed the rows and kept what we had noted about them: the rows count.
                pass
        return build_table(_columns(path, file, names), schema)


def carried_schema(path: Path) -> Schema | None:
    """The schema that a file carries, where we wrote it."""
    with pq.ParquetFile(path) as file:
        return _carried(file)


def _columns(path: Path, file: pq.ParquetFile, names: Sequence[str]) -> Iterator[RawColumn]:
    for name in names:
        try:
            column = file.read(columns=[name]).column(name)
        except (pa.ArrowException, OSError, KeyError):
            raise NotATableError(f"column {name!r} cannot be read: the file is damaged.", where=str(path)) from None
        yield found_from_arrow(name, column)


def _carried(file: pq.ParquetFile) -> Schema | None:
    text = (file.schema_arrow.metadata or {}).get(_KEY)
    if text is None:
        return None
    try:
        return parse_schema(json.loads(text))
    except (ValueError, DivulgeError):
        return None


def write_parquet(table: Table, path: Path, labels: bool) -> None:
    """Write a Parquet file: numbers as numbers, texts as a dictionary; the schema goes with it.

    Of condensed people a row for each is written, some at a time.
    """
    carried = {}
    if not labels:
        listed = tuple(_unlisted(v) if v.kind == "numeric" and v.n_values > _LISTED else v for v in table.schema)
        document = format_schema(replace(table.schema, variables=listed))
        carried[_KEY] = json.dumps(document, ensure_ascii=False).encode("utf-8")

    def part(codes: Sequence[Codes]) -> pa.Table:
        columns = [_column(v, c, labels) for v, c in zip(table.schema, codes, strict=True)]
        return pa.table(columns, names=list(table.names)).replace_schema_metadata(carried or None)

    with whole_file(path) as temporary:
        if table.people is None:
            pq.write_table(part(table.columns), temporary, compression="zstd")
            return
        found = map(part, table.pieces(_ROWS))
        first = next(found)
        with pq.ParquetWriter(temporary, first.schema, compression="zstd") as writer:
            for data in chain([first], found):
                writer.write_table(data)


def _unlisted(variable: Variable) -> Variable:
    return replace(variable, values=np.empty(0, dtype=variable.values.dtype), frequencies=None, is_open=True)


def _column(variable: Variable, codes: Codes, labels: bool) -> Any:
    listed = [*variable.values.tolist(), *variable.missing]
    texts = [None if v is None else variable.labels.get(v, value_text(v)) if labels else value_text(v) for v in listed]
    if not (labels and variable.labels) and not any(isinstance(v, str) for v in listed):
        is_whole = all(v is None or isinstance(v, int) for v in listed)
        numbers = pa.array(listed, type=pa.int64() if is_whole else pa.float64())
        return numbers.take(pa.array(codes.astype(np.int64)))
    # Several codes may be shown alike, and the empty field is no entry of a dictionary.
    entries = list(dict.fromkeys(t for t in texts if t is not None))
    place = {t: i for i, t in enumerate(entries)}
    lookup = np.array([-1 if t is None else place[t] for t in texts] or [0], dtype=np.int32)
    indices = lookup[codes]
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=indices < 0), pa.array(entries, type=pa.string()))
