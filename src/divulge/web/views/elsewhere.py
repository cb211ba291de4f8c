"""Logging in at a provider of the organisation's own, and linking one's account with it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from divulge.errors import DivulgeError, NotAllowedError
from divulge.ledger.model import Person
from divulge.web import identities, passwords, sessions
from divulge.web.access import Form, Id, cookie_name, find_visitor, ledger_of, set_cookie, settings_of
from divulge.web.guard import safe_next
from divulge.web.oidc import Begun, LoggedInThere, LogIns
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)

_COOKIE = "divulge-elsewhere"
_LASTS = 600  # seconds for a log-in elsewhere


@router.get("/log-in/elsewhere")
def _begin(request: Request) -> Response:
    begun, address = _log_ins(request).begin(safe_next(request.query_params.get("next")))
    return _remembered(request, RedirectResponse(address, status_code=303), begun)


@router.post("/account/identities")
def _begin_link(request: Request, form: Form) -> Response:
    log_ins = _log_ins(request)
    _check_password(form.visitor.person, form.text("password"))
    begun, address = log_ins.begin("/account", link=form.visitor.token_hash)
    # A form may lead to no other site, so the way there is a link.
    return _remembered(request, page(request, "elsewhere", form.visitor, address=address), begun)


@router.post("/account/identities/{identity_id}/remove")
def _unlink(request: Request, form: Form, identity_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        identities.unlink(session, form.visitor.id, identity_id)
    return go("/account", "removed")


@router.get("/log-in/back")
def _back(request: Request) -> Response:
    log_ins = _log_ins(request)
    begun = Begun.read(request.cookies.get(_COOKIE))
    if begun is None:
        raise NotAllowedError("the log-in was not begun in this browser.", hint="Begin again.")
    query = request.query_params
    there = log_ins.end(begun, query.get("state", ""), query.get("code", ""))
    answer = _linked(request, begun, there) if begun.link else _logged_in(request, log_ins, begun, there)
    answer.delete_cookie(_COOKIE, path="/log-in")
    return answer


def _logged_in(request: Request, log_ins: LogIns, begun: Begun, there: LoggedInThere) -> Response:
    settings = settings_of(request)
    with ledger_of(request).writing() as session:
        person = identities.find_person(session, there, log_ins.provider.claim)
        # Whoever logs in again in the same browser leaves nothing of the earlier log-in behind.
        sessions.end(session, sessions.hashed(request.cookies.get(cookie_name(settings), "")))
        token = sessions.start(session, person, settings)
    answer = go(safe_next(begun.onward))
    set_cookie(answer, cookie_name(settings), token, settings)
    return answer


def _linked(request: Request, begun: Begun, there: LoggedInThere) -> Response:
    visitor = find_visitor(request)
    if visitor is None or visitor.token_hash != begun.link:
        raise NotAllowedError("the link was not asked for in this log-in.", hint="Begin again.")
    try:
        with ledger_of(request).writing() as session:
            identities.link(session, visitor.id, there)
    except DivulgeError as error:
        return page(request, "error", visitor, status=409, error=error, status_code=409)
    return go("/account", "linked")


def _log_ins(request: Request) -> LogIns:
    found: LogIns | None = request.app.state.log_ins
    if found is None or settings_of(request).user_header is not None:
        raise NotAllowedError("people log in with a password, or at a proxy, not elsewhere.")
    return found


def _remembered(request: Request, answer: Response, begun: Begun) -> Response:
    """Lax, since the browser comes back from another site; gone after ten minutes."""
    secure = settings_of(request).secure
    answer.set_cookie(
        _COOKIE, begun.as_cookie(), path="/log-in", max_age=_LASTS, secure=secure, httponly=True, samesite="lax"
    )
    return answer


def _check_password(person: Person, password: str) -> None:
    """Before something is linked: whoever has only found a browser open must not stay."""
    if person.password_hash is not None and not passwords.is_right(person.password_hash, password):
        raise NotAllowedError("this is not your password.", where="password")
