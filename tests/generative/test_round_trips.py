"""What is written is read back value for value: hypothesis makes the tables."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from divulge.table import Schema, Table, Variable, read_table, write_table
from divulge.table.dates import as_date
from divulge.table.infer import parse_number
from divulge.table.variable import value_text

# Every character but control characters and halves of surrogate pairs; newlines and tabs are named on their own.
_CHARACTERS = st.characters(exclude_categories=("Cc", "Cs")) | st.sampled_from('\n\r\t,;|" ')
_TEXTS = st.text(_CHARACTERS, max_size=8) | st.sampled_from(
    ["", "NA", "007", "00", "-0", "2011-03-27", "27/03/2011", "1,5", "+5", "1e999", "9" * 30, "12345678901234567890"]
)


def _is_its_own_text(text: str) -> bool:
    """Not `0.` or `1.50`: in a column of numbers these are read as 0 and 1.5."""
    number = parse_number(text)
    return number is None or value_text(number) == text


_TEXTS = _TEXTS.filter(_is_its_own_text)
_INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-99, 99)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=6)


@st.composite
def variables(draw: st.DrawFn, name: str) -> Variable:
    """A variable whose values, missing codes and kind are such as a file can hold."""
    kind = draw(st.sampled_from(["texts", "integers", "floats"]))
    strategy = {"texts": _TEXTS, "integers": _INTEGERS, "floats": _FLOATS}[kind]
    values = draw(st.lists(strategy, min_size=1, max_size=8, unique_by=value_text))
    array = np.empty(len(values), dtype=object)
    array[:] = values
    missing: list[str | None] = [None] if draw(st.booleans()) else []
    if kind != "texts" and draw(st.booleans()):
        missing.append("NA")
    return Variable(name, "categorical" if kind == "texts" else "numeric", array, missing=tuple(missing))


@st.composite
def tables(draw: st.DrawFn, min_columns: int = 2) -> Table:
    names = draw(st.lists(_NAMES, min_size=min_columns, max_size=4, unique=True))
    schema = Schema(tuple(draw(variables(name)) for name in names))
    n_rows = draw(st.integers(1, 12))
    columns = [draw(st.lists(st.integers(0, v.n_codes - 1), min_size=n_rows, max_size=n_rows)) for v in schema]
    return Table(schema, tuple(np.array(c) for c in columns))


def shown(table: Table) -> dict[str, list[tuple[bool, str]]]:
    """Every cell as its text, the empty field apart from the empty text; days as the reader writes them."""
    found = {
        v.name: [
            (code >= v.n_values and v.missing[code - v.n_values] is None, v.texts[code]) for code in column.tolist()
        ]
        for v, column in zip(table.schema, table.columns, strict=True)
    }
    return {n: [(empty, as_date(text, "%d/%m/%Y") or text) for empty, text in cells] for n, cells in found.items()}


@given(table=tables(), suffix=st.sampled_from([".csv", ".tsv"]))
def test_delimited_text_round_trips_exactly_with_its_schema(table: Table, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write_table(table, path)
        again = read_table(path, table.schema, delimiter="\t" if suffix == ".tsv" else ",")
    assert again.equals(table)


@given(table=tables())
def test_delimited_text_round_trips_value_for_value_without_a_schema(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(table, path)
        again = read_table(path, delimiter=",")
        assert shown(again) == shown(table)
        write_table(again, path)
        assert read_table(path, delimiter=",").equals(again)


@given(table=tables(min_columns=1))
def test_parquet_round_trips_exactly(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(table, path)
        assert read_table(path).equals(table)


@given(table=tables(min_columns=1))
def test_parquet_of_another_program_round_trips_value_for_value(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(table, path)
        pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
        assert shown(read_table(path)) == shown(table)


@given(texts=st.lists(st.none() | _TEXTS, min_size=1, max_size=8))
@example(texts=[None, "", None, "x"])
def test_single_column_keeps_its_empty_lines_as_missing(texts: list[str | None]) -> None:
    texts = [*texts, "last"]
    values = sorted({t for t in texts if t is not None})
    array = np.empty(len(values), dtype=object)
    array[:] = values
    variable = Variable("only", "categorical", array, missing=(None,))
    codes = [variable.n_values if t is None else values.index(t) for t in texts]
    table = Table(Schema((variable,)), (np.array(codes),))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(table, path)
        assert shown(read_table(path, delimiter=",")) == shown(table)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_sixty_thousand_levels_round_trip(tmp_path: Path, suffix: str) -> None:
    levels = np.array([f"level {i:05d} é" for i in range(60_000)], dtype=object)
    schema = Schema((Variable("LEVEL", "categorical", levels), Variable("ID", "numeric", np.arange(60_000) * 7)))
    rng = np.random.default_rng(5)
    table = Table(schema, (rng.permutation(60_000), rng.permutation(60_000)))
    write_table(table, tmp_path / f"levels{suffix}")
    again = read_table(tmp_path / f"levels{suffix}")
    assert again.equals(table)
    assert again.columns[0].dtype == np.uint16
