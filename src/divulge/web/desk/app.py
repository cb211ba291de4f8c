"""The application of a desk: its page under a secret path, the service's guard around it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from divulge import __version__
from divulge.web.app import add_assets, add_errors, unexpected_failure
from divulge.web.deployment import Deployment
from divulge.web.desk import views
from divulge.web.desk.desk import Desk
from divulge.web.desk.keys import Keys
from divulge.web.forms import kind_forms
from divulge.web.guard import Guard
from divulge.web.pages import error_answer

_SETTINGS = Deployment(upload_bytes=8 << 30)
"""Names of loopback alone; data that are dropped in may be large."""


def create_desk(desk: Desk, keys: Keys) -> FastAPI:
    """The page over a folder. Nothing is answered outside the secret path but style, script and icon."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        kind_forms()
        yield
        app.state.stopping = True

    app = FastAPI(
        title="Divulge", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.state.desk, app.state.keys, app.state.settings, app.state.stopping = desk, keys, _SETTINGS, False
    app.include_router(views.router, prefix=keys.root)
    add_assets(app)
    add_errors(app)
    uploads = frozenset(f"{keys.root}/{name}" for name in views.UPLOADS)
    app.add_middleware(Guard, settings=_SETTINGS, uploads=uploads, refuse=error_answer, fail=unexpected_failure)
    return app
