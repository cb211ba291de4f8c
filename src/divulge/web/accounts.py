"""Passwords and proxy names of people: what the ledger leaves to the web application, with entries in its trail."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from divulge.errors import NotAllowedError, NotFoundError, SpecError, UsageError
from divulge.ledger import notices, people, states, trail
from divulge.ledger.model import Person, Project, Role
from divulge.ledger.workflow import get_person
from divulge.web import identities, passwords, sessions, tokens
from divulge.web.notify.ways import check_email

TELL: Mapping[str, str] = {
    notices.EACH: "at once",
    notices.DAILY: "once a day, everything together",
    notices.NEVER: "never",
}
"""When somebody is told of news."""


def change_own_password(session: Session, by: int, old: str, new: str, again: str, token_hash: str) -> None:
    """Choose a password of one's own; other browsers are logged out."""
    person = get_person(session, by)
    if not passwords.is_right(person.password_hash, old):
        raise NotAllowedError("this is not your password now.", where="old password")
    if new != again:
        raise UsageError("the new password was not typed the same twice.", where="password")
    if new == old:
        raise UsageError("the new password is the old one.", where="password")
    passwords.check_new(new, person.name)
    person.password_hash, person.must_change_password = passwords.hash_password(new), False
    sessions.end_all(session, person.id, but=token_hash)
    trail.append(session, person.name, "password", "person", person.id)


def change_notices(session: Session, by: int, email: str | None, tell: str) -> None:
    """Where and how somebody is told of news. The address is for that alone: nobody is found or let in by it.

    email: None where it stays. Letters leave the safe setting, and an address of a researcher's own choice could carry
    a row of data out as well as a title could; so an administrator enters it.
    """
    person = get_person(session, by)
    if tell not in TELL:
        raise SpecError(f"how you are told is one of: {', '.join(TELL)}.", where="tell")
    if email is not None and person.role is Role.RESEARCHER:
        raise NotAllowedError("an administrator enters the address of a researcher.", where="e-mail")
    if email is not None:
        person.email = check_email(email)
    person.tell = tell
    trail.append(session, person.name, "notices", "person", person.id, {"tell": tell})


def add_account(
    session: Session, by: Person | None, name: str, role: str, full_name: str, proxy_name: str = "", email: str = ""
) -> tuple[Person, str | None]:
    """Open an account, with a password for the first log-in unless the proxy lets the person in."""
    if role not in set(Role):
        raise SpecError(f"a role is one of: {', '.join(Role)}.", where="role")
    password = None if proxy_name else passwords.new_password()
    if proxy_name and session.scalar(select(Person.id).where(Person.proxy_name == proxy_name)) is not None:
        raise SpecError("somebody else has this name at the proxy.", where="proxy name")
    person = people.add_person(
        session,
        by,
        name,
        Role(role),
        full_name=full_name,
        password_hash=None if password is None else passwords.hash_password(password),
        proxy_name=proxy_name[:300] or None,
        must_change_password=password is not None,
    )
    if email:
        change_email(session, by, person, email)
    return person, password


def reset_password(session: Session, by: Person | None, person_id: int) -> tuple[Person, str]:
    """Give somebody a password for their next log-in, which they then change; they and their programs are logged out.

    by: an administrator; None for the command line, whose user has the database before them anyway.
    """
    if by is not None:
        states.Rights(by).check_manage_people()
    person = session.get(Person, person_id)
    if person is None:
        raise NotFoundError(f"there is no person {person_id}.")
    password = passwords.new_password()
    person.password_hash, person.must_change_password = passwords.hash_password(password), True
    sessions.end_all(session, person.id)
    sessions.forget_failures(session, person.name)
    who = by.name if by is not None else trail.COMMAND_LINE
    tokens.revoke_all(session, person.id, who)
    identities.unlink_all(session, person.id, who)
    trail.append(session, who, "reset password", "person", person.id)
    return person, password


def change_email(session: Session, by: Person | None, person: Person, email: str) -> None:
    """Enter where somebody is told of news; empty: nowhere."""
    if by is not None:
        states.Rights(by).check_manage_people()
    kept = check_email(email)
    if kept != person.email:
        person.email = kept
        trail.append(session, by.name if by is not None else trail.COMMAND_LINE, "e-mail", "person", person.id)


def change_account(session: Session, by: Person, person_id: int, role: str, is_active: bool) -> Person:
    """Another role, or an account closed or opened. Whoever's account is closed is logged out, and so are programs."""
    if role not in set(Role):
        raise SpecError(f"a role is one of: {', '.join(Role)}.", where="role")
    person = people.change_person(session, by, person_id, role=Role(role), is_active=is_active)
    if not is_active:
        sessions.end_all(session, person_id)
        tokens.revoke_all(session, person_id, by.name)
    return person


def change_project(
    session: Session, by: Person, project_id: int, about: str, checkers_needed: int | None, is_open: bool
) -> Project:
    """What a project is about, how many checkers its submissions need from now on, and whether it takes any."""
    states.Rights(by).check_manage_people()
    project = session.get(Project, project_id)
    if project is None:
        raise NotFoundError(f"there is no project {project_id}.")
    if checkers_needed is None or not 1 <= checkers_needed <= 9:
        raise SpecError("1 to 9 checkers are needed.", where="checkers needed")
    project.about, project.checkers_needed, project.is_open = about, checkers_needed, is_open
    details = {"checkers_needed": checkers_needed, "is_open": is_open}
    trail.append(session, by.name, "change", "project", project.id, details)
    return project


def first_administrator(session: Session) -> tuple[Person, str] | None:
    """The first account and its password, where there is none at all."""
    if session.scalar(select(func.count()).select_from(Person)):
        return None
    person, password = add_account(session, None, "admin", Role.ADMINISTRATOR, "First administrator")
    assert password is not None, "made without a proxy name"
    return person, password
