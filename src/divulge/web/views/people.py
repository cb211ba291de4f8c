"""Accounts, for administrators. A new password is shown once, to whoever made it, and kept nowhere."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, SpecError
from divulge.ledger import queries, states
from divulge.ledger.listing import whole_number
from divulge.ledger.model import Person, Role
from divulge.web import accounts
from divulge.web.access import Form, Id, SignedIn, Visitor, ledger_of
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)


@router.get("/people")
def _list_people(request: Request, visitor: SignedIn) -> Response:
    return _list(request, visitor)


@router.post("/people")
def _add_person(request: Request, form: Form) -> Response:
    states.Rights(form.visitor.person).check_manage_people()
    try:
        with ledger_of(request).writing() as session:
            person, password = accounts.add_account(
                session,
                form.visitor.person,
                form.text("name", 300),
                form.text("role"),
                form.text("full_name", 300),
                form.text("proxy_name", 400),
                form.text("email", 400),
            )
    except SpecError as error:
        return _list(request, form.visitor, problem=error)
    if password is None:
        return go("/people", "added")
    return _list(request, form.visitor, told=(person, password))


@router.post("/people/{person_id}")
def _change_person(request: Request, form: Form, person_id: Id) -> Response:
    states.Rights(form.visitor.person).check_manage_people()
    try:
        with ledger_of(request).writing() as session:
            is_active = form.text("is_active") == "yes"
            person = accounts.change_account(session, form.visitor.person, person_id, form.text("role"), is_active)
            if "email" in form.fields:
                accounts.change_email(session, form.visitor.person, person, form.text("email", 400))
    except SpecError as error:
        return _list(request, form.visitor, problem=error)
    return go("/people", "saved")


@router.post("/people/{person_id}/password")
def _reset_password(request: Request, form: Form, person_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        told = accounts.reset_password(session, form.visitor.person, person_id)
    return _list(request, form.visitor, told=told)


def _list(
    request: Request,
    visitor: Visitor,
    problem: DivulgeError | None = None,
    told: tuple[Person, str] | None = None,
) -> Response:
    states.Rights(visitor.person).check_manage_people()
    at = whole_number(request.query_params.get("page", "1"), 6) or 1
    with ledger_of(request).reading() as session:
        found = queries.list_people(session, page=at)
    return page(request, "people", visitor, problem=problem, found=found, roles=list(Role), told=told)
