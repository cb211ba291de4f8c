"""Who is asking: the log-in behind a cookie, the person whom a trusted proxy names, or the owner of a program's token.

And whether a form is theirs.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BeforeValidator, Field
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response

from divulge.errors import NotAllowedError
from divulge.ledger.database import Ledger
from divulge.ledger.listing import whole_number
from divulge.ledger.model import ApiToken, BrowserSession, Person, Role
from divulge.web import sessions, tokens
from divulge.web.deployment import Deployment
from divulge.web.guard import client_address
from divulge.web.last_use import LastUse

MOST_FIELDS = 2000  # fields of one form; a table of cells has hundreds


class LogInNeededError(Exception):
    """Nobody is logged in: a page sends to the log-in, the API answers 401. No failure of ours, so no DivulgeError."""


class PasswordNeededError(Exception):
    """A first password is to be changed: a page sends to the account, the API answers 403. No failure either."""


@dataclass(frozen=True)
class Visitor:
    """Somebody who is logged in, for as long as one request."""

    person: Person
    csrf: str
    token_hash: str
    new_token: str | None = None
    """The cookie to set, where a proxy brought somebody who had none."""
    token: ApiToken | None = None
    """That by which a program asks; None where a browser does."""

    @property
    def id(self) -> int:
        return self.person.id

    @property
    def role(self) -> Role:
        return self.person.role


@dataclass(frozen=True)
class Sent:
    """A form that was sent; its token was right."""

    fields: FormData

    def text(self, name: str, most: int = 20_000) -> str:
        """A field's text without blanks at its ends; empty where it is absent. Line ends are as everywhere else."""
        value = self.fields.get(name)
        if not isinstance(value, str):
            return ""
        return value.replace("\r\n", "\n").replace("\x00", "").strip()[:most]

    def texts(self, name: str) -> list[str]:
        """All texts of a field that may come several times, without empty ones."""
        return [v.strip() for v in self.fields.getlist(name) if isinstance(v, str) and v.strip()]

    def number(self, name: str) -> int | None:
        """A field's whole number; None where it is none."""
        return whole_number(self.text(name))


@dataclass(frozen=True)
class Posted(Sent):
    """The same with who sent it."""

    visitor: Visitor


def _as_written(given: Any) -> Any:
    """A number in an address is digits alone. Else `+7` and `7.0` were other addresses of the same thing."""
    if isinstance(given, str) and whole_number(given, digits=10) is None:
        raise ValueError("a whole number is needed")
    return given


Id = Annotated[int, BeforeValidator(_as_written), Field(ge=1, lt=2**31)]
"""The number of something: one that both databases take as a key."""


def ledger_of(request: Request) -> Ledger:
    """The ledger; what a program writes to it is noted as done by its token."""
    ledger: Ledger = request.app.state.ledger
    visitor: Visitor | None = getattr(request.state, "visitor", None)
    return ledger if visitor is None or visitor.token is None else replace(ledger, token=visitor.token.id)


def settings_of(request: Request) -> Deployment:
    settings: Deployment = request.app.state.settings
    return settings


def cookie_name(settings: Deployment) -> str:
    # The prefix makes browsers refuse it from other hosts of the domain and over plain HTTP.
    return "__Host-divulge" if settings.secure else "divulge"


def set_cookie(response: Response, name: str, value: str, settings: Deployment) -> None:
    """A cookie of the session: gone with the browser, out of reach of scripts, not sent along from other sites."""
    response.set_cookie(name, value, path="/", secure=settings.secure, httponly=True, samesite="lax")


def find_visitor(request: Request) -> Visitor | None:
    """Whoever is asking, or None. Where a token is sent, it alone counts."""
    ledger, settings = ledger_of(request), settings_of(request)
    sent = _sent_token(request)
    if sent is not None:
        return _by_token(request, sent)
    token = request.cookies.get(cookie_name(settings))
    named = _named_by_proxy(request, settings)
    with ledger.reading() as session:
        found = sessions.find(session, token, settings)
        if settings.user_header is not None:
            if named is None:
                return None
            if found is None or found.person.proxy_name != named:
                return _arrive(ledger, settings, named)
        if found is None:
            return None
        visitor = Visitor(found.person, found.csrf_secret, found.token_hash)
    if sessions.is_stale(found, settings):
        last_use: LastUse = request.app.state.last_use
        last_use.note(found.token_hash)
    return visitor


def _signed_in(request: Request) -> Visitor:
    """Whoever is asking; raises where nobody is logged in. A first password is changed before anything else is done."""
    visitor = find_visitor(request)
    if visitor is None:
        raise LogInNeededError
    request.state.visitor = visitor
    if visitor.person.must_change_password and request.url.path not in ("/account", "/log-out", "/api/session"):
        raise PasswordNeededError
    return visitor


SignedIn = Annotated[Visitor, Depends(_signed_in)]


def check_csrf(fields: FormData, secret: str) -> None:
    """Raise where a form has not the token of the page that it should come from."""
    given = fields.get("csrf")
    if not isinstance(given, str) or not secrets.compare_digest(given.encode(), secret.encode()):
        raise NotAllowedError(
            "the form is not from a page of yours, or from before you last logged in.",
            hint="Open the page again and send it once more.",
        )


async def _posted(request: Request, visitor: SignedIn) -> AsyncIterator[Posted]:
    """The form that was sent, read only after its sender is known, and refused without the page's token."""
    # Closed at the end, and with it the temporary files that it came in.
    async with request.form(max_files=100, max_fields=MOST_FIELDS) as fields:
        check_csrf(fields, visitor.csrf)
        yield Posted(fields, visitor)


Form = Annotated[Posted, Depends(_posted)]


def _caller(*scopes: str) -> Callable[..., Visitor]:
    """For changes by the API. A browser sends a header that no other site can set; a token needs one of the scopes."""

    def check(request: Request, visitor: SignedIn) -> Visitor:
        if visitor.token is not None:
            if not set(scopes) & set(visitor.token.scopes):
                needed = " or ".join(scopes)
                hint = f"Make one with the scope {needed}." if scopes else "Log in with name and password."
                raise NotAllowedError("the token does not allow this.", hint=hint)
            return visitor
        given = request.headers.get("x-csrf-token", "")
        if not secrets.compare_digest(given.encode(), visitor.csrf.encode()):
            raise NotAllowedError("the header X-CSRF-Token is missing or not yours.", hint="GET /api/session tells it.")
        return visitor

    return check


Caller = Annotated[Visitor, Depends(_caller())]
"""Somebody in a browser: what no token allows."""

Submitter = Annotated[Visitor, Depends(_caller(tokens.SUBMIT))]
Checking = Annotated[Visitor, Depends(_caller(tokens.CHECK))]
Speaker = Annotated[Visitor, Depends(_caller(tokens.SUBMIT, tokens.CHECK))]


def _sent_token(request: Request) -> str | None:
    """The token that a program sends. Pages know none: what a browser or a proxy writes there is not for us."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    is_ours = request.url.path.startswith("/api/") and kind.casefold() == "bearer"
    return text.strip() if is_ours else None


def _by_token(request: Request, text: str) -> Visitor | None:
    with ledger_of(request).reading() as session:
        found = tokens.find(session, text)
    if found is None:
        return None
    named = _named_by_proxy(request, settings_of(request))
    if named is not None and named != found.person.proxy_name:
        raise NotAllowedError("the token is not of whom the proxy names.")
    # It has no forms, so nothing that a form could send is right.
    return Visitor(found.person, secrets.token_urlsafe(32), "", token=found)


def _named_by_proxy(request: Request, settings: Deployment) -> str | None:
    """The person that the proxy in front of us names. What anybody else writes into the header is nothing."""
    peer = request.client.host if request.client else ""
    if settings.user_header is None or not settings.trusts(peer):
        return None
    return request.headers.get(settings.user_header) or None


def _arrive(ledger: Ledger, settings: Deployment, named: str) -> Visitor:
    with ledger.writing() as session:
        person = session.scalar(select(Person).where(Person.proxy_name == named))
        if person is None or not person.is_active:
            raise NotAllowedError("you are known to the log-in, but not here.", hint="Ask an administrator to add you.")
        token = sessions.start(session, person, settings)
        session.flush()
        found = session.get_one(BrowserSession, sessions.hashed(token))
        return Visitor(person, found.csrf_secret, found.token_hash, new_token=token)


__all__ = [
    "MOST_FIELDS",
    "Caller",
    "Checking",
    "Form",
    "Id",
    "LogInNeededError",
    "PasswordNeededError",
    "Posted",
    "Sent",
    "SignedIn",
    "Speaker",
    "Submitter",
    "Visitor",
    "check_csrf",
    "client_address",
    "cookie_name",
    "find_visitor",
    "ledger_of",
    "run_in_threadpool",
    "set_cookie",
    "settings_of",
]
