"""A connection to DuckDB (an optional extra) that fetches nothing, keeps within its memory, and leaves nothing behind.

DuckDB and not Arrow, because it groups rows that do not fit in memory, reads folders of Parquet files and files of its
own, and does so with one statement.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from divulge.errors import SourceError

MEMORY = "2GB"
"""What DuckDB may hold before it uses the disk."""


def connect(folder: str, *, database: Path | None = None, memory: str = MEMORY) -> Any:
    """A connection. folder: for temporary files. database: a file of DuckDB's own, opened to be read alone.

    Nothing is fetched at run time: DuckDB would otherwise download what it thinks it lacks. Whatever stands in a
    database (a view on other files, say) reads nothing outside it.
    """
    import duckdb

    config = {
        "memory_limit": memory,
        "temp_directory": folder,
        "preserve_insertion_order": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    if database is None:
        return duckdb.connect(config=config)
    connection = duckdb.connect(str(database), read_only=True, config=config)
    connection.execute("SET enable_external_access = false")
    return connection


@contextmanager
def opened(database: Path | None = None) -> Iterator[Any]:
    """A connection for as long as it is needed; its errors in our words, which quote no value."""
    try:
        import duckdb
    except ImportError:
        raise SourceError(
            "data that live here are counted by DuckDB, which is not installed.",
            hint="Install it: pip install 'divulge[duckdb]'.",
        ) from None
    # The folder is readable by nobody else, and is removed whatever happens.
    with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
        try:
            connection = connect(folder, database=database)
            try:
                yield connection
            finally:
                connection.close()
        except duckdb.Error as error:
            # Its messages may quote values; its type does not.
            raise SourceError(*_told(type(error).__name__, database is not None)) from None


def _told(kind: str, is_database: bool) -> tuple[str]:
    """What an error of DuckDB's means here."""
    if kind == "OutOfMemoryException":
        return (f"DuckDB ran out of memory ({MEMORY}) and of room on the disk for temporary files.",)
    if kind == "CatalogException":
        return ("the database has no such table, or its query names one that it does not have.",)
    if kind in ("ParserException", "BinderException"):
        return ("the query cannot be read by DuckDB, or names columns that there are not.",)
    if kind == "PermissionException":
        return ("the table reads files outside the database, which is not allowed here.",)
    if kind in ("IOException", "SerializationException", "FatalException"):
        if is_database:
            return ("the file is no DuckDB database of a version that can be read, or somebody is writing to it.",)
        return ("a file cannot be read: it is damaged, or was changed while it was read.",)
    if kind in ("ConversionException", "InvalidInputException", "InvalidTypeException"):
        return ("the files do not fit together: a column has another type in one of them, or a value is not valid.",)
    return (f"DuckDB could not read the data ({kind}).",)
