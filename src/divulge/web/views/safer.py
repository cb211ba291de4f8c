"""From refuse to release: a checker has changes looked for and offers some, the author submits one with a click."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.ledger import queries, searches, states, workflow
from divulge.ledger.listing import whole_number
from divulge.ledger.proposals import CORRECTIONS, OFFERED, Proposal
from divulge.web.access import Form, Id, ledger_of
from divulge.web.intake import kept_context, kept_files
from divulge.web.pages import go

router = APIRouter(include_in_schema=False, prefix="/submissions/{submission_id}")


@router.post("/search")
def _search(request: Request, form: Form, submission_id: Id) -> Response:
    ledger = ledger_of(request)
    with ledger.reading() as session:
        queries.find_submission(session, form.visitor.person, submission_id)
    with ledger.writing() as session:
        searches.ask(session, form.visitor.id, submission_id)
    return go(f"/submissions/{submission_id}", "searching")


@router.post("/offer")
def _offer(request: Request, form: Form, submission_id: Id) -> Response:
    ledger = ledger_of(request)
    places = [n for n in map(whole_number, form.texts("offer")) if n is not None]
    with ledger.reading() as session:
        queries.find_submission(session, form.visitor.person, submission_id)
    with ledger.writing() as session:
        searches.offer(session, form.visitor.id, submission_id, places)
    return go(f"/submissions/{submission_id}", "offered")


@router.post("/take")
def _take(request: Request, form: Form, submission_id: Id) -> Response:
    """A change that was offered, as a new version."""
    ledger = ledger_of(request)
    with ledger.reading() as session:
        old = queries.find_submission(session, form.visitor.person, submission_id)
        # First: whether something is offered is told when it is returned.
        states.Rights(form.visitor.person).check_resubmit(old)
        found = searches.find_offered(session, old, form.number("offer") or 0)
        done = " ".join(found["done"])
        uploads, others = kept_files(old, without=CORRECTIONS)
        proposal = Proposal(
            title=old.title,
            outputs=found["outputs"],
            uploads=uploads,
            others=others,
            purpose=f"{old.purpose}\n\nChanged as the checkers offered. {done}".strip(),
            origin=OFFERED,
            # What was said of each output holds while they are the same outputs.
            context={
                n: said for n, said in kept_context(old).items() if n == 0 or len(old.outputs) == len(found["outputs"])
            },
        )
    with ledger.writing() as session:
        made = workflow.resubmit(session, form.visitor.id, submission_id, proposal).id
    return go(f"/submissions/{made}", "submitted")
