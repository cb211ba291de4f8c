"""Files as they were handed in: what was recognised in each, a form to correct it, and each file to look at.

Its author sees what was recognised from the files alone. What the data confirm is for the checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, NotFoundError, StateError
from divulge.ledger import queries, states, workflow
from divulge.ledger.listing import whole_number
from divulge.ledger.model import State, Submission, Upload
from divulge.ledger.proposals import CORRECTIONS, HANDED_IN, Proposal
from divulge.ledger.states import OVERSEEING
from divulge.ledger.store import Store
from divulge.readers.handed_in.corrections import MODELS, Correction, corrections_text, read_corrections
from divulge.web.access import Form, Id, Posted, SignedIn, Visitor, ledger_of, run_in_threadpool
from divulge.web.details import see
from divulge.web.guard import BESIDE_HEADERS
from divulge.web.intake import kept_context, kept_files
from divulge.web.pages import go, page
from divulge.web.pictures import PICTURE_POLICY, count_pages, draw_page, kind_of
from divulge.web.recognising import Recognised, Recogniser

router = APIRouter(include_in_schema=False, prefix="/submissions/{submission_id}")

_MOST_CORRECTED = 60  # outputs in one form; a form has a limit of its fields


@router.get("/handed-in")
async def _handed_in(request: Request, visitor: SignedIn, submission_id: Id) -> Response:
    submission, read = await _find_files(request, visitor, submission_id)
    ids = {u.name: u.id for u in submission.uploads}
    can = states.may(_check_correct, visitor, submission)
    return page(request, "handed_in", visitor, submission=submission, told=read.told, can_correct=can, ids=ids)


@router.get("/correct")
async def _correct(request: Request, visitor: SignedIn, submission_id: Id) -> Response:
    submission, read = await _find_files(request, visitor, submission_id)
    _check_correct(visitor, submission)
    return _form(request, visitor, submission, read)


@router.post("/correct")
async def _corrected(request: Request, form: Form, submission_id: Id) -> Response:
    submission, read = await _find_files(request, form.visitor, submission_id)
    _check_correct(form.visitor, submission)
    try:
        made = await run_in_threadpool(_submit, request, form, submission, read.told)
    except DivulgeError as problem:
        return _form(request, form.visitor, submission, read, problem)
    return go(f"/submissions/{made}", "corrected")


@router.get("/files/{upload_id}/view")
async def _view(request: Request, visitor: SignedIn, submission_id: Id, upload_id: Id) -> Response:
    submission = await run_in_threadpool(_find, request, visitor, submission_id)
    upload = next((u for u in submission.uploads if u.id == upload_id), None)
    if upload is None:
        raise NotFoundError("there is no such file.")
    read = await _read(request, submission)
    outputs = await run_in_threadpool(_outputs_of, request, visitor, submission_id, upload, read)
    path = ledger_of(request).store.path(upload.digest)
    kind = await run_in_threadpool(kind_of, path)
    is_beside = request.query_params.get("beside") == "yes"
    answer = page(
        request,
        "file",
        visitor,
        submission=submission,
        file=upload,
        document=read.document(upload.name),
        marks=_marks(outputs),
        kind=kind,
        n_pages=await run_in_threadpool(count_pages, path) if kind == "application/pdf" else 1,
        is_beside=is_beside,
    )
    answer.headers.update(BESIDE_HEADERS if is_beside else {})
    return answer


@router.get("/files/{upload_id}/picture")
def _picture(request: Request, visitor: SignedIn, submission_id: Id, upload_id: Id) -> Response:
    submission = _find(request, visitor, submission_id)
    upload = next((u for u in submission.uploads if u.id == upload_id), None)
    path = ledger_of(request).store.path(upload.digest) if upload is not None else None
    kind = kind_of(path) if path is not None else None
    if path is None or kind is None:
        raise NotFoundError("there is no such picture.")
    headers = {"content-security-policy": PICTURE_POLICY}
    if kind == "application/pdf":
        number = whole_number(request.query_params.get("page", "1")) or 1
        return Response(draw_page(path, number), media_type="image/png", headers=headers)
    return Response(path.read_bytes(), media_type=kind, headers=headers)


def _find(request: Request, visitor: Visitor, submission_id: int) -> Submission:
    with ledger_of(request).reading() as session:
        found = queries.find_submission(session, visitor.person, submission_id)
        # What is asked of it later, outside of this session.
        _ = found.author_ids, found.project.memberships, found.dataset.variables
        return found


async def _find_files(request: Request, visitor: Visitor, submission_id: int) -> tuple[Submission, Recognised]:
    """A submission of files that its reader may see, with what is recognised in them."""
    submission = await run_in_threadpool(_find, request, visitor, submission_id)
    if submission.origin != HANDED_IN:
        raise NotFoundError("its outputs did not come in files.")
    return submission, await _read(request, submission)


async def _read(request: Request, submission: Submission) -> Recognised:
    recogniser = _recogniser_of(request)
    # Reading takes seconds: whoever waits for it waits in a line of their own, and holds up no page.
    return await run_sync(recogniser.read, ledger_of(request).store, submission, limiter=recogniser.line)


def _check_correct(visitor: Visitor, submission: Submission) -> None:
    """Its author, while nothing is decided: what was handed in is withdrawn, and a new version takes its place."""
    if submission.state is not State.RETURNED:
        states.Rights(visitor.person).check_withdraw(submission)
        states.Rights(visitor.person).check_submit(submission.project)
    else:
        states.Rights(visitor.person).check_resubmit(submission)
    if submission.replaced_by is not None:
        raise StateError("there is a newer version already.", where=f"submission {submission.id}")


def _form(
    request: Request, visitor: Visitor, submission: Submission, read: Recognised, problem: DivulgeError | None = None
) -> Response:
    return page(
        request,
        "correct",
        visitor,
        problem=problem,
        submission=submission,
        outputs=read.told["outputs"][:_MOST_CORRECTED],
        held=_held(ledger_of(request).store, submission),
        variables=submission.dataset.variables,
        kinds=MODELS,
    )


def _held(store: Store, submission: Submission) -> dict[tuple[str, int], Correction]:
    """What was corrected before, by file and first line."""
    upload = next((u for u in submission.uploads if u.name == CORRECTIONS), None)
    if upload is None:
        return {}
    return {(c.file, c.lines[0]): c for c in read_corrections(store.read(upload.digest).decode())}


def _submit(request: Request, form: Posted, submission: Submission, told: Mapping[str, Any]) -> int:
    """The same files with the corrections, as a new version; the number of it."""
    ledger = ledger_of(request)
    found = [_correction(form, i, one, submission) for i, one in enumerate(told["outputs"][:_MOST_CORRECTED])]
    kept = [c for c in found if c.names or not c.is_output or any(p is not None for p in (c.kind, c.where, c.weights))]
    blob = ledger.store.put(corrections_text(kept).encode())
    uploads, others = kept_files(submission, without=CORRECTIONS)
    proposal = Proposal(
        title=submission.title,
        outputs=(),
        uploads=[*uploads, (CORRECTIONS, blob)] if kept else uploads,
        others=others,
        purpose=submission.purpose,
        origin=HANDED_IN,
        context=kept_context(submission),
    )
    with ledger.writing() as session:
        if submission.state is not State.RETURNED:
            workflow.withdraw(session, form.visitor.id, submission.id)
        return workflow.resubmit(session, form.visitor.id, submission.id, proposal).id


def _correction(form: Posted, i: int, one: Mapping[str, Any], submission: Submission) -> Correction:
    known = set(submission.dataset.variables)
    names = {name: form.text(f"name-{i}-{j}") for j, name in enumerate(one["names"])}
    where, weights, kind = form.text(f"where-{i}", 2000), form.text(f"weights-{i}"), form.text(f"kind-{i}")
    return Correction(
        file=one["file"],
        lines=(one["lines"][0], one["lines"][1]),
        kind=kind if kind in MODELS and kind != one["kind"] else None,
        names={name: variable for name, variable in names.items() if variable in known},
        where=where if where != (one["where"] or "") else None,
        weights=weights if weights in known and weights != one["weights"] else None,
        is_output=not form.text(f"none-{i}"),
    )


def _outputs_of(
    request: Request, visitor: Visitor, submission_id: int, upload: Upload, read: Recognised
) -> list[Mapping[str, Any]]:
    """The outputs in a file, as its reader may see them: with what the data confirm, or from the file alone."""
    with ledger_of(request).reading() as session:
        seen = see(session, ledger_of(request).store, visitor.person, submission_id)
        told = (seen.brief or {}).get("handed_in") or read.told
    return [one for one in told["outputs"] if one["file"] == upload.name]


def _marks(outputs: list[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """By line, the output that stands on it."""
    return {line: one for one in outputs for line in range(one["lines"][0], one["lines"][1] + 1)}


def _recogniser_of(request: Request) -> Recogniser:
    """That of those who oversee submissions, or that of authors: what takes long in one holds up none of the others."""
    visitor: Visitor = request.state.visitor
    recognisers: dict[bool, Recogniser] = request.app.state.recognisers
    return recognisers[visitor.role in OVERSEEING]
