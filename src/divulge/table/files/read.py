"""`read_table`: a file of microdata as a table, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from divulge.errors import DivulgeError, NotATableError
from divulge.table.files.csv_read import read_csv
from divulge.table.files.parquet import read_parquet
from divulge.table.files.readable import check_readable
from divulge.table.files.statistical import read_statistical
from divulge.table.schema import Schema
from divulge.table.table import Table

DELIMITED = (".csv", ".tsv", ".txt", ".tab", ".dat")
READERS: dict[str, Callable[[Path, Schema | None], Table]] = {
    ".parquet": read_parquet,
    ".sav": read_statistical,
    ".zsav": read_statistical,
    ".dta": read_statistical,
    ".sas7bdat": read_statistical,
}
"""Readers of files that say themselves what they hold, by their endings."""


def read_table(
    path: str | os.PathLike[str],
    schema: Schema | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Microdata from a file: CSV (and other delimited text), Parquet, SPSS, Stata or SAS, by the file's ending.

    schema: what the columns are. Its variables come first; columns that it does not name are inferred and kept.
    delimiter, encoding: for delimited text, where the ones detected are wrong.
    """
    file = Path(path)
    check_readable(file)
    suffix = file.suffix.lower()
    try:
        if suffix in DELIMITED:
            return read_csv(file, schema, delimiter, encoding)
        if suffix in READERS:
            return READERS[suffix](file, schema)
    except DivulgeError as error:
        raise error.at(str(file)) from None
    known = ", ".join([*DELIMITED, *READERS])
    raise NotATableError(
        f"a table's ending is needed, this one is {suffix!r}." if suffix else "the file's name has no ending.",
        where=str(file),
        hint=f"Files that can be read end in {known}.",
    )
