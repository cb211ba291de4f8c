"""The audit trail: adding an entry, and finding whether anything was changed since.

Each entry carries the hash of the one before. A head keeps the count and the last hash, and every release keeps the
head of its moment, so that a change, a removal, a new order or a cut-off end is found. Who can rewrite the whole
database can rewrite the whole trail: keep anchors elsewhere (`divulge.ledger.anchors`), and `verify` compares them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import astuple, dataclass
from typing import Any

from sqlalchemy import inspect, select, text
from sqlalchemy.orm import Session

from divulge.ledger import seals
from divulge.ledger.clock import database_now, moment
from divulge.ledger.model import Release, TrailEntry, TrailHead
from divulge.ledger.seals import canonical

COMMAND_LINE = "command line"
"""Who did it, where no account did."""

WORKER = "worker"
"""Who did it, where a worker did."""

SERVICE = "service"
"""Who did it, where it follows from what somebody else did."""

RELEASED = "divulge_released"
"""Where a session says that it has released something."""

BY_TOKEN = "divulge_token"
"""Where a session says which token of a program it acts by."""

_START = "0" * 64  # what stands for the hash before the first entry
_TRAIL_LOCK = 7_145_002
"""Advisory lock of PostgreSQL for adding an entry; any number that nothing else in the database uses."""

_AT_A_TIME = 1000
"""Entries that are read at a time when the trail is verified: enough to be quick, few enough for any memory."""

_SEALED_AT_A_TIME = 200  # rows in an entry of an upgrade: some tens of kilobytes


@dataclass(frozen=True)
class Head:
    """Where a trail ends."""

    count: int
    hash: str

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"


@dataclass(frozen=True)
class Fault:
    """Something that is not as it was written. number: the entry at which it was noticed, where there is one."""

    number: int | None
    what: str


def digest(value: Any) -> str:
    """SHA-256 of plain data."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def append(
    session: Session, person: str, action: str, subject: str, subject_id: int, details: dict[str, Any] | None = None
) -> Head:
    """Add an entry in the running transaction, which must be one of `Ledger.writing`. The last thing that it does.

    It carries the seals of every row that the transaction has changed since the entry before. Entries are added one
    after another: SQLite lets one writer in at a time, PostgreSQL holds the others at a lock until that one ends.
    """
    session.flush()
    rows = seals.take(session)
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _TRAIL_LOCK})
    # Whatever this session has seen of the head before is older than the lock.
    head = session.get_one(TrailHead, 1, populate_existing=True)
    by_token = session.info.get(BY_TOKEN)
    said = {**(details or {}), **({"rows": rows} if rows else {})}
    entry = TrailEntry(
        number=head.count + 1,
        at=database_now(session),
        person=person,
        action=action,
        subject=subject,
        subject_id=subject_id,
        details=canonical({**said, "by_token": by_token} if by_token is not None else said),
        previous=head.hash,
    )
    entry.hash = _entry_hash(entry)
    session.add(entry)
    head.count, head.hash = entry.number, entry.hash
    session.flush()
    return Head(head.count, head.hash)


def append_what_is_left(session: Session) -> Head | None:
    """Add an entry for rows that were changed after the last one, where there are any. Called before every commit.

    Where something was released: the head with which the transaction ends, which is an anchor.
    """
    session.flush()
    if seals.is_waiting(session):
        append(session, SERVICE, "rows", "ledger", 0)
    return read_head(session) if session.info.get(RELEASED) else None


def seal_everything(session: Session) -> None:
    """Add entries with the seals of every row that there is: for a ledger from before there were seals."""
    connection = session.connection()
    for table in seals.sealed_tables():
        if not inspect(connection).has_table(table.name):
            continue
        rows = list(seals.read_rows(connection, table))
        for start in range(0, len(rows), _SEALED_AT_A_TIME):
            part = dict(rows[start : start + _SEALED_AT_A_TIME])
            append(session, SERVICE, "seal", "ledger", 0, {"rows": {table.name: part}})


def _entry_hash(entry: TrailEntry) -> str:
    """The hash of an entry: over every field but itself, and so over everything before it."""
    return digest(
        [
            entry.number,
            moment(entry.at),
            entry.person,
            entry.action,
            entry.subject,
            entry.subject_id,
            entry.details,
            entry.previous,
        ]
    )


def read_head(session: Session) -> Head:
    head = session.get_one(TrailHead, 1)
    return Head(head.count, head.hash)


def entries(session: Session) -> Iterator[TrailEntry]:
    """Every entry in order, a thousand at a time."""
    last = -1
    while True:
        found = session.scalars(
            select(TrailEntry).where(TrailEntry.number > last).order_by(TrailEntry.number).limit(_AT_A_TIME)
        ).all()
        if not found:
            return
        yield from found
        last = found[-1].number
        session.expunge_all()


def chain_faults(session: Session, expected: Collection[Head] = ()) -> list[Fault]:
    """What is wrong with the trail itself. expected: heads that were noted elsewhere, at any time before."""
    faults: list[Fault] = []
    anchors: dict[int, set[str]] = {}
    for count, noted in (*session.execute(select(Release.trail_count, Release.trail_hash)), *map(astuple, expected)):
        if count:
            anchors.setdefault(count, set()).add(noted)
    head = read_head(session)
    previous, number = _START, 0
    for entry in entries(session):
        number += 1
        if entry.number != number:
            faults.append(Fault(number, f"entry {number} is missing: the next one is {entry.number}"))
            number = entry.number
        elif entry.previous != previous:
            faults.append(Fault(number, f"entry {number} does not follow from the one before it"))
        if _entry_hash(entry) != entry.hash:
            faults.append(Fault(number, f"entry {number} is not what was written"))
        wanted = anchors.pop(number, None)
        if wanted is not None and wanted != {entry.hash}:
            faults.append(Fault(number, f"entry {number} is not the one that was noted elsewhere or with a release"))
        previous = entry.hash
    if number < head.count:
        faults.append(Fault(number, f"the trail ends at entry {number}; {head.count} were written"))
    elif number > head.count:
        faults.append(Fault(number, f"the trail has {number} entries; only {head.count} were written"))
    elif previous != head.hash:
        faults.append(Fault(number, "the last entry is not the one that was written last"))
    faults += [Fault(count, f"entry {count} was noted elsewhere and is gone") for count in sorted(anchors)]
    return faults
