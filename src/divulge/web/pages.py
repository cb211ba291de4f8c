"""Turning what was found into pages: the templates, the words for states and moments, and errors as pages or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.responses import Response

from divulge.errors import (
    BusyError,
    DivulgeError,
    LeaseLostError,
    LedgerError,
    NotAllowedError,
    NotFoundError,
    StaleError,
    StateError,
    TooLargeError,
    TooSlowError,
    UsageError,
)
from divulge.web.access import Visitor, cookie_name, set_cookie, settings_of
from divulge.web.links import NAVIGATION

_STATUSES: Mapping[type[DivulgeError], int] = {
    NotFoundError: 404,
    NotAllowedError: 403,
    StateError: 409,
    StaleError: 409,
    LeaseLostError: 409,
    TooLargeError: 413,
    TooSlowError: 408,
    BusyError: 429,
    LedgerError: 503,
}
"""What a browser or a program is told; anything else that was expected is 422: the request makes no sense."""

_DONE: Mapping[str, str] = {
    "submitted": "Submitted. You will find the decision on this page.",
    "corrected": "Your corrections are in, as a new version. You will find the decision on this page.",
    "searching": "Changes are looked for as soon as a worker is free.",
    "offered": "The author sees what you offer once it is returned.",
    "commented": "Your comment is there.",
    "assigned": "Assigned.",
    "unassigned": "No longer assigned.",
    "decided": "Your decision is kept, with its reason.",
    "approved": "Approved: each of them is decided on by you, with your reason.",
    "returned": "Returned to the researcher with your reasons.",
    "withdrawn": "Withdrawn. You can submit a new version.",
    "cancelled": "The assessment is being stopped.",
    "retried": "The assessment starts again as soon as a worker is free.",
    "released": "Released. The files can be downloaded, with a manifest of their hashes.",
    "refused": "Refused for good.",
    "saved": "Saved.",
    "added": "Added.",
    "removed": "Removed.",
    "password": "Your password is changed. Other browsers were logged out.",
    "linked": "Linked. You can log in with your organisation from now on.",
    "revoked": "Revoked. Whoever has the token can do nothing with it any more.",
    "logged-out": "You are logged out.",
}
"""What a page says after something was done: only these words, whatever the address says."""


@cache
def _templates() -> Environment:
    """The templates, read once. Everything that comes from people or files is escaped."""
    environment = Environment(
        loader=PackageLoader("divulge.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters = {
        "moment": _moment,
        "age": _age,
        "size": _size,
        "number": _number,
        "figure": _figure,
        "plural": _plural,
        "short": _short,
        "coded": _coded,
    }
    environment.filters |= filters
    environment.globals |= {"link_to": _link_to}
    return environment


def warm_up() -> None:
    """Compile every template, before somebody waits for a page."""
    for name in _templates().list_templates():
        _templates().get_template(name)


def page(
    request: Request,
    name: str,
    visitor: Visitor | None,
    /,
    status: int = 200,
    problem: DivulgeError | None = None,
    **given: Any,
) -> HTMLResponse:
    """A page from a template and what it shows. problem: why what was asked for was not done, which sets the status."""
    shared = {
        "path": request.url.path,
        "visitor": visitor,
        "csrf": visitor.csrf if visitor is not None else "",
        "navigation": [entry for entry in NAVIGATION if visitor is not None and visitor.role in entry.roles],
        "by_proxy": settings_of(request).user_header is not None,
        "done": _DONE.get(request.query_params.get("done", "")),
        "problem": problem,
    }
    text = _templates().get_template(f"{name}.html.jinja").render(shared | given)
    response = HTMLResponse(text, status_code=status if problem is None else _status_of(problem))
    if visitor is not None and visitor.new_token is not None:
        set_cookie(response, cookie_name(settings_of(request)), visitor.new_token, settings_of(request))
    return response


def go(path: str, done: str | None = None) -> RedirectResponse:
    """After something was done: to a page that can be loaded again without doing it again."""
    return RedirectResponse(f"{path}?done={done}" if done is not None else path, status_code=303)


def _status_of(error: DivulgeError) -> int:
    return _STATUSES.get(type(error), 422)


def error_answer(request: Request, error: DivulgeError, visitor: Visitor | None = None) -> Response:
    """An expected failure: as JSON for the API, as a page for people."""
    status = _status_of(error)
    if status >= 500:
        # What a database says of itself is for the log, not for whoever asks.
        error = LedgerError("the service cannot reach its database.", hint="Try again in a minute.")
    if request.url.path.startswith("/api/"):
        answer: Response = JSONResponse(error.as_json(), status_code=status)
    else:
        answer = page(request, "error", visitor, status=status, error=error, status_code=status)
    if status == 413:
        # What is still on its way is not read.
        answer.headers["connection"] = "close"
    return answer


def unexpected_answer(request: Request) -> Response:
    """A fault of ours. What went wrong is in the log, under no circumstances in the answer."""
    error = UsageError("something went wrong on our side.", hint="It is in the log of the service.")
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": {**error.as_json()["error"], "type": "InternalError"}}, status_code=500)  # type: ignore[dict-item]
    return page(request, "error", None, status=500, error=error, status_code=500)


def _moment(at: datetime | None) -> Markup:
    """A moment as people read it, in UTC, and as programs do."""
    if at is None:
        return Markup("")
    at = at.astimezone(UTC)
    # Nothing in it needs escaping.
    return Markup(f'<time datetime="{at.isoformat(timespec="seconds")}">{at.day} {at:%b %Y, %H:%M} UTC</time>')


def _age(since: datetime, now: datetime) -> str:
    """How long something waits, in one unit."""
    minutes = max(0, int((now - since).total_seconds() // 60))
    for word, length in (("day", 1440), ("hour", 60)):
        if minutes >= length:
            return _plural(minutes // length, word)
    return _plural(minutes, "minute") if minutes else "less than a minute"


def _size(n_bytes: int) -> str:
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    if n_bytes < 1_000_000:
        return f"{n_bytes / 1000:,.0f} kB"
    return f"{n_bytes / 1_000_000:,.1f}".removesuffix(".0") + " MB"


def _coded(text: str) -> Markup:
    """A sentence in which what stands in backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _figure(value: float | None, digits: int = 4) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"


def _short(value: float | None) -> str:
    """A bound in few digits; empty where there is none."""
    return "" if value is None else f"{value:.6g}"


def _plural(count: int, word: str, many: str | None = None) -> str:
    return f"{count:,} {word if count == 1 else many or word + 's'}"


@pass_context
def _link_to(context: Context, path: str, **changed: Any) -> str:
    """This list with some filters changed; the first page unless one is named."""
    from urllib.parse import urlencode

    filters = context.get("filters")
    kept = {**(filters.as_query() if filters is not None else {}), **changed}
    asked = {name: value for name, value in kept.items() if value not in (None, "", [], 1)}
    return f"{path}?{urlencode(asked)}" if asked else path
