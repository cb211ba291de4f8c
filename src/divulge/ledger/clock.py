"""What time it is by the database, whose clock all workers share."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session


def database_now(session: Session) -> datetime:
    """This moment by the database's clock; SQLite's is that of the one machine."""
    if session.get_bind().dialect.name == "sqlite":
        return datetime.now(UTC)
    now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return now.astimezone(UTC)


def moment(at: datetime) -> str:
    """A moment as text. Both databases keep microseconds; the text is the same whichever it came from."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
