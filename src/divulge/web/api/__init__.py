"""The JSON API: the same functions as behind the pages, for programs. Its description is at /api/openapi.json."""

from fastapi import APIRouter, Depends
from fastapi.security import APIKeyHeader, HTTPBearer

from divulge.web.api import files, hooks, places, session, submissions
from divulge.web.api.shapes import ErrorShape

_REFUSED = {
    401: {"model": ErrorShape, "description": "Nobody is logged in."},
    403: {"model": ErrorShape, "description": "Not for this person."},
    404: {"model": ErrorShape, "description": "Not there, or not for this person."},
    409: {"model": ErrorShape, "description": "Not in this state."},
    413: {"model": ErrorShape, "description": "Too large."},
    422: {"model": ErrorShape, "description": "The request makes no sense."},
    429: {"model": ErrorShape, "description": "Too many attempts."},
}

_WAYS_IN = (
    HTTPBearer(auto_error=False, scheme_name="token", description="A token from the page /account/tokens."),
    APIKeyHeader(
        name="X-CSRF-Token",
        auto_error=False,
        scheme_name="log-in",
        description="With the cookie of a log-in: what GET /api/session tells. Only changes need it.",
    ),
)
"""For the description alone; who is asking is found in `divulge.web.access`."""

api = APIRouter(
    prefix="/api",
    responses=dict(_REFUSED),  # type: ignore[arg-type]  # as FastAPI documents it
    dependencies=[Depends(way) for way in _WAYS_IN],
)
for _part in (session, files, submissions, hooks, places):
    api.include_router(_part.router)

API_UPLOADS = frozenset({files.FILES_ADDRESS})
"""Addresses of the API that take files."""

__all__ = ["API_UPLOADS", "api"]
