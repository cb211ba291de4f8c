"""Arrow columns (from Parquet files and data frames) as a reader finds them: types are taken as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from divulge.errors import NotATableError
from divulge.table.column import RawColumn, numeric_column
from divulge.table.infer import as_integers
from divulge.table.variable import Variable


def found_from_arrow(name: str, column: pa.ChunkedArray) -> RawColumn:
    """One column. Text stays text even where it looks like numbers: the file says that it is text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        if not (pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)):
            return found_from_arrow(name, column.cast(kind.value_type))
        return _from_dictionary(name, column, kind.ordered)
    if pa.types.is_null(kind):
        return RawColumn(name, (), [np.zeros(len(column), dtype=np.uint8)], is_typed=True)
    if pa.types.is_boolean(kind):
        return _from_texts(name, pc.if_else(column, "True", "False"))
    if pa.types.is_integer(kind):
        return _from_integers(name, column)
    if pa.types.is_floating(kind):
        return _from_floats(name, column)
    if pa.types.is_decimal(kind):
        found = _from_texts(name, column.cast(pa.string()))
        found.is_typed = False
        return found
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _from_texts(name, column)
    if pa.types.is_temporal(kind):
        return _from_texts(name, _as_dates(name, column))
    raise NotATableError(
        f"column {name!r} holds lists, records or bytes, not one value a row.",
        hint="Take it out, or spread it over several columns.",
    )


def _from_texts(name: str, column: pa.ChunkedArray) -> RawColumn:
    return _from_dictionary(name, column.cast(pa.large_string()).dictionary_encode(), ordered=False)


def _from_dictionary(name: str, column: pa.ChunkedArray, ordered: bool) -> RawColumn:
    unified = column.unify_dictionaries()
    if unified.num_chunks == 0:
        return RawColumn(name, (), [np.zeros(0, dtype=np.uint8)], is_typed=True)
    dictionary = unified.chunk(0).dictionary
    listed: list[str | None] = dictionary.to_pylist()
    texts = list(dict.fromkeys(t for t in listed if t is not None))
    place = {t: i + 1 for i, t in enumerate(texts)}
    lookup = np.array([0 if t is None else place[t] for t in listed] + [0])
    lookup = lookup.astype(np.min_scalar_type(len(texts)))
    pieces = [lookup[chunk.indices.fill_null(len(listed)).to_numpy(zero_copy_only=False)] for chunk in unified.chunks]
    own = None
    if ordered:
        values = np.empty(len(texts), dtype=object)
        values[:] = texts
        own = Variable(name, "categorical", values, missing=(None,) if unified.null_count else (), is_ordered=True)
    elif texts:
        seen = np.unique(np.concatenate(pieces))
        # A level that no row has is still a possible value, as it is in R's factors and pandas' categories.
        own = None if len(seen[seen > 0]) == len(texts) else _levels(name, texts, bool(unified.null_count))
    return RawColumn(name, texts, pieces, is_typed=True, own=own)


def _levels(name: str, texts: list[str], has_empty: bool) -> Variable:
    values = np.empty(len(texts), dtype=object)
    values[:] = sorted(texts)
    return Variable(name, "categorical", values, missing=(None,) if has_empty else ())


def _from_integers(name: str, column: pa.ChunkedArray) -> RawColumn:
    if pa.types.is_uint64(column.type) and (pc.max(column).as_py() or 0) >= 2**63:
        return _from_texts(name, column.cast(pa.string()))
    special = column.is_null().to_numpy().astype(np.uint8) if column.null_count else None
    return numeric_column(name, column.cast(pa.int64()).fill_null(0).to_numpy(), special)


def _from_floats(name: str, column: pa.ChunkedArray) -> RawColumn:
    numbers = column.fill_null(np.nan).to_numpy() if column.null_count else column.to_numpy()
    if numbers.dtype != np.float64:
        # 0.1 in single precision is written 0.1 and means that, not 0.10000000149.
        distinct, places = np.unique(numbers, return_inverse=True)
        numbers = np.array([float(str(v)) for v in distinct], dtype=np.float64)[places]
    if np.isinf(numbers).any():
        return _from_texts(name, column.cast(pa.string()))
    empty = np.isnan(numbers)
    numbers = np.where(empty, 0.0, numbers)
    return numeric_column(name, as_integers(numbers), empty.astype(np.uint8))


def _as_dates(name: str, column: pa.ChunkedArray) -> Any:
    """Dates as 2011-03-27; times of day only where some row has one."""
    shortest = column
    try:
        for plain in (pa.date32(), pa.timestamp("s", column.type.tz)) if pa.types.is_timestamp(column.type) else ():
            shorter = column.cast(plain, safe=False)
            if pc.all(pc.equal(shorter.cast(column.type), column)).as_py() is not False:
                shortest = shorter
                break
        texts = shortest.cast(pa.string())
        # Arrow writes a minus before years before 1, and <value out of range> for what it has no year for.
        is_day = pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)
        is_wrong = is_day and pc.any(pc.match_substring_regex(texts, "^[-<]")).as_py()
    except pa.ArrowInvalid:
        is_wrong = True
    if is_wrong:
        raise NotATableError(
            f"column {name!r} holds what is no date here: infinity, or a year before 1.",
            hint="Leave these rows out, or put nothing in their place.",
        )
    return texts
