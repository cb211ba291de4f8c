"""Projects: who works in them, and how many checkers their submissions need."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy import select
from starlette.responses import Response

from divulge.errors import DivulgeError, NotFoundError, SpecError
from divulge.ledger import datasets, people, queries, states
from divulge.ledger.model import Membership, Person, Project, Role
from divulge.web import accounts
from divulge.web.access import Form, Id, SignedIn, Visitor, ledger_of
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)


@router.get("/projects")
def _list_projects(request: Request, visitor: SignedIn) -> Response:
    return _list(request, visitor)


@router.post("/projects")
def _add_project(request: Request, form: Form) -> Response:
    states.Rights(form.visitor.person).check_manage_people()
    try:
        with ledger_of(request).writing() as session:
            made = people.add_project(
                session,
                form.visitor.person,
                form.text("name", 300),
                about=form.text("about"),
                checkers_needed=form.number("checkers_needed") or 2,
            )
            made_id = made.id
    except SpecError as error:
        return _list(request, form.visitor, problem=error)
    return go(f"/projects/{made_id}", "added")


@router.get("/projects/{project_id}")
def _project(request: Request, visitor: SignedIn, project_id: Id) -> Response:
    return _one(request, visitor, project_id)


@router.post("/projects/{project_id}")
def _change_project(request: Request, form: Form, project_id: Id) -> Response:
    states.Rights(form.visitor.person).check_manage_people()
    try:
        with ledger_of(request).writing() as session:
            accounts.change_project(
                session,
                form.visitor.person,
                project_id,
                form.text("about"),
                form.number("checkers_needed"),
                form.text("is_open") == "yes",
            )
    except SpecError as error:
        return _one(request, form.visitor, project_id, problem=error)
    return go(f"/projects/{project_id}", "saved")


@router.post("/projects/{project_id}/members")
def _add_member(request: Request, form: Form, project_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        people.add_member(session, form.visitor.person, project_id, form.number("person") or 0)
    return go(f"/projects/{project_id}", "added")


@router.post("/projects/{project_id}/members/remove")
def _remove_member(request: Request, form: Form, project_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        people.add_member(session, form.visitor.person, project_id, form.number("person") or 0, remove=True)
    return go(f"/projects/{project_id}", "removed")


@router.post("/projects/{project_id}/datasets")
def _add_dataset(request: Request, form: Form, project_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        datasets.open_to(session, form.visitor.person, form.number("dataset") or 0, project_id)
    return go(f"/projects/{project_id}", "added")


@router.post("/projects/{project_id}/datasets/remove")
def _remove_dataset(request: Request, form: Form, project_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        datasets.open_to(session, form.visitor.person, form.number("dataset") or 0, project_id, remove=True)
    return go(f"/projects/{project_id}", "removed")


def _list(request: Request, visitor: Visitor, problem: DivulgeError | None = None) -> Response:
    with ledger_of(request).reading() as session:
        found = queries.list_projects(session, visitor.person, per_page=500).items
        return page(
            request,
            "projects",
            visitor,
            problem=problem,
            projects=found,
            can_manage=states.may(states.Rights(visitor.person).check_manage_people),
        )


def _one(request: Request, visitor: Visitor, project_id: int, problem: DivulgeError | None = None) -> Response:
    with ledger_of(request).reading() as session:
        found = session.get(Project, project_id)
        members = list(
            session.scalars(
                select(Person)
                .join(Membership, Membership.person_id == Person.id)
                .where(Membership.project_id == project_id)
                .order_by(Person.name)
            )
        )
        outsider = visitor.role is Role.RESEARCHER and visitor.id not in {m.id for m in members}
        if found is None or outsider:
            raise NotFoundError(f"there is no project {project_id} that you may see.")
        can_manage = states.may(states.Rights(visitor.person).check_manage_people)
        held = {m.id for m in members}
        everybody = queries.list_people(session, per_page=500).items if can_manage else []
        can_open = states.may(states.Rights(visitor.person).check_manage_data)
        opened = queries.open_datasets(session, [project_id]).get(project_id, [])
        known = queries.list_datasets(session, per_page=500).items if can_open else []
        return page(
            request,
            "project",
            visitor,
            problem=problem,
            project=found,
            members=members,
            others=[p for p in everybody if p.id not in held and p.is_active],
            can_manage=can_manage,
            can_open=can_open,
            datasets=opened,
            other_datasets=[d for d in known if d.id not in {o.id for o in opened}],
        )
