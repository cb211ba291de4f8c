"""Logging in and out, and one's own account."""

from __future__ import annotations

import secrets
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from sqlalchemy import select
from starlette.datastructures import FormData
from starlette.responses import Response

from divulge.errors import DivulgeError, NotAllowedError
from divulge.ledger.model import Person
from divulge.web import accounts, identities, passwords, sessions
from divulge.web.access import (
    Form,
    SignedIn,
    Visitor,
    cookie_name,
    find_visitor,
    ledger_of,
    set_cookie,
    settings_of,
)
from divulge.web.devices import known_device, remember_device
from divulge.web.guard import client_address, safe_next
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)

_FORM_COOKIE = "divulge-form"  # before anybody is logged in, a form is ours where it repeats a random cookie
_WRONG = "Name or password is not right."  # the same for a name that does not exist

HELD_BACK = (
    "There were too many attempts. Wait a while (a quarter of an hour at most), use a browser in which you have logged "
    "in before, or ask an administrator."
)


@router.get("/log-in")
def _log_in_page(request: Request) -> Response:
    if find_visitor(request) is not None:
        return go(safe_next(request.query_params.get("next")))
    return _form(request, safe_next(request.query_params.get("next")))


async def _fields(request: Request) -> FormData:
    return await request.form(max_files=0, max_fields=10)


@router.post("/log-in")
def _log_in(request: Request, fields: Annotated[FormData, Depends(_fields)]) -> Response:
    settings, ledger = settings_of(request), ledger_of(request)
    onward = safe_next(_text(fields, "next"))
    token = request.cookies.get(_FORM_COOKIE, "")
    if not token or not secrets.compare_digest(token.encode(), _text(fields, "csrf").encode()):
        return _form(request, onward, "The form was too old. Please try again.", status=403)
    if settings.user_header is not None:
        raise NotAllowedError("people log in at the proxy in front of this service, not here.")
    made = attempt(request, _text(fields, "name"), _text(fields, "password"))
    if isinstance(made, str):
        return _form(request, onward, made, status=429 if made == HELD_BACK else 401)
    with ledger.writing() as session:
        # Whoever logs in again in the same browser leaves nothing of the earlier log-in behind.
        sessions.end(session, sessions.hashed(request.cookies.get(cookie_name(settings), "")))
    response = go("/account" if made.person.must_change_password else onward)
    set_cookie(response, cookie_name(settings), made.token, settings)
    remember_device(request, response, settings, made.person)
    response.delete_cookie(_FORM_COOKIE, path="/log-in")
    return response


def attempt(request: Request, name: str, password: str) -> sessions.LoggedIn | str:
    """Try to log somebody in; what to tell them where it does not work."""
    ledger, settings = ledger_of(request), settings_of(request)
    name, address = name.replace("\0", "").strip()[:150], client_address(request, settings)
    with ledger.reading() as session:
        person = session.scalar(select(Person).where(Person.name == name))
        device = known_device(request, settings, person)
        if sessions.is_held_back(session, name, address, device):
            return HELD_BACK
    right = passwords.is_right(person.password_hash if person is not None else None, password)
    with ledger.writing() as session:
        succeeded = right and person is not None and person.is_active
        sessions.note_attempt(session, name, device or address, succeeded)
        if not succeeded or person is None:
            return _WRONG
        return sessions.LoggedIn(sessions.start(session, person, settings), person)


@router.post("/log-out")
def _log_out(request: Request, form: Form) -> Response:
    with ledger_of(request).writing() as session:
        sessions.end(session, form.visitor.token_hash)
    response = go("/log-in", "logged-out")
    response.delete_cookie(cookie_name(settings_of(request)), path="/")
    return response


@router.get("/account")
def _account(request: Request, visitor: SignedIn) -> HTMLResponse:
    return _account_page(request, visitor)


@router.post("/account/notices")
def _change_notices(request: Request, form: Form) -> Response:
    try:
        with ledger_of(request).writing() as session:
            email = form.text("email", 400) if "email" in form.fields else None
            accounts.change_notices(session, form.visitor.id, email, form.text("tell"))
    except DivulgeError as error:
        return _account_page(request, form.visitor, problem=error)
    return go("/account", "saved")


def _account_page(request: Request, visitor: Visitor, problem: DivulgeError | None = None) -> HTMLResponse:
    settings = settings_of(request)
    with ledger_of(request).reading() as session:
        linked = identities.list_of(session, visitor.id)
    return page(
        request,
        "account",
        visitor,
        problem=problem,
        has_mail=settings.mail is not None,
        ways=accounts.TELL,
        linked=linked,
        has_provider=settings.provider is not None,
    )


@router.post("/account")
def _change_password(request: Request, form: Form) -> Response:
    try:
        with ledger_of(request).writing() as session:
            accounts.change_own_password(
                session,
                form.visitor.id,
                form.text("old"),
                form.text("new"),
                form.text("again"),
                form.visitor.token_hash,
            )
    except DivulgeError as error:
        return _account_page(request, form.visitor, problem=error)
    return go("/account", "password")


def log_in_address(request: Request) -> str:
    """The log-in, and back to where somebody wanted to go."""
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    onward = safe_next(wanted) if request.method == "GET" else "/"
    return "/log-in" if onward == "/" else f"/log-in?{urlencode({'next': onward})}"


def _form(request: Request, onward: str, wrong: str | None = None, status: int = 200) -> HTMLResponse:
    token = request.cookies.get(_FORM_COOKIE) or secrets.token_urlsafe(32)
    has_provider = settings_of(request).provider is not None
    response = page(
        request, "log_in", None, status=status, csrf=token, onward=onward, wrong=wrong, has_provider=has_provider
    )
    response.set_cookie(
        _FORM_COOKIE, token, path="/log-in", secure=settings_of(request).secure, httponly=True, samesite="strict"
    )
    return response


def _text(fields: FormData, name: str) -> str:
    value = fields.get(name)
    return value[:1000] if isinstance(value, str) else ""
