"""What may be wrong with a deployment: the database, its guards, files and rights, data, room on the disk, workers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from divulge.ledger.clock import database_now
from divulge.ledger.database import Ledger, current_version
from divulge.ledger.guards import missing_guards
from divulge.ledger.migrations import HEAD
from divulge.ledger.model import ACTIVE, Dataset, Job, JobState, Person, Role, utc_now
from divulge.ledger.trail import chain_faults

_LEAST_ROOM = 1 << 30  # bytes on the disk of the store: some uploads and the splits of a few assessments
_WAITS_LONG = timedelta(minutes=10)  # a job that waits longer with nobody at work: is there a worker?
_CLOCKS_APART = timedelta(seconds=30)  # between this machine and the database: leases of a minute rest on them


@dataclass(frozen=True)
class _Finding:
    """One thing that was looked at. is_wrong: somebody should do something, which `hint` says."""

    what: str
    is_wrong: bool = False
    hint: str = ""


def check_up(ledger: Ledger) -> Iterator[_Finding]:
    """Look at everything that can be looked at without changing anything."""
    try:
        with ledger.engine.connect() as connection:
            version, is_guarded = current_version(connection), True
            if version is not None:
                is_guarded = not missing_guards(connection)
    except DBAPIError as error:
        kind = type(error.orig).__name__
        yield _Finding(f"the database does not answer ({kind})", True, "Is it running, and is DIVULGE_LEDGER its URL?")
        return
    if version is None:
        yield _Finding("there is no ledger in the database yet", True, "Start divulge serve, or restore a backup.")
        return
    if version != HEAD:
        hint = "Any command that opens it brings it up to date; back it up first."
        yield _Finding(f"the tables are of version {version}; this Divulge has {HEAD}", True, hint)
        return
    yield _Finding(f"the database answers, at version {version}")
    yield _Finding(
        "the audit trail is guarded" if is_guarded else "a guard of the audit trail is gone",
        not is_guarded,
        "Run divulge ledger verify, and restore from a backup.",
    )
    with ledger.reading() as session:
        yield from _trail(session)
        yield from _people(session)
        yield from _work(session)
        yield from _data(session)
        apart = abs(database_now(session) - utc_now())
    said = f"the clocks of machine and database are {apart.total_seconds():.0f} seconds apart"
    yield _Finding(said, apart > _CLOCKS_APART, "Set both by the same time server.")
    yield from _files(ledger)


def _trail(session: Session) -> Iterator[_Finding]:
    faults = chain_faults(session)
    said = f"the audit trail is not as it was written: {faults[0].what}" if faults else "the audit trail is whole"
    yield _Finding(said, bool(faults), "Run divulge ledger verify; restore from a backup.")


def _people(session: Session) -> Iterator[_Finding]:
    people = session.scalars(select(Person).where(Person.is_active)).all()
    n_checkers = sum(p.role is Role.CHECKER for p in people)
    if people:
        has_one = any(p.role is Role.ADMINISTRATOR for p in people)
        said = "there is an administrator" if has_one else "nobody is an administrator"
        yield _Finding(said, not has_one, "divulge people reset-password opens a log-in; roles are changed by one.")
        yield _Finding(f"{n_checkers} can check outputs", n_checkers < 2, "Two are needed for most releases.")


def _work(session: Session) -> Iterator[_Finding]:
    now = database_now(session)
    active = session.scalars(select(Job).where(Job.state.in_(ACTIVE))).all()
    waits = [job for job in active if job.state is JobState.QUEUED and now - job.created_at > _WAITS_LONG]
    is_worked_at = any(job.heartbeat_at and now - job.heartbeat_at < _WAITS_LONG for job in active)
    stuck = bool(waits) and not is_worked_at
    said = f"{len(waits)} jobs wait and nobody works at any" if stuck else f"{len(active)} jobs wait or run"
    yield _Finding(said, stuck, "Start divulge worker, and look at what it says.")


def _data(session: Session) -> Iterator[_Finding]:
    for name, path in session.execute(select(Dataset.name, Dataset.path).order_by(Dataset.name)):
        is_there = False
        with suppress(OSError, ValueError):
            is_there = Path(path).is_file() and os.access(path, os.R_OK)
        said = f"the data of {name!r} can be read" if is_there else f"the data of {name!r} cannot be read here"
        yield _Finding(said, not is_there, "Workers need the file under the path that was registered.")


def _files(ledger: Ledger) -> Iterator[_Finding]:
    folder = ledger.store.folder
    nearest = next((p for p in (folder, *folder.parents) if p.exists()), Path("/"))
    if not os.access(nearest, os.W_OK | os.X_OK):
        yield _Finding(f"the store {folder} cannot be written to", True, "Give it to the account of the service.")
    room = shutil.disk_usage(nearest).free
    said = f"{room / (1 << 30):,.1f} GB are free where the store is"
    yield _Finding(said, room < _LEAST_ROOM, "Make room: uploads and assessments fail on a full disk.")
    secret = [folder, *([Path(str(ledger.engine.url.database))] if ledger.engine.dialect.name == "sqlite" else [])]
    seen = [str(p) for p in secret if p.exists() and p.stat().st_mode & 0o077]
    said = (
        f"others of the machine can look into {', '.join(seen)}" if seen else "only this account reads ledger and store"
    )
    yield _Finding(said, bool(seen), "chmod go= for each of them.")
