"""Tables from data frames and from Parquet files of other programs: types are taken as they are."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.errors import DuplicateColumnsError, HeaderOnlyError, MissingColumnsError, NotATableError
from divulge.table import Schema, Table, Variable, read_table, table_from_frame


def _only(table: Table) -> tuple[str, list[Any], tuple[Any, ...], list[int]]:
    variable = table.schema.variables[0]
    return variable.kind, variable.values.tolist(), variable.missing, table.columns[0].tolist()


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([3, 1, None]), ("numeric", [1, 3], (None,), [1, 0, 2])),
        (pa.array([1.5, float("nan"), 1.5]), ("numeric", [1.5], (None,), [0, 1, 0])),
        (pa.array([2.0, 1.0, None]), ("numeric", [1, 2], (None,), [1, 0, 2])),
        (pa.array([0.1, 0.25], pa.float32()), ("numeric", [0.1, 0.25], (), [0, 1])),
        (pa.array([float("inf"), 1.5]), ("categorical", ["1.5", "inf"], (), [1, 0])),
        (pa.array([2**64 - 1, 1], pa.uint64()), ("categorical", ["1", str(2**64 - 1)], (), [1, 0])),
        (pa.array(["1", "", None]), ("categorical", ["", "1"], (None,), [1, 0, 2])),
        (pa.array([True, False, None]), ("categorical", ["False", "True"], (None,), [1, 0, 2])),
        (pa.array([Decimal("1.50"), Decimal("2.00")]), ("numeric", [1.5, 2.0], (), [0, 1])),
        (pa.array([datetime.date(2011, 3, 27), None]), ("categorical", ["2011-03-27"], (None,), [0, 1])),
        (pa.array([datetime.datetime(2011, 3, 27)]), ("categorical", ["2011-03-27"], (), [0])),
        (pa.array([datetime.datetime(2011, 3, 27, 12)]), ("categorical", ["2011-03-27 12:00:00"], (), [0])),
        (pa.array([None, None]), ("categorical", [], (None,), [0, 0])),
        (pa.array(["b", "a"]).dictionary_encode(), ("categorical", ["a", "b"], (), [1, 0])),
    ],
    ids=[
        *("integers", "floats", "whole floats", "single precision", "infinite", "too large", "text", "booleans"),
        *("decimals", "dates", "midnights", "times", "empty", "dictionary"),
    ],
)
def test_arrow_column_becomes_the_variable_that_it_is(
    tmp_path: Path, column: pa.Array, expected: tuple[str, list[Any], tuple[Any, ...], list[int]]
) -> None:
    data = pa.table({"x": column})
    assert _only(table_from_frame(data)) == expected
    pq.write_table(data, tmp_path / "x.parquet")
    assert _only(read_table(tmp_path / "x.parquet")) == expected


def test_pandas_frame_with_numbers_and_texts_in_one_column() -> None:
    frame = pd.DataFrame({"x": pd.Series([1, "b", None, 2.0], dtype=object), "y": [1, 2, 3, 4]})
    assert _only(table_from_frame(frame)) == ("categorical", ["1", "2", "b"], (None,), [0, 2, 3, 1])


def test_pandas_categories_keep_their_order_and_their_unused_levels() -> None:
    ordered = pd.Categorical(["mid", "low"], categories=["low", "mid", "high"], ordered=True)
    table = table_from_frame(pd.DataFrame({"x": ordered, "y": pd.Categorical(["b", "b"], categories=["c", "b"])}))
    assert _only(table) == ("categorical", ["low", "mid", "high"], (), [1, 0])
    assert table.schema["x"].is_ordered
    assert table.schema["y"].values.tolist() == ["b", "c"]


def test_frame_is_brought_onto_a_schema() -> None:
    schema = Schema((Variable("x", "numeric", np.arange(5)),))
    assert table_from_frame(pd.DataFrame({"x": [4.0, 2.0]}), schema)["x"].tolist() == [4, 2]
    with pytest.raises(MissingColumnsError):
        table_from_frame(pd.DataFrame({"z": [1]}), schema)


def test_what_is_no_frame_of_rows_is_rejected() -> None:
    with pytest.raises(NotATableError, match="'list'"):
        table_from_frame([1, 2])
    with pytest.raises(HeaderOnlyError):
        table_from_frame(pd.DataFrame({"x": []}))
    with pytest.raises(DuplicateColumnsError, match="'x'"):
        table_from_frame(pd.DataFrame([[1, 2]], columns=["x", "x"]))
    with pytest.raises(NotATableError, match="lists, records or bytes"):
        table_from_frame(pa.table({"x": [[1], [2]]}))


def test_schema_that_no_longer_fits_its_file_is_left_aside(tmp_path: Path) -> None:
    from divulge.table import write_table

    table = Table(Schema((Variable("x", "numeric", np.array([1, 2]), missing=(-9,)),)), (np.array([0, 2]),))
    write_table(table, tmp_path / "x.parquet")
    carried = pq.read_schema(tmp_path / "x.parquet").metadata
    pq.write_table(pa.table({"x": [1, 7]}).replace_schema_metadata(carried), tmp_path / "x.parquet")
    assert _only(read_table(tmp_path / "x.parquet")) == ("numeric", [1, 7], (), [0, 1])
