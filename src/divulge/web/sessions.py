"""Log-ins: a random token in a cookie, its hash in the database, an end when idle, when old and when logged out."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, delete, func, select
from sqlalchemy.orm import Session, joinedload

from divulge.ledger.model import BrowserSession, LogInAttempt, Person, utc_now
from divulge.web.deployment import Deployment

WINDOW = timedelta(minutes=15)
"""How long a failed log-in counts."""

_AT_MOST = {"here": 5, "name": 20, "address": 50}
"""Failures in the window before one has to wait: of a name from one place, of a name from anywhere, from an address.

Five typing errors are a person; the two others slow down guessing from many places and of many names. In a browser in
which somebody has logged in before, none of them counts for that person, so that nobody is locked out by a stranger who
knows their name, nor an office by one of its people.
"""

_KNOWN_AT_MOST = 30  # failures of a person in a browser of their own: whoever has stolen it must not guess for ever
_FIRST_WAIT = timedelta(seconds=30)  # after the failure that is too many; twice as long after each further one

SEEN_EVERY = timedelta(minutes=1)
"""A log-in in use is written down this often, not with every request."""


_FIND = (
    select(BrowserSession)
    .where(BrowserSession.token_hash == bindparam("sought"))
    .options(joinedload(BrowserSession.person, innerjoin=True))
)
"""Asked with every page, so it is built once."""


@dataclass(frozen=True)
class LoggedIn:
    """A new log-in: the token, which is only ever in the cookie."""

    token: str
    person: Person


def hashed(token: str) -> str:
    """What is kept of a token: it has 256 random bits, so one pass of SHA-256 is as good as any."""
    return hashlib.sha256(token.encode()).hexdigest()


def start(session: Session, person: Person, settings: Deployment) -> str:
    """Begin a log-in and give its token. Old ones of anybody that have ended are swept away."""
    now = utc_now()
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at < now))
    token = secrets.token_urlsafe(32)
    session.add(
        BrowserSession(
            token_hash=hashed(token),
            person_id=person.id,
            csrf_secret=secrets.token_urlsafe(32),
            created_at=now,
            seen_at=now,
            expires_at=now + timedelta(seconds=settings.absolute_seconds),
        )
    )
    return token


def find(session: Session, token: str | None, settings: Deployment) -> BrowserSession | None:
    """The log-in that a cookie stands for, with its person; None where it ended or never was."""
    if not token:
        return None
    found = session.scalar(_FIND, {"sought": hashed(token)})
    if found is None or not _is_open(found, utc_now(), settings) or not found.person.is_active:
        return None
    return found


def _is_open(found: BrowserSession, now: datetime, settings: Deployment) -> bool:
    """Whether a log-in has neither been idle too long nor lasted too long."""
    return now < found.expires_at and now < found.seen_at + timedelta(seconds=settings.idle_seconds)


def is_stale(found: BrowserSession, settings: Deployment) -> bool:
    """Whether it is time to write down that the log-in is in use."""
    every = min(SEEN_EVERY, timedelta(seconds=settings.idle_seconds / 4))
    return utc_now() - found.seen_at > every


def end(session: Session, token_hash: str) -> None:
    """Log out: the cookie is worth nothing from now on, to anybody."""
    session.execute(delete(BrowserSession).where(BrowserSession.token_hash == token_hash))


def end_all(session: Session, person_id: int, but: str | None = None) -> None:
    """Log somebody out everywhere, but for one log-in where it is named: after a new password, a lost account."""
    session.execute(
        delete(BrowserSession).where(BrowserSession.person_id == person_id, BrowserSession.token_hash != (but or ""))
    )


def is_held_back(session: Session, name: str, address: str, device: str | None = None) -> bool:
    """Whether it is too early for another attempt at this name from here. device: of one in which it succeeded before.

    After the failures that are free one waits half a minute, then a minute, two … and a quarter of an hour at most.
    """
    by_name = LogInAttempt.name == name
    if device is not None:
        return _is_early(session, _KNOWN_AT_MOST, by_name, LogInAttempt.address == device)
    here = LogInAttempt.address == address
    return (
        _is_early(session, _AT_MOST["here"], by_name, here)
        or _is_early(session, _AT_MOST["name"], by_name)
        or _is_early(session, _AT_MOST["address"], here)
    )


def _is_early(session: Session, most: int, *conditions: ColumnElement[bool]) -> bool:
    now = utc_now()
    failed = (LogInAttempt.at > now - WINDOW, ~LogInAttempt.succeeded)
    count, last = session.execute(select(func.count(), func.max(LogInAttempt.at)).where(*failed, *conditions)).one()
    if count < most:
        return False
    wait = min(_FIRST_WAIT * 2 ** min(count - most, 10), WINDOW)
    return now < last + wait


def note_attempt(session: Session, name: str, address: str, succeeded: bool) -> None:
    """Write down a log-in that was tried. One that succeeds clears what this name failed at from here."""
    session.execute(delete(LogInAttempt).where(LogInAttempt.at < utc_now() - 4 * WINDOW))
    if succeeded:
        session.execute(delete(LogInAttempt).where(LogInAttempt.name == name, LogInAttempt.address == address))
    session.add(LogInAttempt(name=name, address=address, succeeded=succeeded))


def forget_failures(session: Session, name: str) -> None:
    """Let somebody who has a new password try it at once."""
    session.execute(delete(LogInAttempt).where(LogInAttempt.name == name))
