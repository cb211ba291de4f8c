"""Files by program: handing in files as they are or a folder of ACRO's, and taking away what came or was released."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from divulge.errors import SpecError
from divulge.ledger import workflow
from divulge.ledger.datasets import get_open_dataset, schema_of
from divulge.ledger.model import Dataset
from divulge.ledger.proposals import Proposal
from divulge.web import intake
from divulge.web.access import Id, Posted, SignedIn, Submitter, ledger_of, settings_of
from divulge.web.api.shapes import SubmissionShape
from divulge.web.api.submissions import shape_of
from divulge.web.parsing import one_at_a_time
from divulge.web.views.downloads import released_files, sent_file

router = APIRouter(prefix="/submissions", tags=["files"])

FILES_ADDRESS = "/api/submissions/files"

_WAYS = ("files", "acro")
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["project", "dataset", "title", "files"],
                    "properties": {
                        "project": {"type": "integer", "minimum": 1},
                        "dataset": {"type": "integer", "minimum": 1},
                        "title": {"type": "string", "maxLength": 300},
                        "purpose": {"type": "string", "maxLength": 20_000},
                        "way": {"type": "string", "enum": list(_WAYS), "description": "acro: one zip of its folder."},
                        "token": {"type": "string", "description": "Yours to choose; the same again makes no second."},
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    },
                }
            }
        },
    }
}


async def _sent(request: Request, visitor: Submitter) -> AsyncIterator[Posted]:
    """The form, read only after its sender is known: nobody else fills our disk."""
    async with request.form(max_files=100, max_fields=20) as fields:
        yield Posted(fields, visitor)


@router.post("/files", status_code=201, openapi_extra=_BODY, name="submit_files")
def _submit_files(request: Request, form: Annotated[Posted, Depends(_sent)]) -> SubmissionShape:
    """Hand in files as they are: logs, tables, workbooks, documents, a zip of them, or a folder that ACRO wrote."""
    ledger, visitor = ledger_of(request), form.visitor
    about = _about(request, form)
    with one_at_a_time(visitor.id):
        proposal = _proposal(request, form, about)
        intake.check_figures(ledger.store, proposal, schema_of(about), about.public)
    with ledger.writing() as session:
        token = form.text("token", 64) or None
        made = workflow.submit(session, visitor.id, form.number("project") or 0, about.id, proposal, token=token).id
    return shape_of(request, visitor, made)


@router.get("/{submission_id}/files/{upload_id}", response_class=Response, name="file")
def _file(request: Request, visitor: SignedIn, submission_id: Id, upload_id: Id) -> Response:
    """A file that came with a submission."""
    return sent_file(request, visitor, submission_id, upload_id)


@router.get("/{submission_id}/release.zip", response_class=Response, name="released")
def _released(request: Request, visitor: SignedIn, submission_id: Id) -> Response:
    """What was released, with a manifest of the hashes."""
    return released_files(request, visitor, submission_id)


def _about(request: Request, form: Posted) -> Dataset:
    with ledger_of(request).reading() as session:
        number = workflow.get_open_project(session, form.visitor.person, form.number("project") or 0).id
        return get_open_dataset(session, number, form.number("dataset") or 0)


def _proposal(request: Request, form: Posted, about: Dataset) -> Proposal:
    store, settings, way = ledger_of(request).store, settings_of(request), form.text("way") or "files"
    files, title, purpose = intake.sent_files(form.fields, "files"), form.text("title"), form.text("purpose")
    if way not in _WAYS or not files:
        raise SpecError(f"files are needed, and a way of: {', '.join(_WAYS)}.", where="files")
    if way == "files":
        return intake.from_files(store, title, purpose, files, settings.limits, settings.upload_bytes, None)
    return intake.from_acro(store, title, purpose, files[0], schema_of(about), settings.limits, settings.upload_bytes)
