"""`read_table`: a file of microdata as a table, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from divulge.errors import DivulgeError, EmptyFileError, FileIsDirectoryError, FileMissingError, NotATableError
from divulge.table.csv_read import read_csv
from divulge.table.schema import Schema
from divulge.table.table import Table

DELIMITED = (".csv", ".tsv", ".txt", ".tab", ".dat")
READERS: dict[str, Callable[[Path, Schema | None], Table]] = {}
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


def check_readable(path: Path) -> None:
    """Raise where there is no file, it is a folder, it is empty, or we may not read it."""
    try:
        if path.is_dir():
            raise FileIsDirectoryError(
                "a file is needed, this is a folder.", where=str(path), hint="Name a file inside it."
            )
        with path.open("rb") as file:
            if not file.read(1):
                raise EmptyFileError("the file is empty.", where=str(path), hint="Was the export interrupted?")
    except FileNotFoundError:
        raise FileMissingError("there is no such file.", where=str(path), hint=_near(path)) from None
    except OSError as error:
        raise FileMissingError(
            f"the file cannot be opened: {error.strerror}.", where=str(path), hint="May you read it?"
        ) from None


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"There is no folder {str(path.parent)!r} either."
    return "Is the name spelt as on disk, with its ending?"
