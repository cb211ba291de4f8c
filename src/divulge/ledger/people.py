"""Accounts and projects: adding and changing them. Passwords are made and checked by the web application."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.errors import NotFoundError, SpecError
from divulge.ledger import states, trail
from divulge.ledger.model import Membership, Person, Project, Role


def add_person(
    session: Session,
    by: Person | None,
    name: str,
    role: Role,
    *,
    full_name: str = "",
    password_hash: str | None = None,
    proxy_name: str | None = None,
    must_change_password: bool = False,
) -> Person:
    """Open an account. by: an administrator; None for the command line and the first start of the server."""
    who = _manager(by)
    kept = name.strip()
    if not kept or len(kept) > 150 or not kept.isprintable():
        raise SpecError("a name of 1 to 150 characters is needed.", where="name")
    if session.scalars(select(Person.id).where(Person.name == kept)).first() is not None:
        raise SpecError(f"the name {kept!r} is taken.", where="name")
    person = Person(
        name=kept,
        role=role,
        full_name=full_name.strip()[:200],
        password_hash=password_hash,
        proxy_name=proxy_name,
        must_change_password=must_change_password,
    )
    session.add(person)
    session.flush()
    trail.append(session, who, "add", "person", person.id, {"name": kept, "role": role})
    return person


def change_person(
    session: Session, by: Person | None, person_id: int, *, role: Role | None = None, is_active: bool | None = None
) -> Person:
    """Give somebody another role, or close or open their account."""
    who = _manager(by)
    person = session.get(Person, person_id)
    if person is None:
        raise NotFoundError(f"there is no person {person_id}.")
    if by is not None and by.id == person_id and (is_active is False or (role is not None and role is not by.role)):
        raise SpecError("nobody closes their own account or changes their own role.", where="person")
    person.role = person.role if role is None else role
    person.is_active = person.is_active if is_active is None else is_active
    details = {"role": person.role, "is_active": person.is_active}
    trail.append(session, who, "change", "person", person.id, details)
    return person


def add_project(
    session: Session, by: Person | None, name: str, *, about: str = "", checkers_needed: int = 2
) -> Project:
    """Open a project. checkers_needed: how many must be in favour of a release."""
    who = _manager(by)
    kept = name.strip()
    if not kept or len(kept) > 200 or not kept.isprintable():
        raise SpecError("a name of 1 to 200 characters is needed.", where="name")
    if checkers_needed < 1:
        raise SpecError("at least one checker is needed.", where="checkers_needed")
    if session.scalars(select(Project.id).where(Project.name == kept)).first() is not None:
        raise SpecError(f"the name {kept!r} is taken.", where="name")
    project = Project(name=kept, about=about, checkers_needed=checkers_needed)
    session.add(project)
    session.flush()
    details = {"name": kept, "checkers_needed": checkers_needed}
    trail.append(session, who, "add", "project", project.id, details)
    return project


def add_member(session: Session, by: Person | None, project_id: int, person_id: int, *, remove: bool = False) -> None:
    """Let somebody work in a project, or no longer. Doing it twice changes nothing."""
    who = _manager(by)
    project, person = session.get(Project, project_id), session.get(Person, person_id)
    if project is None or person is None:
        raise NotFoundError("there is no such project or person.")
    held = session.get(Membership, (project_id, person_id))
    if (held is None) == remove:
        return
    if held is None:
        session.add(Membership(project_id=project_id, person_id=person_id))
    else:
        session.delete(held)
    session.flush()
    session.expire(project, ["memberships"])
    action = "remove member" if remove else "add member"
    trail.append(session, who, action, "project", project_id, {"person": person.name})


def _manager(by: Person | None) -> str:
    if by is None:
        return trail.COMMAND_LINE
    states.Rights(by).check_manage_people()
    return by.name
