"""Tables as delimited text: missing is an empty field, the empty text is "", other missing codes are their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from divulge.errors import WriteError
from divulge.record import write_whole
from divulge.table.infer import EXACT
from divulge.table.table import Table
from divulge.table.variable import Value, Variable, value_text

_ROWS = 1 << 16  # rows written at a time


def write_csv(table: Table, path: Path, delimiter: str, labels: bool) -> None:
    """Write delimited UTF-8 with a header."""
    if len(table.names) == 1 and table.n_rows and None in table.schema.variables[0].missing:
        variable = table.schema.variables[0]
        if table.columns[0][-1] == variable.n_values + variable.missing.index(None):
            # The last line would be empty, and nobody could tell it from the end of the file.
            raise WriteError(
                "a single column whose last row is missing cannot be told from a shorter one in CSV.",
                where=str(path),
                hint="Write it as Parquet.",
            )
    write_whole(path, _text(table, delimiter, labels))


def field_text(value: Value | None) -> str:
    """A value as it stands in a file. Floats that are large integers keep their dot or exponent: they stay floats."""
    if isinstance(value, float) and abs(value) >= EXACT:
        return repr(value)
    return value_text(value)


def _shown_texts(variable: Variable, labels: bool) -> list[str | None]:
    """For every code the text to write; None for the empty field."""
    values = [*variable.values.tolist(), *variable.missing]
    return [
        None if v is None else variable.labels[v] if labels and v in variable.labels else field_text(v) for v in values
    ]


def _text(table: Table, delimiter: str, labels: bool) -> Iterator[bytes]:
    needs_quotes = re.compile(f'[{re.escape(delimiter)}"\r\n]|^\\s|\\s$|^\ufeff|^$')

    def field(text: str | None) -> str:
        if text is None:
            return ""
        return '"' + text.replace('"', '""') + '"' if needs_quotes.search(text) else text

    yield (delimiter.join(field(name) for name in table.names) + "\n").encode("utf-8")
    ends = [delimiter] * (len(table.names) - 1) + ["\n"]
    texts = [
        pa.array([field(t) + end for t in _shown_texts(variable, labels)], type=pa.large_string())
        for variable, end in zip(table.schema, ends, strict=True)
    ]
    nothing = pa.scalar("", type=pa.large_string())
    for piece in table.pieces(_ROWS):
        columns = [t.take(pa.array(c.astype(np.int64))) for t, c in zip(texts, piece, strict=True)]
        rows = pc.binary_join_element_wise(*columns, nothing)
        # The rows lie one behind the other in the array's buffer: that is the file.
        end = int(np.frombuffer(rows.buffers()[1], np.int64, len(rows) + 1)[-1])
        yield rows.buffers()[2].slice(0, end).to_pybytes()
