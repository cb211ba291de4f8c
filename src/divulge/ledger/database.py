"""Opening a ledger: a SQLite file or a PostgreSQL database by URL, at the newest version of its tables.

What reads uses `Ledger.reading`, what writes `Ledger.writing`: one transaction each, whole or not at all.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from divulge.errors import LedgerError, StaleError, WriteError
from divulge.ledger import seals, trail
from divulge.ledger.anchors import write_anchor
from divulge.ledger.migrations import HEAD
from divulge.ledger.store import Store, make_private_file
from divulge.ledger.trail import Head

_log = logging.getLogger("divulge.ledger")

_DEFAULT = "divulge-ledger.sqlite"  # the file that is used where neither --ledger nor DIVULGE_LEDGER says otherwise
_BUSY_SECONDS = 30
"""How long a writer waits for another on SQLite. Transactions here take milliseconds; a backup may take seconds."""

_CONNECTIONS = 20
"""Connections that a process keeps: more than the service makes pages at once, each of which may hold two."""

UPGRADE_LOCK = 7_145_001
"""Advisory lock of PostgreSQL for changing tables; any number that nothing else in the database uses."""


@dataclass(frozen=True, eq=False)
class Ledger:
    """An open ledger: its database, and the folder with uploaded and released files.

    anchors: a file elsewhere, to which every release adds where the audit trail ends. token: the number of the token of
    a program that acts, which the audit trail notes with everything that is then written.
    """

    engine: Engine
    store: Store
    anchors: Path | None = None
    token: int | None = None

    @property
    def url(self) -> str:
        """The URL with its password, as another process needs it. Never print it: print `shown`."""
        return self.engine.url.render_as_string(hide_password=False)

    @property
    def shown(self) -> str:
        """The URL without a password."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session to read with; whatever is changed in it is dropped."""
        with Session(self.engine, expire_on_commit=False, autoflush=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are committed at the end, together, or not at all where anything is raised.

        On SQLite writers wait for each other from the start (BEGIN IMMEDIATE); on PostgreSQL rows are locked. A
        StaleError alone is raised after the commit: that an assessment was queued again is a change like any other.
        """
        engine = self.engine.execution_options(divulge_writes=True)
        stale: StaleError | None = None
        with Session(engine, expire_on_commit=False) as session, session.begin():
            seals.watch(session)
            session.info[trail.BY_TOKEN] = self.token
            try:
                yield session
            except StaleError as error:
                stale = error
            anchor = trail.append_what_is_left(session)
        if anchor is not None:
            self._tell(anchor)
        if stale is not None:
            raise stale

    def _tell(self, anchor: Head) -> None:
        """After every release: where the trail ends now. It cannot be undone any more, so nothing fails here."""
        _log.info("released; the audit trail ends at %s", anchor)
        if self.anchors is not None:
            try:
                write_anchor(self.anchors, anchor)
            except WriteError as error:
                _log.error("%s", error)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ledger_url(given: str | None = None) -> URL:
    """The URL of a ledger: from what was given (a URL, or a SQLite file), from DIVULGE_LEDGER, or the default file."""
    named = given or os.environ.get("DIVULGE_LEDGER") or _DEFAULT
    if "://" not in named:
        return URL.create("sqlite", database=str(Path(named).absolute()))
    try:
        url = make_url(named)
    except (ArgumentError, ValueError):
        raise LedgerError(
            "this is not the URL of a database.",
            where="--ledger",
            hint="Name a file, or write postgresql://name@host/database.",
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise LedgerError(
            f"a ledger is kept in SQLite or PostgreSQL, not in {url.get_backend_name()}.", where="--ledger"
        )
    if url.get_backend_name() == "sqlite" and not url.database:
        raise LedgerError("a ledger in memory is gone when the program ends.", where="--ledger", hint="Name a file.")
    return url


def open_ledger(given: str | None = None, *, store: Path | None = None, create: bool = True) -> Ledger:
    """Open a ledger, and bring its tables to this version where they are older.

    given: as for `_ledger_url`. store: the folder of files (else DIVULGE_STORE, else beside the SQLite file).
    create: whether a SQLite file that is not there is made.
    """
    ledger = connect(given, store=store, create=create)
    try:
        _bring_up_to_date(ledger.engine)
    except DBAPIError as error:
        raise _unreachable(error, ledger.shown) from None
    return ledger


def connect(given: str | None = None, *, store: Path | None = None, create: bool = True) -> Ledger:
    """The same, with the tables left as they are."""
    url = _ledger_url(given)
    if url.get_backend_name() == "sqlite":
        file = Path(str(url.database))
        if not file.exists() and not create:
            raise LedgerError("there is no ledger.", where=str(file), hint="Make one with divulge ledger add.")
        if not file.parent.is_dir():
            raise LedgerError("there is no such folder.", where=str(file.parent))
        # SQLite gives the files that it makes beside it the same rights.
        make_private_file(file)
    return Ledger(_make_engine(url), Store(_store_folder(url, store)), _anchors())


def _make_engine(url: URL) -> Engine:
    """An engine with what either database needs to be safe: foreign keys, waiting writers, a check of old links."""
    try:
        if url.get_backend_name() == "sqlite":
            # Kept open: opening one reads the tables' layout and loses the statements that were prepared.
            engine = create_engine(url, pool_size=_CONNECTIONS, connect_args={"timeout": _BUSY_SECONDS})
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
            return engine
        # Links that a restart of the database has cut are noticed before they are used.
        return create_engine(
            url, pool_pre_ping=True, pool_size=_CONNECTIONS, max_overflow=20, connect_args={"connect_timeout": 10}
        )
    except ModuleNotFoundError:
        raise LedgerError(
            "the driver of PostgreSQL is not installed.", hint="Install divulge with its extra: divulge[postgres]."
        ) from None


def _prepare_sqlite(connection: Any, _: ConnectionPoolEntry) -> None:
    # The driver would begin transactions by itself, too late for BEGIN IMMEDIATE.
    connection.isolation_level = None
    cursor = connection.cursor()
    # NORMAL under WAL may lose the last commits when the power fails; a release must not be forgotten.
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("divulge_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _store_folder(url: URL, given: Path | None) -> Path:
    named = given or (Path(os.environ["DIVULGE_STORE"]) if os.environ.get("DIVULGE_STORE") else None)
    if named is not None:
        return named.absolute()
    if url.get_backend_name() == "sqlite":
        file = Path(str(url.database)).absolute()
        return file.with_name(f"{file.stem}.files")
    return Path("divulge-store").absolute()


def _anchors() -> Path | None:
    named = os.environ.get("DIVULGE_ANCHORS")
    return Path(named).absolute() if named else None


def current_version(connection: Connection) -> str | None:
    """The version of the tables; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _bring_up_to_date(engine: Engine) -> None:
    with engine.connect() as connection:
        version = current_version(connection)
    if version == HEAD:
        return
    # Alembic takes as long to import as all the rest, and is needed once.
    from divulge.ledger.upgrade import upgrade

    upgrade(engine)


def _unreachable(error: DBAPIError, shown: str) -> LedgerError:
    # What the driver says names hosts and files, never a row.
    said = str(error.orig).strip().splitlines()
    return LedgerError(
        f"the database cannot be opened: {said[0] if said else type(error.orig).__name__}.",
        where=shown,
        hint="Is it running, does the database exist, and may you reach it?",
    )
