"""Live progress as server-sent events: a look at the job every second, for as long as somebody watches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from divulge.ledger import queries, states, workflow
from divulge.ledger.database import Ledger
from divulge.web import sessions
from divulge.web.access import Id, SignedIn, cookie_name, ledger_of, run_in_threadpool, settings_of
from divulge.web.deployment import Deployment
from divulge.web.details import progress_words

router = APIRouter(include_in_schema=False)

_LONGEST_SECONDS = 600.0
"""Then the stream ends and the browser asks again, as somebody who is still logged in or no longer is."""

_SILENT_TICKS = 15
"""Looks without news after which something is sent all the same, so that no proxy takes the stream for dead."""


@dataclass(frozen=True)
class Watched:
    """What a bar shows; never why something failed."""

    words: str
    done: int
    total: int
    has_ended: bool


@router.get("/submissions/{submission_id}/progress")
def _progress(request: Request, visitor: SignedIn, submission_id: Id) -> StreamingResponse:
    ledger, settings = ledger_of(request), settings_of(request)
    with ledger.reading() as session:
        queries.find_submission(session, visitor.person, submission_id)
    token = request.cookies.get(cookie_name(settings))
    by_header = settings.user_header is not None

    def look() -> Watched | None:
        return _watch(ledger, settings, token, submission_id, visitor.person if by_header else None)

    return StreamingResponse(events(request, look, settings), media_type="text/event-stream")


def _watch(ledger: Ledger, settings: Deployment, token: str | None, submission_id: int, person: Any) -> Watched | None:
    """How far it is, for a log-in that is still open; None where it has ended."""
    with ledger.reading() as session:
        if person is None:
            found = sessions.find(session, token, settings)
            if found is None:
                return None
            person = found.person
        submission = workflow.get_submission(session, submission_id)
        job = workflow.latest_job(session, submission_id)
        sees = states.may(states.Rights(person).check_see_assessment, submission)
        if job is None or not sees:
            return Watched(progress_words(None, sees), 0, 0, True)
        return Watched(progress_words(job, sees), job.done, job.total, not job.is_active)


async def events(request: Request, look: Callable[[], Watched | None], settings: Deployment) -> AsyncIterator[str]:
    """What a look tells, whenever it is news, until it has ended or there is nothing more to see."""
    yield "retry: 3000\n\n"
    last: Watched | None = None
    silent = 0
    for _ in range(int(_LONGEST_SECONDS / settings.progress_seconds)):
        found = await run_in_threadpool(look)
        if found is None or request.app.state.stopping:
            return
        if found != last:
            shown = {"words": found.words, "done": found.done, "total": found.total}
            yield f"event: progress\ndata: {json.dumps(shown)}\n\n"
            last, silent = found, 0
        if found.has_ended:
            yield "event: ended\ndata: {}\n\n"
            return
        silent += 1
        if silent >= _SILENT_TICKS:
            yield ": still here\n\n"
            silent = 0
        await asyncio.sleep(settings.progress_seconds)
