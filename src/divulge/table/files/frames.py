"""Tables from data frames: pandas, polars, Arrow and whatever else narwhals understands."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from divulge.errors import DuplicateColumnsError, HeaderOnlyError, NotATableError
from divulge.table.build import build_table, check_columns
from divulge.table.column import RawColumn
from divulge.table.files.arrow_columns import found_from_arrow
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import value_text

if TYPE_CHECKING:
    import narwhals


def table_from_frame(frame: Any, schema: Schema | None = None) -> Table:
    """A table from a data frame. schema: what the columns are; columns that it does not name are inferred."""
    import narwhals as nw  # imported where it is used: reading a file takes less time

    # Only these two can hold a name twice, and narwhals would say so in its own words.
    listed = frame.column_names if isinstance(frame, pa.Table) else ()
    listed = frame.columns if nw.dependencies.is_pandas_dataframe(frame) else listed
    twice = [n for n, count in Counter(str(n) for n in listed).items() if count > 1]
    if twice:
        raise DuplicateColumnsError(
            f"column names must differ, but {len(twice)} are there more than once: {', '.join(map(repr, twice[:5]))}."
        )
    try:
        data = nw.from_native(frame)
    except TypeError:
        raise NotATableError(
            f"a data frame is needed, this is of the type {type(frame).__name__!r}.",
            hint="Give a pandas, polars or Arrow table; to read a file use read_table.",
        ) from None
    if isinstance(data, nw.LazyFrame):
        data = data.collect()
    columns = [str(c) for c in data.columns]
    check_columns(columns, schema)
    if not columns or len(data) == 0:
        raise HeaderOnlyError(f"the data frame has {len(columns)} columns and {len(data)} rows.")
    return build_table((_found(n, data[original]) for n, original in zip(columns, data.columns, strict=True)), schema)


def _found(name: str, series: narwhals.Series[Any]) -> RawColumn:
    try:
        return found_from_arrow(name, pa.chunked_array([series.to_arrow()]))
    except (pa.ArrowException, TypeError):
        # Numbers and texts in one column, which Arrow has no type for: all as text.
        texts = [None if _is_empty(v) else value_text(v) for v in series.to_list()]
        found = found_from_arrow(name, pa.chunked_array([pa.array(texts, type=pa.large_string())]))
        found.is_typed = False
        return found


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"
