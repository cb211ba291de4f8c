"""The application: its routes, its outermost guard, and the two places where errors become answers."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from anyio import CapacityLimiter
from anyio.to_thread import current_default_thread_limiter, run_sync
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from divulge import __version__
from divulge.errors import DivulgeError, LedgerError, NotAllowedError, NotFoundError, StateError, UsageError
from divulge.ledger.database import Ledger
from divulge.web import pages, parsing
from divulge.web.access import LogInNeededError, PasswordNeededError
from divulge.web.api import API_UPLOADS, api
from divulge.web.deployment import Deployment
from divulge.web.forms import kind_forms
from divulge.web.guard import Guard
from divulge.web.last_use import LastUse
from divulge.web.notify import Notifier
from divulge.web.oidc import LogIns
from divulge.web.pages import error_answer, unexpected_answer
from divulge.web.recognising import Recogniser
from divulge.web.rendering import Renderer
from divulge.web.view_log import NoteWhatIsSeen, Seen
from divulge.web.views import (
    dashboard,
    datasets,
    downloads,
    elsewhere,
    handed_in,
    home,
    people,
    programs,
    progress,
    projects,
    queue,
    safer,
    session,
    submission,
    submit,
)

_log = logging.getLogger("divulge.web")

_PAGES = (
    session,
    elsewhere,
    home,
    queue,
    dashboard,
    submit,
    submission,
    handed_in,
    safer,
    progress,
    downloads,
    datasets,
    projects,
    people,
    programs,
)

_THREADS = 8
"""Pages that are made at once. They share one interpreter: more of them only make each other, and all of them, late."""

_HEALTH_SECONDS = 5.0  # how long the database may take to say that it is there

_ASSETS = {
    "style.css": "text/css",
    "service.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


def create_app(ledger: Ledger, settings: Deployment | None = None) -> FastAPI:
    """The service over an open ledger."""
    chosen = settings or Deployment()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        # What the forms import takes a second: before anybody waits for it, and before several threads would do it.
        kind_forms()
        pages.warm_up()
        await run_in_threadpool(parsing.warm_up)
        if chosen.mail is not None or chosen.webhook is not None:
            app.state.notifier.start()
        yield
        app.state.stopping = True
        app.state.notifier.stop()
        app.state.last_use.write()
        app.state.seen.write()
        app.state.renderer.close()

    app = FastAPI(
        title="Divulge",
        version=__version__,
        description="A queue for output checkers, with a ledger of everything released.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.state.last_use, app.state.seen = LastUse(ledger), Seen(ledger)
    app.state.log_ins = LogIns(chosen.provider, chosen.address) if chosen.provider and chosen.address else None
    app.state.notifier = Notifier(ledger, chosen.mail, chosen.webhook, chosen.address)
    app.state.renderer = Renderer(ledger.store.reports_folder)
    app.state.recognisers = {oversees: Recogniser(ledger.store.folder / "handed-in") for oversees in (True, False)}
    app.state.ledger, app.state.settings, app.state.stopping = ledger, chosen, False
    for part in _PAGES:
        app.include_router(part.router)
    app.include_router(api)
    add_assets(app)
    add_errors(app)
    # The last to be added is the outermost.
    app.add_middleware(NoteWhatIsSeen, seen=app.state.seen)
    app.add_middleware(
        Guard, settings=chosen, uploads=submit.UPLOADS | API_UPLOADS, refuse=error_answer, fail=unexpected_failure
    )
    return app


def add_assets(app: FastAPI) -> None:
    """Style, script and icon, and an address that says whether the service and its database are there."""
    # Read once: three small files, under names that are known beforehand.
    held = {name: files("divulge.web").joinpath("static", name).read_bytes() for name in _ASSETS}

    @app.get("/static/{name}", include_in_schema=False)
    async def asset(name: str) -> Response:
        if name not in held:
            raise NotFoundError("there is no such file.")
        headers = {"cache-control": "public, max-age=600"}
        return Response(held[name], media_type=_ASSETS[name], headers=headers)

    # In a line of its own: pages that are being made do not make the service ill.
    line = CapacityLimiter(2)

    @app.get("/health", include_in_schema=False)
    async def health() -> JSONResponse:
        def ask() -> None:
            with app.state.ledger.reading() as session:
                session.execute(text("SELECT count FROM trail_head"))

        try:
            async with asyncio.timeout(_HEALTH_SECONDS):
                await run_sync(ask, limiter=line, abandon_on_cancel=True)
        except (SQLAlchemyError, TimeoutError):
            return JSONResponse({"status": "the database does not answer"}, status_code=503)
        return JSONResponse({"status": "ok"})


def add_errors(app: FastAPI) -> None:
    """Every error as a page or as JSON, in one place."""

    @app.exception_handler(DivulgeError)
    async def expected(request: Request, error: DivulgeError) -> Response:
        return error_answer(request, error, getattr(request.state, "visitor", None))

    @app.exception_handler(LogInNeededError)
    async def stranger(request: Request, _: LogInNeededError) -> Response:
        if request.url.path.startswith("/api/"):
            said = UsageError(
                "nobody is logged in.",
                hint="Send a token (Authorization: Bearer …), or POST name and password to /api/session.",
            )
            return JSONResponse(said.as_json(), status_code=401)
        return RedirectResponse(session.log_in_address(request), status_code=303)

    @app.exception_handler(PasswordNeededError)
    async def first_password(request: Request, _: PasswordNeededError) -> Response:
        if request.url.path.startswith("/api/"):
            said = NotAllowedError("choose a password of your own first.", hint="Go to your account.")
            return error_answer(request, said)
        return RedirectResponse("/account", status_code=303)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        if not request.url.path.startswith("/api/"):
            return error_answer(request, NotFoundError("there is no such page."))
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return error_answer(request, UsageError(f"{first['msg']}.", where=where))

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:
        said: dict[int, DivulgeError] = {
            404: NotFoundError("there is no such page."),
            405: StateError("this address cannot be used in this way."),
        }
        found = said.get(error.status_code, UsageError("the request cannot be read."))
        answer = error_answer(request, found)
        answer.status_code = error.status_code
        return answer

    @app.exception_handler(SQLAlchemyError)
    async def unreachable(request: Request, error: SQLAlchemyError) -> Response:
        # The statement and its parameters may hold what people wrote: the log gets the kind of failure and its place.
        _log_failure(request, getattr(error, "orig", None) or error, error)
        return error_answer(request, LedgerError("the database failed."))


def unexpected_failure(request: Request, error: Exception) -> Response:
    """The answer to what nobody foresaw. Given by the guard: the framework's own way cuts the connection as well."""
    _log_failure(request, getattr(error, "orig", None) or error, error)
    if isinstance(error, SQLAlchemyError):
        return error_answer(request, LedgerError("the database failed."))
    return unexpected_answer(request)


def _log_failure(request: Request, kind: BaseException, error: BaseException) -> None:
    # Where it happened, not what it said: a message may hold a value.
    where = "".join(traceback.format_tb(error.__traceback__)[-8:])
    _log.error("%s %s failed: %s\n%s", request.method, request.url.path, type(kind).__name__, where)
