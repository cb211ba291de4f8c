"""The JSON API: the same functions as behind the pages, for programs. Its description is at /api/openapi.json."""

from fastapi import APIRouter

from divulge.web.api import places, session, submissions
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

api = APIRouter(prefix="/api", responses=dict(_REFUSED))  # type: ignore[arg-type]  # as FastAPI documents it
for _part in (session, submissions, places):
    api.include_router(_part.router)

API_UPLOADS: frozenset[str] = frozenset()
"""Addresses of the API that take files: none; figures are sent inline."""

__all__ = ["API_UPLOADS", "api"]
