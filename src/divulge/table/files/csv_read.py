"""Delimited text into columns: blocks of rows parsed by pyarrow on two threads, in bounded memory.

Every column arrives as a dictionary of distinct texts, so nothing is guessed from the first rows.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from divulge.errors import DivulgeError, NotATableError, RaggedRowsError, UndecodableError
from divulge.table.build import build_table, check_columns
from divulge.table.column import RawColumn
from divulge.table.files.csv_columns import (
    NUMBERS,
    TEXTS,
    NotNumbersError,
    NumberColumn,
    NumberPart,
    TextColumn,
    TextPart,
    number_part,
    text_part,
)
from divulge.table.files.csv_text import (
    BLOCK_BYTES,
    Layout,
    plausible_cp1252,
    read_layout,
    undecodable,
    utf8_chunks,
)
from divulge.table.schema import Schema
from divulge.table.table import Table

_THREADS = 2  # parsing takes nearly all of the time; more threads than this wait for the thread that joins the blocks
_IN_FLIGHT = _THREADS + 1  # blocks read ahead; each costs about twice its bytes


def read_csv(path: Path, schema: Schema | None, delimiter: str | None, encoding: str | None) -> Table:
    """A delimited file as a table. UTF-8 is tried first, then, where it reads plausibly, Windows-1252."""
    try:
        return _read(path, schema, delimiter, encoding)
    except UndecodableError:
        if encoding is not None or not plausible_cp1252(path):
            raise
        return _read(path, schema, delimiter, "cp1252")


def _read(path: Path, schema: Schema | None, delimiter: str | None, encoding: str | None) -> Table:
    layout = read_layout(path, delimiter, encoding)
    check_columns(layout.names, schema)
    return build_table(_columns(layout), schema)


def _columns(layout: Layout) -> Iterator[RawColumn]:
    """The columns, each let go of here, so that its memory is free once it is coded."""
    columns = _read_columns(layout)
    for i, column in enumerate(columns):
        columns[i] = column.found() if isinstance(column, TextColumn) else column
        yield columns[i]
        columns[i] = None


def _read_columns(layout: Layout) -> list[Any]:
    wide = _wide_columns(layout)
    while True:
        try:
            columns, ragged = _joined(layout, _parsed(layout, wide), wide)
            if not ragged.rows:
                return [c.found() if isinstance(c, NumberColumn) else c for c in columns]
            break
        except NotNumbersError as stop:
            wide.remove(stop.column)
    # A quote inside an unquoted field (5" pipe) misleads the cutting into blocks. pyarrow's own stream cuts by the
    # fields themselves, but is slower; so rows are called ragged only where it says so too.
    columns, ragged = _joined(layout, _streamed(layout), set())
    if ragged.rows:
        raise _ragged_error(layout, ragged)
    return columns


@dataclass
class _Ragged:
    """Rows that do not have as many fields as the header: how many, and the first. The text stays in here."""

    rows: int = 0
    n_fields: int = 0
    text: str = ""

    def skip(self, row: pacsv.InvalidRow) -> str:
        if not self.rows:
            self.n_fields, self.text = row.actual_columns, row.text
        self.rows += 1
        return "skip"

    def add(self, other: _Ragged) -> None:
        if not self.rows:
            self.n_fields, self.text = other.n_fields, other.text
        self.rows += other.rows


_Parsed = tuple[list[TextPart | NumberPart], _Ragged]


def _options(layout: Layout, wide: set[int], ragged: _Ragged, block_size: int) -> dict[str, Any]:
    names = [str(i) for i in range(len(layout.names))]
    return {
        "read_options": pacsv.ReadOptions(column_names=names, use_threads=False, block_size=block_size),
        "parse_options": pacsv.ParseOptions(
            delimiter=layout.delimiter,
            newlines_in_values=True,
            # An empty line is a row only where a row is one field.
            ignore_empty_lines=len(names) > 1,
            invalid_row_handler=ragged.skip,
        ),
        "convert_options": pacsv.ConvertOptions(
            column_types={n: NUMBERS if i in wide else TEXTS for i, n in enumerate(names)},
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
        ),
    }


def _parse(layout: Layout, block: bytes, wide: set[int]) -> _Parsed:
    """One block of whole rows as parts of columns."""
    _check_utf8(layout, block)
    ragged = _Ragged()
    try:
        batch = pacsv.read_csv(pa.BufferReader(block), **_options(layout, wide, ragged, len(block) + 1))
    except pa.ArrowInvalid as error:
        raise _safe(layout, error) from None
    return _parts(batch, wide), ragged


def _check_utf8(layout: Layout, block: bytes) -> None:
    """pyarrow checks the bytes of fields only; of a ragged row it would print a traceback, and the text is near."""
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            raise undecodable(layout.path) from None


def _parts(batch: pa.Table | pa.RecordBatch, wide: set[int]) -> list[TextPart | NumberPart]:
    parts: list[TextPart | NumberPart] = []
    for i, column in enumerate(batch.columns):
        array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        parts.append(number_part(array, i) if i in wide else text_part(array))
    return parts


def _wide_columns(layout: Layout) -> set[int]:
    """The columns in which nearly every row of the first block has a number of its own."""
    block = next(layout.row_blocks(), b"")
    parts, _ = _parse(layout, block, set())
    wide = set()
    for i, part in enumerate(parts):
        column = TextColumn(layout.names[i])
        column.add(part)  # type: ignore[arg-type]  # no column is wide yet, so all parts are texts
        if column.is_wide():
            wide.add(i)
    return wide


def _parsed(layout: Layout, wide: set[int]) -> Iterator[_Parsed]:
    """All blocks, parsed on threads, in their order. Only a few are held at a time."""
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting: deque[Future[_Parsed]] = deque()
        try:
            for block in layout.row_blocks():
                waiting.append(pool.submit(_parse, layout, block, wide))
                if len(waiting) >= _IN_FLIGHT:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


class _Rows(io.RawIOBase):
    """The rows below the header as a stream of UTF-8."""

    def __init__(self, layout: Layout) -> None:
        self._chunks = utf8_chunks(layout.path, layout.encoding)
        self._held = next(self._chunks, b"")[layout.header_bytes :]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._held = chunk
        taken = self._held[: len(buffer)]
        buffer[: len(taken)] = taken
        self._held = self._held[len(taken) :]
        return len(taken)


def _streamed(layout: Layout) -> Iterator[_Parsed]:
    """All blocks by pyarrow's own stream, cut where fields end."""
    ragged, told = _Ragged(), 0
    try:
        source = io.BufferedReader(_Rows(layout), BLOCK_BYTES)
        for batch in pacsv.open_csv(source, **_options(layout, set(), ragged, BLOCK_BYTES)):
            yield _parts(batch, set()), _Ragged(ragged.rows - told, ragged.n_fields, ragged.text)
            told = ragged.rows
        # A block whose rows are all ragged gives no batch, so the last ones are told of here.
        nothing: list[TextPart | NumberPart] = [TextPart([], np.zeros(0, np.int32)) for _ in layout.names]
        yield nothing, _Ragged(ragged.rows - told, ragged.n_fields, ragged.text)
    except pa.ArrowInvalid as error:
        raise _safe(layout, error) from None


def _joined(
    layout: Layout, blocks: Iterator[_Parsed], wide: set[int]
) -> tuple[list[TextColumn | NumberColumn], _Ragged]:
    columns: list[TextColumn | NumberColumn] = [
        NumberColumn(name, i) if i in wide else TextColumn(name) for i, name in enumerate(layout.names)
    ]
    ragged = _Ragged()
    for parts, skipped in blocks:
        ragged.add(skipped)
        for column, part in zip(columns, parts, strict=True):
            column.add(part)  # type: ignore[arg-type]  # a column's parts are of its own sort
    if len(columns) == 1:
        columns[0].drop_last_empty()
    return columns, ragged


def _safe(layout: Layout, error: pa.ArrowInvalid) -> DivulgeError:
    """What went wrong, without pyarrow's message: that can hold values of the data."""
    if "UTF8" in str(error):
        return undecodable(layout.path)
    return NotATableError(
        "the rows below the header cannot be read as a table.",
        where=str(layout.path),
        hint=f"Is {layout.delimiter!r} the delimiter, and is every quote closed?",
    )


def _ragged_error(layout: Layout, ragged: _Ragged) -> RaggedRowsError:
    n_fields = len(layout.names)
    line = _line_of(layout, ragged.text.encode("utf-8"))
    where = "the first of them" if line is None else f"line {line:,}"
    rows = "1 row does" if ragged.rows == 1 else f"{ragged.rows:,} rows do"
    hint = f"The delimiter was taken to be {layout.delimiter!r}; fields that hold it must be in quotes."
    if ragged.n_fields == n_fields + 1:
        hint += " If the first column holds row names, give it a name in the header."
    return RaggedRowsError(
        f"{rows} not have as many fields as the header: {n_fields} are needed, {where} has {ragged.n_fields}.",
        where=str(layout.path),
        hint=hint,
    )


def _line_of(layout: Layout, row: bytes) -> int | None:
    """The number of the first line that begins with this whole row, counted from 1."""
    line = layout.header_lines
    for block in layout.row_blocks():
        text = b"\n" + block
        place = text.find(b"\n" + row)
        while place >= 0 and text[place + 1 + len(row) : place + 2 + len(row)] not in (b"", b"\n", b"\r"):
            place = text.find(b"\n" + row, place + 1)
        if place >= 0:
            return line + text.count(b"\n", 0, place + 1)
        line += block.count(b"\n")
    return None
