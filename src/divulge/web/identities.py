"""Who people are at a provider of log-ins: found by the provider's own name for them, linked by themselves.

An address of e-mail or a name lets nobody in, unless whoever runs the service has named that claim, and an
administrator has entered its value with the account.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.errors import NotAllowedError, NotFoundError, StateError
from divulge.ledger import trail
from divulge.ledger.model import Identity, Person
from divulge.ledger.workflow import get_person
from divulge.web.oidc import LoggedInThere

_STRANGER = "you are known to the log-in, but not here."
_HINT = "Log in with your password and link it on the page of your account, or ask an administrator."


def find_person(session: Session, there: LoggedInThere, claim: str | None) -> Person:
    """The account of whom a provider has logged in; where a claim may be compared, it is linked at once."""
    held = _held(session, there)
    if held is not None:
        person = held.person
    else:
        found = _by_claim(session, there, claim)
        if found is None:
            raise NotAllowedError(_STRANGER, hint=_HINT)
        person = found
        _link(session, person, there, how=str(claim))
    if not person.is_active:
        raise NotAllowedError(_STRANGER, hint=_HINT)
    return person


def link(session: Session, by: int, there: LoggedInThere) -> None:
    """Let somebody who is logged in come in by the provider from now on."""
    person, held = get_person(session, by), _held(session, there)
    if held is not None and held.person_id != by:
        raise StateError("this log-in belongs to another account.")
    if held is None:
        _link(session, person, there, how="account")


def list_of(session: Session, person_id: int) -> list[Identity]:
    return list(session.scalars(select(Identity).where(Identity.person_id == person_id).order_by(Identity.id)))


def unlink(session: Session, by: int, identity_id: int) -> None:
    """Take one of one's own links away."""
    person, held = get_person(session, by), session.get(Identity, identity_id)
    if held is None or held.person_id != by:
        raise NotFoundError("you have no such link.")
    if person.password_hash is None:
        raise StateError("you have no password, and could not log in any more.")
    _unlink(session, held, person.name)


def unlink_all(session: Session, person_id: int, who: str) -> None:
    """Take all links of somebody away: their account may have been in other hands."""
    for held in list_of(session, person_id):
        _unlink(session, held, who)


def _held(session: Session, there: LoggedInThere) -> Identity | None:
    statement = select(Identity).where(Identity.issuer == there.issuer, Identity.subject == there.subject)
    return session.scalars(statement).one_or_none()


def _by_claim(session: Session, there: LoggedInThere, claim: str | None) -> Person | None:
    value = there.claims.get(claim) if claim is not None else None
    if not isinstance(value, str) or not value:
        return None
    if claim == "email" and there.claims.get("email_verified") is not True:
        # Anybody can type an address; whoever can read what is sent there has shown that it is theirs.
        return None
    # The name at the proxy is written by administrators alone; an address that people choose themselves is not asked.
    return session.scalars(select(Person).where(Person.proxy_name == value)).one_or_none()


def _link(session: Session, person: Person, there: LoggedInThere, how: str) -> None:
    session.add(Identity(issuer=there.issuer, subject=there.subject, person_id=person.id))
    session.flush()
    trail.append(session, person.name, "link", "person", person.id, {"issuer": there.issuer, "by": how})


def _unlink(session: Session, held: Identity, who: str) -> None:
    session.delete(held)
    session.flush()
    trail.append(session, who, "unlink", "person", held.person_id, {"issuer": held.issuer})
