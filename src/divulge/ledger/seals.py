"""Seals: a digest of every column of every row that a decision rests on, carried by the audit trail.

Whatever a transaction adds, changes or removes is noticed when it is flushed, whoever changed it and why. The next
entry of the trail carries the digests of it, and a transaction that ends without an entry gets one. So nobody who
writes a new function has to remember. `verify` compares the rows with the newest digest of each column.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, event, inspect, select
from sqlalchemy.orm import ORMExecuteState, Session

from divulge.ledger.clock import moment
from divulge.ledger.model import Base
from divulge.record import to_plain

_UNSEALED = frozenset(
    {"alembic_version", "jobs", "log_in_attempts", "notices", "searches", "sessions", "trail", "trail_head"}
)
"""What decides nothing (work under way, log-ins, news), and the trail, which seals itself. All others are sealed."""

_CHANGED = "divulge_changed"  # where a session keeps what it has changed since the last entry
_LENGTH = 32  # hexadecimal digits of a digest: 128 bits, past any search for another value with the same

Rows = dict[str, dict[str, dict[str, str] | None]]
"""By table and key: the digest of each column, or None for a row that was removed."""


def sealed_tables() -> list[Table]:
    return [table for table in Base.metadata.sorted_tables if table.name not in _UNSEALED]


def canonical(value: Any) -> str:
    """Plain data as one JSON text, the same for the same data."""
    return json.dumps(to_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def watch(session: Session) -> None:
    """Notice from now on what this session changes."""
    session.info[_CHANGED] = {}
    event.listen(session, "after_flush", _note)
    event.listen(session, "do_orm_execute", _refuse_in_bulk)


def take(session: Session) -> Rows:
    """The digests of what has changed since the last time; the session must be flushed."""
    changed: dict[Any, tuple[Any, set[str] | None]] = session.info.get(_CHANGED, {})
    found: Rows = {}
    for (table, key), (row, columns) in changed.items():
        sealed = None if columns is None else {name: _digest(getattr(row, name)) for name in sorted(columns)}
        found.setdefault(table, {})[key] = sealed
    changed.clear()
    return found


def is_waiting(session: Session) -> bool:
    """Whether something has changed since the last entry."""
    return bool(session.info.get(_CHANGED))


def read_rows(connection: Connection, table: Table) -> Iterator[tuple[str, dict[str, str]]]:
    """The key and the digests of every row of a table as it is now. Columns that are not there yet are left out."""
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    columns = [column for column in table.columns if column.name in there]
    statement = select(*columns).order_by(*table.primary_key).execution_options(yield_per=200)
    for row in connection.execute(statement).mappings():
        key = _joined(row[column.name] for column in table.primary_key)
        yield key, {column.name: _digest(row[column.name]) for column in columns}


def _note(session: Session, _: Any) -> None:
    changed = session.info[_CHANGED]
    for row in (*session.new, *session.dirty, *session.deleted):
        table = row.__tablename__
        if table in _UNSEALED:
            continue
        state = inspect(row)
        key = (table, _joined(state.mapper.primary_key_from_instance(row)))
        names = [column.key for column in state.mapper.column_attrs]
        if row in session.deleted:
            changed[key] = (row, None)
        elif row in session.new:
            changed[key] = (row, set(names))
        else:
            anew = {name for name in names if state.attrs[name].history.has_changes()}
            before = changed[key][1] if key in changed else None
            if anew:
                changed[key] = (row, anew | (before or set()))


def _refuse_in_bulk(executed: ORMExecuteState) -> None:
    # A statement that changes rows without reading them would pass by unnoticed.
    mapper = executed.bind_mapper
    if not executed.is_select and mapper is not None and mapper.class_.__tablename__ not in _UNSEALED:
        raise AssertionError(f"rows of {mapper.class_.__tablename__} are changed one by one, so that they are sealed")


def _joined(key: Any) -> str:
    return ",".join(str(part) for part in key)


def _digest(value: Any) -> str:
    plain = moment(value) if isinstance(value, datetime) else value
    return hashlib.sha256(canonical(plain).encode()).hexdigest()[:_LENGTH]
