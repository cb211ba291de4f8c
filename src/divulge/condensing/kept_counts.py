"""Condensed people that are kept between two assessments: a nation is counted once for each set of variables.

What is kept are combinations of values of real people. It lies in a folder that nobody else can look into, in files
that nobody else can read (0600), each under a digest of the data, of the variables and of what these are.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from divulge import __version__
from divulge.condensing.group_by import MANY
from divulge.errors import DivulgeError
from divulge.record import dumps, write_bytes
from divulge.table import Schema, Table
from divulge.table.frictionless import format_schema, parse_schema


@dataclass(frozen=True)
class Kept:
    """A folder of condensed tables. data: the digest of the data that they come from."""

    folder: Path
    data: str

    def table(self, names: Sequence[str], schema: Schema, read: Callable[[], Table]) -> Table:
        """The people by some variables: as they were kept, else as they are read, which are then kept if they are many.

        schema: what the variables are known to be. What cannot be read again as it was is not kept.
        """
        path = self._path("people", sorted(names), format_schema(schema.select(names)))
        found = _loaded(path)
        if found is not None:
            return found
        table = read()
        if table.people is not None and table.n_people >= MANY:
            content = _saved(table)
            again = _parsed(content)
            if again is not None and again.equals(table):
                self._write(path, content)
        return table

    def has_seen(self, file: Path) -> bool:
        """Whether this very file, unchanged since, was found to hold the data."""
        return self._path("seen", _stamp(file)).exists()

    def note(self, file: Path) -> None:
        """Remember that this file, as it is, holds the data."""
        self._write(self._path("seen", _stamp(file)), b"")

    def _path(self, *what: object) -> Path:
        return self.folder / hashlib.sha256(dumps([__version__, self.data, *what]).encode()).hexdigest()

    def _write(self, path: Path, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        # A temporary file of a name that nobody else knows, readable by this account alone, then a rename.
        write_bytes(path, content)
        path.chmod(0o600)


def _stamp(file: Path) -> list[object]:
    """What changes when somebody writes to a file, or puts another one in its place."""
    stat = file.stat()
    return [str(file.absolute()), stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]


def _saved(table: Table) -> bytes:
    assert table.people is not None, "condensed"
    content = io.BytesIO()
    columns = {f"v{i}": column for i, column in enumerate(table.columns)}
    schema = np.frombuffer(dumps(format_schema(table.schema)).encode(), dtype=np.uint8)
    np.savez(content, schema=schema, people=table.people, **columns)  # type: ignore[arg-type]  # arrays by name
    return content.getvalue()


def _loaded(path: Path) -> Table | None:
    """A kept table; None where there is none, where it is damaged, or where it is somebody else's."""
    try:
        if path.stat().st_uid != os.getuid():
            return None
        return _parsed(path.read_bytes())
    except OSError:
        return None


def _parsed(content: bytes) -> Table | None:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as held:
            schema = parse_schema(json.loads(held["schema"].tobytes()))
            return Table(schema, tuple(held[f"v{i}"] for i in range(len(schema))), held["people"])
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, DivulgeError):
        return None
