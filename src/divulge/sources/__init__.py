"""ROOM. Where data live, one source a file. A new source is a file and a line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge.errors import SpecError
from divulge.settings import read_settings
from divulge.sources.duckdb import Duckdb
from divulge.sources.file import File
from divulge.sources.postgresql import Postgresql
from divulge.sources.source import Source

SOURCES: tuple[type[Source], ...] = (File, Duckdb, Postgresql)
"""Every source; a spec names one by the field that is called like its kind."""

__all__ = ["SOURCES", "Source", "read_source"]


def read_source(given: Path | Mapping[str, Any], folder: Path) -> Source:
    """The source that `data:` names. An error does not repeat what was written: it may be a password."""
    if isinstance(given, Path):
        if ":/" in str(given):
            raise SpecError(
                "an address is no place for data: it may hold a password, and a spec is kept in the record.",
                where="data",
                hint="Name a file, or write data: {postgresql: SERVICE, table: …} with the rest in a service file.",
            )
        return File(file=given).under(folder)
    named = [source for source in SOURCES if source.kind in given]
    if len(named) != 1:
        known = ", ".join(source.kind for source in SOURCES)
        raise SpecError(
            "one source of data is needed.", where="data", hint=f"Name one of {known}: data: {{duckdb: census.duckdb}}."
        )
    if not all(value is None or isinstance(value, str | Path) for value in given.values()):
        raise SpecError("each part of a source is a text.", where="data", hint="Put names and queries into quotes.")
    return read_settings(named[0], given, "data").under(folder)
