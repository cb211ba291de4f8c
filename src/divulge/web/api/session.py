"""Logging in and out by program."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from divulge.errors import NotAllowedError
from divulge.ledger.model import Person
from divulge.web import sessions
from divulge.web.access import Caller, SignedIn, cookie_name, ledger_of, set_cookie, settings_of
from divulge.web.api.shapes import LogIn, Me
from divulge.web.devices import remember_device
from divulge.web.views.session import HELD_BACK, attempt

router = APIRouter(prefix="/session", tags=["session"])


@router.post("", name="log_in")
def _log_in(request: Request, response: Response, given: LogIn) -> Me:
    """Log in. The answer sets a cookie, and tells the token that every change needs."""
    settings = settings_of(request)
    if settings.user_header is not None:
        raise NotAllowedError("people log in at the proxy in front of this service, not here.")
    made = attempt(request, given.name, given.password)
    if isinstance(made, str):
        error = NotAllowedError(made)
        status = 429 if made == HELD_BACK else 401
        return JSONResponse(error.as_json(), status_code=status)  # type: ignore[return-value]  # FastAPI takes either
    set_cookie(response, cookie_name(settings), made.token, settings)
    remember_device(request, response, settings, made.person)
    with ledger_of(request).reading() as session:
        found = sessions.find(session, made.token, settings)
    return _me(made.person, found.csrf_secret if found is not None else "")


@router.get("", name="who_am_i")
def _who_am_i(visitor: SignedIn) -> Me:
    """Who is logged in."""
    return _me(visitor.person, "" if visitor.token is not None else visitor.csrf)


@router.delete("", status_code=204, name="log_out")
def _log_out(request: Request, visitor: Caller) -> Response:
    """Log out: the cookie is worth nothing from now on."""
    with ledger_of(request).writing() as session:
        sessions.end(session, visitor.token_hash)
    response = Response(status_code=204)
    response.delete_cookie(cookie_name(settings_of(request)), path="/")
    return response


def _me(person: Person, csrf: str) -> Me:
    return Me(
        name=person.name,
        full_name=person.full_name,
        role=person.role,
        csrf=csrf,
        must_change_password=person.must_change_password,
    )
