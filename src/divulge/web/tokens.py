"""Tokens by which programs use the API: made on a page, shown once, of limited life, and revoked for good.

A token lets a program do some of what its owner may do at that moment, and nothing else: which, its scopes say. The
audit trail says of everything that a program does by which token it did so.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from divulge.errors import NotAllowedError, NotFoundError, SpecError
from divulge.ledger import states, trail
from divulge.ledger.model import ApiToken, Person, utc_now
from divulge.ledger.numbers import draw_numbers
from divulge.ledger.workflow import get_person
from divulge.web import passwords
from divulge.web.sessions import hashed

SUBMIT, CHECK = "submit", "check"

SCOPES: Mapping[str, str] = {
    SUBMIT: "Hand in outputs and new versions, withdraw them, comment",
    CHECK: "Decide, return, release, refuse, assess, assign, comment",
}
"""What a token may do beside reading what its owner may read."""

_PREFIX = "divulge_"  # so that programs that look for lost secrets know one
_LONGEST_DAYS = 366
_MOST = 20  # open tokens of one person


def offered(person: Person) -> dict[str, str]:
    """The scopes that are of use to somebody."""
    return {word: said for word, said in SCOPES.items() if word != CHECK or person.role in states.OVERSEEING}


def make(
    session: Session, by: int, name: str, scopes: Collection[str], days: int | None, password: str
) -> tuple[ApiToken, str]:
    """A new token of somebody's own, and its text, which is kept nowhere. password: theirs, where they have one."""
    person = get_person(session, by)
    if person.password_hash is not None and not passwords.is_right(person.password_hash, password):
        raise NotAllowedError("this is not your password.", where="password")
    kept = name.strip()
    if not kept or len(kept) > 100 or not kept.isprintable():
        raise SpecError("a name of 1 to 100 characters is needed.", where="name", hint="Say what will use it.")
    if not set(scopes) <= set(offered(person)):
        raise SpecError("a token cannot do more than its owner.", where="scope")
    if days is None or not 1 <= days <= _LONGEST_DAYS:
        raise SpecError(f"a token lasts 1 to {_LONGEST_DAYS} days.", where="days")
    now = utc_now()
    if sum(held.is_open(now) for held in list_of(session, by)) >= _MOST:
        raise SpecError(f"{_MOST} tokens are open.", where="name", hint="Revoke one that is not used.")
    text = _PREFIX + secrets.token_urlsafe(32)
    made = ApiToken(
        id=draw_numbers(session, ApiToken)[0],
        person_id=by,
        name=kept,
        token_hash=hashed(text),
        scopes=sorted(set(scopes)),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    session.add(made)
    session.flush()
    details = {"token": made.id, "scopes": made.scopes, "days": days}
    trail.append(session, person.name, "add token", "person", by, details)
    return made, text


def find(session: Session, text: str) -> ApiToken | None:
    """The open token with this text, with its owner, whose account is open too; else None."""
    statement = select(ApiToken).where(ApiToken.token_hash == hashed(text)).options(joinedload(ApiToken.person))
    found = session.scalar(statement)
    if found is None or not found.is_open(utc_now()) or not found.person.is_active:
        return None
    return found


def list_of(session: Session, person_id: int) -> list[ApiToken]:
    """Somebody's tokens, the newest first."""
    statement = select(ApiToken).where(ApiToken.person_id == person_id).order_by(ApiToken.created_at.desc())
    return list(session.scalars(statement))


def revoke(session: Session, by: int, token_id: int) -> None:
    """End a token of one's own, for good."""
    person, found = get_person(session, by), session.get(ApiToken, token_id)
    if found is None or found.person_id != by:
        raise NotFoundError("you have no such token.")
    _end(session, [found], person.name)


def revoke_all(session: Session, person_id: int, who: str) -> None:
    """End everything that programs hold of somebody: their account is closed, or may be in other hands."""
    _end(session, list_of(session, person_id), who)


def _end(session: Session, found: list[ApiToken], who: str) -> None:
    for one in found:
        if one.revoked_at is None:
            one.revoked_at = utc_now()
            trail.append(session, who, "revoke token", "person", one.person_id, {"token": one.id})
