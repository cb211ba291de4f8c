"""For programs of other systems: the verdict in their words. What they decide, the owner of the token decides."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from divulge.errors import NotFoundError
from divulge.ledger import workflow
from divulge.web.access import Checking, Id, SignedIn, Visitor, ledger_of
from divulge.web.api.shapes import SubmissionShape, VerdictShape
from divulge.web.api.submissions import shape_of
from divulge.web.details import VisibleSubmission, act, check_see_assessment, see
from divulge.web.hooks import HOOKS
from divulge.web.hooks.hook import Hook, Part, Told

router = APIRouter(prefix="/submissions/{submission_id}", tags=["other systems"])


@router.get("/verdict/{system}", name="verdict")
def _verdict(
    request: Request,
    visitor: SignedIn,
    submission_id: Id,
    system: str,
    reference: Annotated[str, Query(max_length=300, description="What the other system calls it.")] = "",
) -> VerdictShape:
    """What the assessment says, as the document of another system (airlock, sacro-viewer, five-safes-tes)."""
    hook = _hook(system)
    with ledger_of(request).reading() as session:
        found = check_see_assessment(session, visitor.person, submission_id)
        seen = see(session, ledger_of(request).store, visitor.person, submission_id)
        parts = _parts(seen)
        told = Told(
            submission=submission_id,
            reference=reference or str(submission_id),
            verdict=found.verdict,
            reasons=tuple((seen.brief or {}).get("reasons") or ()),
            parts=parts,
            loose=tuple(u.name for u in seen.submission.uploads if u.name not in {p.file for p in parts}),
        )
    return VerdictShape(system=hook.name, verdict=found.verdict, assessment=found.id, document=hook.tell(told))


@router.post("/decisions/{system}", name="take")
def _take(
    request: Request,
    visitor: Checking,
    submission_id: Id,
    system: str,
    given: dict[str, Any],
    assessment: Annotated[Id | None, Query(description="The one whose verdict was told there.")] = None,
) -> SubmissionShape:
    """Enter what was decided in another system. It counts as your decision, beside those of the other checkers."""
    hook = _hook(system)
    decided = hook.read(given, _seen_parts(request, visitor, submission_id))
    chosen = dict(decided.outputs)
    act(ledger_of(request), visitor, submission_id, workflow.decide, chosen, decided.reason, seen=assessment)
    return shape_of(request, visitor, submission_id)


def _hook(system: str) -> Hook:
    for one in HOOKS:
        if one.name == system:
            return one
    raise NotFoundError(f"there are hooks for: {', '.join(one.name for one in HOOKS)}.")


def _seen_parts(request: Request, visitor: Visitor, submission_id: int) -> tuple[Part, ...]:
    with ledger_of(request).reading() as session:
        return _parts(see(session, ledger_of(request).store, visitor.person, submission_id))


def _parts(seen: VisibleSubmission) -> tuple[Part, ...]:
    """The outputs with the files that they came in: named by them, or recognised there."""
    read = [one for one in ((seen.brief or {}).get("handed_in") or {}).get("outputs") or () if one.get("confirmed")]
    places = [str(one["file"]) for one in read] if len(read) == len(seen.outputs) else []
    found = []
    for i, output in enumerate(seen.outputs):
        named = str(output.document.get("released", "")) if isinstance(output.document.get("released"), str) else ""
        name = (output.name or output.kind).removeprefix("ACRO: ")
        verdict = seen.verdict_of(output)
        found.append(Part(output.number, name, verdict, places[i] if places else named or name))
    return tuple(found)
