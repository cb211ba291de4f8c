"""Submissions by program: the list, one with everything that its reader may see, and what can be done with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from divulge.errors import SpecError
from divulge.ledger import queries, releases, workflow
from divulge.ledger.datasets import get_open_dataset, schema_of
from divulge.ledger.listing import Filters, list_submissions
from divulge.ledger.model import Audience, Choice, State
from divulge.ledger.proposals import Proposal
from divulge.web.access import Checking, Id, SignedIn, Speaker, Submitter, Visitor, ledger_of
from divulge.web.api.shapes import (
    CommentShape,
    DecisionShape,
    FileShape,
    JobShape,
    Named,
    NewComment,
    NewDecision,
    NewSubmission,
    NewVersion,
    OutputShape,
    Reason,
    SubmissionLine,
    SubmissionList,
    SubmissionShape,
)
from divulge.web.details import VisibleSubmission, act, check_see_assessment, progress_words, see
from divulge.web.intake import check_figures
from divulge.web.parsing import one_at_a_time

router = APIRouter(prefix="/submissions", tags=["submissions"])

_Key = Annotated[Id, Path(description="The number of the submission.")]


@router.get("", name="list_all")
def _list_all(
    request: Request,
    visitor: SignedIn,
    state: State | None = None,
    project: Id | None = None,
    dataset: Id | None = None,
    q: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1, lt=10**6)] = 1,
) -> SubmissionList:
    """Submissions that you may see, the newest first."""
    filters = Filters(state or "", project, dataset, "", q.replace("\x00", "").strip(), page)
    with ledger_of(request).reading() as session:
        found = list_submissions(session, visitor.person, filters)
    items = [SubmissionLine.model_validate(line) for line in found.items]
    return SubmissionList(items=items, total=found.total, page=page, pages=found.pages, counts=dict(found.counts))


@router.post("", status_code=201, name="submit")
def _submit(request: Request, visitor: Submitter, given: NewSubmission) -> SubmissionShape:
    """Hand in outputs, with their figures inline."""
    proposal = _proposal(given)
    with ledger_of(request).reading() as session:
        workflow.get_open_project(session, visitor.person, given.project)
        about = get_open_dataset(session, given.project, given.dataset)
    with one_at_a_time(visitor.id):
        check_figures(ledger_of(request).store, proposal, schema_of(about), about.public)
    with ledger_of(request).writing() as session:
        made = workflow.submit(session, visitor.id, given.project, given.dataset, proposal, token=given.token)
        made_id = made.id
    return shape_of(request, visitor, made_id)


@router.get("/{submission_id}", name="one")
def _one(request: Request, visitor: SignedIn, submission_id: _Key) -> SubmissionShape:
    """A submission, with what you may see of it."""
    return shape_of(request, visitor, submission_id)


@router.get("/{submission_id}/record", name="record")
def _record(request: Request, visitor: SignedIn, submission_id: _Key) -> dict[str, Any]:
    """The record of the latest assessment: for checkers and custodians."""
    with ledger_of(request).reading() as session:
        assessment = check_see_assessment(session, visitor.person, submission_id)
        found: dict[str, Any] = json.loads(queries.find_record(session, assessment.id))
        return found


@router.post("/{submission_id}/comments", name="comment")
def _comment(request: Request, visitor: Speaker, submission_id: _Key, given: NewComment) -> SubmissionShape:
    """Say something about a submission."""
    return _done(request, visitor, submission_id, workflow.comment, given.text, audience=Audience(given.audience))


@router.post("/{submission_id}/decisions", name="decide")
def _decide(request: Request, visitor: Checking, submission_id: _Key, given: NewDecision) -> SubmissionShape:
    """Be for or against a release, for all outputs or for each, with a reason. Others see it when all have decided."""
    if (given.choice is None) == (given.outputs is None):
        raise SpecError("either choice or outputs is needed.", where="choice")
    chosen: Any = Choice(given.choice) if given.choice is not None else None
    each = {number: Choice(word) for number, word in (given.outputs or {}).items()}
    named = {"files": given.files, "seen": given.assessment}
    return _done(request, visitor, submission_id, workflow.decide, chosen or each, given.reason, **named)


@router.post("/{submission_id}/return", name="give_back")
def _give_back(request: Request, visitor: Checking, submission_id: _Key, given: Reason) -> SubmissionShape:
    """Return it to its author, with reasons."""
    return _done(request, visitor, submission_id, workflow.give_back, given.reason)


@router.post("/{submission_id}/assignments", name="assign")
def _assign(request: Request, visitor: Checking, submission_id: _Key, given: Named) -> SubmissionShape:
    """Name a checker who looks after it."""
    return _done(request, visitor, submission_id, workflow.assign, given.person)


@router.delete("/{submission_id}/assignments/{person_id}", name="unassign")
def _unassign(request: Request, visitor: Checking, submission_id: _Key, person_id: Id) -> SubmissionShape:
    """Take the name of a checker away."""
    return _done(request, visitor, submission_id, workflow.assign, person_id, remove=True)


@router.post("/{submission_id}/assess", name="assess")
def _assess(request: Request, visitor: Checking, submission_id: _Key) -> SubmissionShape:
    """Queue an assessment, again where there was one."""
    return _done(request, visitor, submission_id, workflow.assess)


@router.post("/{submission_id}/cancel", name="cancel")
def _cancel(request: Request, visitor: Checking, submission_id: _Key) -> SubmissionShape:
    """Stop an assessment."""
    return _done(request, visitor, submission_id, workflow.cancel)


@router.post("/{submission_id}/withdraw", name="withdraw")
def _withdraw(request: Request, visitor: Submitter, submission_id: _Key) -> SubmissionShape:
    """Take your own submission back, before it is decided on."""
    return _done(request, visitor, submission_id, workflow.withdraw)


@router.post("/{submission_id}/release", name="release")
def _release(request: Request, visitor: Checking, submission_id: _Key) -> SubmissionShape:
    """Let it out, once enough checkers are in favour."""
    return _done(request, visitor, submission_id, releases.release, ledger_of(request).store)


@router.post("/{submission_id}/refuse", name="refuse")
def _refuse(request: Request, visitor: Checking, submission_id: _Key) -> SubmissionShape:
    """Close it for good, once enough checkers are against it."""
    return _done(request, visitor, submission_id, workflow.refuse)


@router.post("/{submission_id}/versions", status_code=201, name="resubmit")
def _resubmit(request: Request, visitor: Submitter, submission_id: _Key, given: NewVersion) -> SubmissionShape:
    """Hand in a new version of what was returned."""
    with ledger_of(request).reading() as session:
        about = queries.find_submission(session, visitor.person, submission_id).dataset
    proposal = _proposal(given)
    with one_at_a_time(visitor.id):
        check_figures(ledger_of(request).store, proposal, schema_of(about), about.public)
    with ledger_of(request).writing() as session:
        made_id = workflow.resubmit(session, visitor.id, submission_id, proposal, token=given.token).id
    return shape_of(request, visitor, made_id)


def _proposal(given: NewSubmission | NewVersion) -> Proposal:
    said = {number: one.model_dump() for number, one in given.context.items()}
    return Proposal(given.title, given.outputs, purpose=given.purpose, context=said)


def _done(
    request: Request, visitor: Visitor, submission_id: int, change: Callable[..., Any], *given: Any, **named: Any
) -> SubmissionShape:
    act(ledger_of(request), visitor, submission_id, change, *given, **named)
    return shape_of(request, visitor, submission_id)


def shape_of(request: Request, visitor: Visitor, submission_id: int) -> SubmissionShape:
    """A submission as programs are told of it."""
    with ledger_of(request).reading() as session:
        return _as_shape(see(session, ledger_of(request).store, visitor.person, submission_id))


def _as_shape(seen: VisibleSubmission) -> SubmissionShape:
    """A submission with what its reader may see, for programs."""
    found = seen.submission
    sees = seen.can["see_assessment"]
    return SubmissionShape(
        id=found.id,
        title=found.title,
        purpose=found.purpose,
        state=seen.state,
        version=found.version,
        replaces=found.replaces_id,
        replaced_by=found.replaced_by.id if found.replaced_by is not None else None,
        origin=found.origin,
        project=found.project.name,
        dataset=found.dataset.name,
        author=found.author.shown_as,
        created_at=found.created_at,
        changed_at=seen.changed_at,
        context=found.context or {},
        outputs=[
            OutputShape(
                number=o.number,
                name=o.name,
                kind=o.kind,
                document=seen.document_of(o),
                variables=o.variables,
                made=o.made or {},
                figures=seen.figures_of(o) or None,
            )
            for o in seen.outputs
        ],
        files=[
            FileShape(
                id=u.id,
                name=u.name,
                use=seen.use_of(u),
                size=u.size,
                sha256=u.digest,
                address=f"/submissions/{found.id}/files/{u.id}",
            )
            for u in found.uploads
        ],
        comments=[CommentShape(by=c.person.shown_as, at=c.at, audience=c.audience, text=c.text) for c in seen.comments],
        job=_job(seen),
        can=dict(seen.can),
        verdict=found.verdict if sees else None,
        assessment=seen.assessment.id if seen.assessment is not None else None,
        decisions=[
            DecisionShape(
                by=d.person.shown_as, at=d.at, choice=d.choice, outputs=d.outputs, files=d.files, reason=d.reason
            )
            for d in seen.decisions
        ],
        checkers=[a.person.shown_as for a in found.assignments] if sees else [],
        needed=found.checkers_needed,
        release=f"/submissions/{found.id}/release.zip" if found.release is not None else None,
    )


def _job(seen: VisibleSubmission) -> JobShape | None:
    job = seen.job
    if job is None:
        return None
    return JobShape(
        state=job.state,
        stage=job.stage,
        done=job.done,
        total=job.total,
        seconds_left=job.seconds_left,
        words=progress_words(job, seen.can["see_assessment"]),
    )
