"""Files on their way out: reports, what came with a submission, and what was released."""

from __future__ import annotations

from urllib.parse import quote

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from divulge.errors import NotFoundError
from divulge.ledger import queries, releases
from divulge.web.access import Id, SignedIn, Visitor, ledger_of, run_in_threadpool
from divulge.web.details import check_see_assessment
from divulge.web.guard import DOWNLOAD_POLICY, REPORT_POLICY
from divulge.web.rendering import Renderer

router = APIRouter(include_in_schema=False, prefix="/submissions/{submission_id}")


@router.get("/report")
async def _report(request: Request, visitor: SignedIn, submission_id: Id) -> HTMLResponse:
    def find() -> tuple[str, str]:
        with ledger_of(request).reading() as session:
            assessment = check_see_assessment(session, visitor.person, submission_id)
            return assessment.digest, queries.find_record(session, assessment.id)

    renderer = _renderer_of(request)
    # Drawing takes seconds: whoever waits for it waits in a line of their own, and holds up no page.
    drawn = await run_sync(renderer.report, *await run_in_threadpool(find), limiter=renderer.line)
    headers = {"content-security-policy": REPORT_POLICY, "x-frame-options": "SAMEORIGIN"}
    return HTMLResponse(drawn, headers=headers)


@router.get("/files/{upload_id}")
def _file(request: Request, visitor: SignedIn, submission_id: Id, upload_id: Id) -> Response:
    return sent_file(request, visitor, submission_id, upload_id)


@router.get("/release.zip")
def _release(request: Request, visitor: SignedIn, submission_id: Id) -> Response:
    return released_files(request, visitor, submission_id)


def sent_file(request: Request, visitor: Visitor, submission_id: int, upload_id: int) -> Response:
    """A file that came with a submission, for whoever sees the submission."""
    ledger = ledger_of(request)
    with ledger.reading() as session:
        found = queries.find_submission(session, visitor.person, submission_id)
        upload = next((u for u in found.uploads if u.id == upload_id), None)
    if upload is None:
        raise NotFoundError("there is no such file.")
    return _as_file(ledger.store.read(upload.digest), upload.name)


def released_files(request: Request, visitor: Visitor, submission_id: int) -> Response:
    """What was released of a submission, as a zip."""
    ledger = ledger_of(request)
    with ledger.reading() as session:
        found = queries.find_submission(session, visitor.person, submission_id)
        made = found.release
    if made is None:
        raise NotFoundError("nothing of this submission was released.")
    return _as_file(releases.release_zip(ledger.store, made), f"release-{submission_id}.zip", "application/zip")


def _as_file(content: bytes, name: str, media_type: str = "application/octet-stream") -> Response:
    """A file to be saved, never to be shown as a page of ours."""
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "content-security-policy": DOWNLOAD_POLICY,
    }
    return Response(content, media_type=media_type, headers=headers)


def _renderer_of(request: Request) -> Renderer:
    renderer: Renderer = request.app.state.renderer
    return renderer
