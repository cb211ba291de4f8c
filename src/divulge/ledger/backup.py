"""Backup and restore: the whole ledger with its files in one archive, from either database into either.

The archive (tar) holds `manifest.json`, a file of JSON lines for each table, and every uploaded and released file under
its hash. Log-ins are left out: after a restore one logs in again. What is in it is as secret as the ledger itself.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, DateTime, Table, column, func, insert, inspect, select, table, text, update
from sqlalchemy.types import TypeEngine

from divulge.errors import LedgerError, TamperedError
from divulge.ledger.clock import moment
from divulge.ledger.database import Ledger, connect, current_version
from divulge.ledger.model import Base, TrailHead, utc_now
from divulge.ledger.store import Store, make_private_file
from divulge.ledger.trail import Head
from divulge.ledger.upgrade import upgrade
from divulge.ledger.verify import verify
from divulge.record import whole_file

_FORMAT = 1
_LEFT_OUT = frozenset({"sessions", "log_in_attempts"})
_AT_A_TIME = 500  # rows that are read or inserted at once


@dataclass(frozen=True)
class _Copied:
    """What is in an archive: where the audit trail ends, how many rows of each table, how many files, and of when."""

    head: Head
    rows: dict[str, int]
    files: int
    at: str


def back_up(ledger: Ledger, path: Path) -> _Copied:
    """Write an archive of everything as it is at one moment. The service may go on meanwhile."""
    counts: dict[str, int] = {}
    with whole_file(path) as temporary, tarfile.open(temporary, "w") as archive, _snapshot(ledger) as connection:
        found = connection.execute(select(TrailHead.count, TrailHead.hash)).one()
        head = Head(found.count, found.hash)
        manifest: dict[str, Any] = {
            "format": _FORMAT,
            "version": current_version(connection),
            "head": str(head),
            "at": moment(utc_now()),
        }
        _add(archive, "manifest.json", json.dumps(manifest).encode())
        for one in _tables():
            lines = [json.dumps(row, ensure_ascii=False) for row in _rows(connection, one)]
            counts[one.name] = len(lines)
            _add(archive, f"tables/{one.name}.jsonl", "\n".join(lines).encode())
        digests = sorted(_digests(connection))
        for digest in digests:
            _add(archive, f"files/{digest}", ledger.store.read(digest))
    make_private_file(path)
    return _Copied(head, counts, len(digests), manifest["at"])


def restore(given: str | None, store: Path | None, path: Path) -> tuple[Ledger, _Copied]:
    """Bring everything back into a database without a ledger, all or nothing, and look whether it is as it was."""
    try:
        with tarfile.open(path, "r") as archive:
            return _restore(given, store, archive)
    except (tarfile.TarError, OSError, KeyError, ValueError) as error:
        raise LedgerError(f"this is not a whole backup: {type(error).__name__}.", where=str(path)) from None


def _restore(given: str | None, store: Path | None, archive: tarfile.TarFile) -> tuple[Ledger, _Copied]:
    manifest = json.loads(_read(archive, "manifest.json"))
    if manifest["format"] != _FORMAT:
        raise LedgerError("the backup is of a format that this Divulge does not know.", hint="Use a newer Divulge.")
    count, _, noted = manifest["head"].partition(":")
    head = Head(int(count), noted)
    ledger = connect(given, store=store)
    with ledger.engine.connect() as connection:
        if _is_used(connection):
            raise LedgerError("there is a ledger already.", where=ledger.shown, hint="Restore into an empty database.")
    n_files = _put_files(archive, ledger.store)
    upgrade(ledger.engine, manifest["version"])
    counts: dict[str, int] = {}
    held = set(archive.getnames())
    with ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        there = set(inspect(connection).get_table_names())
        for one in _tables():
            if one.name not in there and f"tables/{one.name}.jsonl" not in held:
                # From a later version than the archive.
                continue
            rows = [
                json.loads(line) for line in _read(archive, f"tables/{one.name}.jsonl").decode().split("\n") if line
            ]
            counts[one.name] = len(rows)
            _insert(connection, one, rows)
    upgrade(ledger.engine)
    found = verify(ledger, expected=[head])
    if found.faults:
        raise TamperedError(f"what was restored is not what was written: {found.faults[0].what}.", where=ledger.shown)
    return ledger, _Copied(head, counts, n_files, str(manifest["at"]))


def _is_used(connection: Connection) -> bool:
    # Empty tables are what is left of a restore that could not be finished.
    if current_version(connection) is None:
        return False
    return bool(connection.scalar(select(TrailHead.count)))


def _snapshot(ledger: Ledger) -> Any:
    # SQLite reads one moment for as long as a transaction lasts; PostgreSQL has to be asked.
    if ledger.engine.dialect.name == "postgresql":
        return ledger.engine.execution_options(isolation_level="REPEATABLE READ").begin()
    return ledger.engine.begin()


def _tables() -> list[Table]:
    """Every table that is kept, each after those that it names."""
    return [one for one in Base.metadata.sorted_tables if one.name not in _LEFT_OUT]


def _rows(connection: Connection, one: Table) -> Iterator[dict[str, Any]]:
    statement = select(one).order_by(*one.primary_key).execution_options(yield_per=_AT_A_TIME)
    for row in connection.execute(statement).mappings():
        yield {name: moment(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _digests(connection: Connection) -> set[str]:
    uploads, releases = Base.metadata.tables["uploads"], Base.metadata.tables["releases"]
    found = set(connection.scalars(select(uploads.c.digest)))
    for manifest in connection.scalars(select(releases.c.manifest)):
        found |= {str(file["sha256"]) for file in manifest.get("files", [])}
    return found


def _insert(connection: Connection, one: Table, rows: list[dict[str, Any]]) -> None:
    if one.name == "trail_head":
        connection.execute(update(one).values(count=rows[0]["count"], hash=rows[0]["hash"]))
        return
    if not rows:
        return
    # Without the defaults of the newest version: an older one is brought back as it was, and upgraded then.
    types: dict[str, TypeEngine[Any]] = {c.name: c.type for c in one.columns}
    target = table(one.name, *(column(name, types[name]) for name in rows[0]))
    moments = [name for name in rows[0] if isinstance(getattr(types[name], "impl", types[name]), DateTime)]
    for row in rows:
        row.update({name: datetime.fromisoformat(row[name]) for name in moments if row[name] is not None})
    for start in range(0, len(rows), _AT_A_TIME):
        connection.execute(insert(target), rows[start : start + _AT_A_TIME])
    if connection.dialect.name == "postgresql" and "id" in rows[0]:
        sequence = connection.scalar(select(func.pg_get_serial_sequence(one.name, "id")))
        if sequence is not None:
            connection.execute(text("SELECT setval(:name, :last)"), {"name": sequence, "last": rows[-1]["id"]})


def _put_files(archive: tarfile.TarFile, store: Store) -> int:
    count = 0
    for member in archive.getmembers():
        if member.name.startswith("files/"):
            blob = store.put(_read(archive, member.name))
            if blob.digest != member.name.removeprefix("files/"):
                raise TamperedError("a file in the backup is not what it was.", where=member.name)
            count += 1
    return count


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    archive.addfile(member, io.BytesIO(content))


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file.read()
