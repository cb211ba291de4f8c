"""One submission: its page, and what can be done with it. Each action is one function of the ledger's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from divulge.errors import DivulgeError, NotFoundError, SpecError, StateError
from divulge.ledger import queries, releases, workflow
from divulge.ledger.model import Audience, Choice
from divulge.web.access import Form, Id, Posted, SignedIn, Visitor, ledger_of
from divulge.web.details import progress_words, see
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False, prefix="/submissions/{submission_id}")

Action = Callable[[Session, int], Any]


@router.get("")
def submission(request: Request, visitor: SignedIn, submission_id: Id) -> Response:
    return _shown(request, visitor, submission_id)


@router.post("/comment")
def comment(request: Request, form: Form, submission_id: Id) -> Response:
    audience = Audience.CHECKERS if form.text("audience") == Audience.CHECKERS else Audience.EVERYBODY

    def say(session: Session, by: int) -> None:
        workflow.comment(session, by, submission_id, form.text("text"), audience=audience)

    return _done(request, form, submission_id, say, "commented")


@router.post("/assign")
def assign(request: Request, form: Form, submission_id: Id) -> Response:
    def name(session: Session, by: int) -> None:
        workflow.assign(session, by, submission_id, form.number("person") or 0)

    return _done(request, form, submission_id, name, "assigned")


@router.post("/unassign")
def unassign(request: Request, form: Form, submission_id: Id) -> Response:
    def take_away(session: Session, by: int) -> None:
        workflow.assign(session, by, submission_id, form.number("person") or 0, remove=True)

    return _done(request, form, submission_id, take_away, "unassigned")


@router.post("/assess")
def assess(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, lambda s, by: workflow.assess(s, by, submission_id), "retried")


@router.post("/cancel")
def cancel(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, lambda s, by: workflow.cancel(s, by, submission_id), "cancelled")


@router.post("/decide")
def decide(request: Request, form: Form, submission_id: Id) -> Response:
    def vote(session: Session, by: int) -> None:
        workflow.decide(session, by, submission_id, read_choice(form.text("choice")), form.text("reason"))

    return _done(request, form, submission_id, vote, "decided")


@router.post("/return")
def give_back(request: Request, form: Form, submission_id: Id) -> Response:
    def hand_back(session: Session, by: int) -> None:
        workflow.give_back(session, by, submission_id, form.text("reason"))

    return _done(request, form, submission_id, hand_back, "returned")


@router.post("/release")
def release(request: Request, form: Form, submission_id: Id) -> Response:
    store = ledger_of(request).store
    return _done(request, form, submission_id, lambda s, by: releases.release(s, store, by, submission_id), "released")


@router.post("/refuse")
def refuse(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, lambda s, by: workflow.refuse(s, by, submission_id), "refused")


def read_choice(text: str) -> Choice:
    if text not in set(Choice):
        raise SpecError("release or refuse is to be chosen.", where="choice")
    return Choice(text)


def _done(request: Request, form: Posted, submission_id: int, action: Action, done: str) -> Response:
    """Do it and show the page again; where it cannot be done, the page with why not and what was typed."""
    ledger = ledger_of(request)
    with ledger.reading() as session:
        # What somebody may not see they cannot act on either, whatever the ledger would say of it.
        queries.find_submission(session, form.visitor.person, submission_id)
    try:
        with ledger.writing() as session:
            action(session, form.visitor.id)
    except NotFoundError:
        raise
    except (SpecError, StateError) as error:
        return _shown(request, form.visitor, submission_id, problem=error, typed=form)
    return go(f"/submissions/{submission_id}", done)


def _shown(
    request: Request,
    visitor: Visitor,
    submission_id: int,
    problem: DivulgeError | None = None,
    typed: Posted | None = None,
) -> Response:
    with ledger_of(request).reading() as session:
        seen = see(session, ledger_of(request).store, visitor.person, submission_id)
        return page(
            request,
            "submission",
            visitor,
            seen=seen,
            submission=seen.submission,
            words=progress_words(seen.job, seen.can["see_assessment"]),
            problem=problem,
            typed_reason=typed.text("reason") if typed is not None else "",
            typed_text=typed.text("text") if typed is not None else "",
        )
