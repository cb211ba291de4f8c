"""One submission: its page, and what can be done with it. Each action is one function of the ledger's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from divulge.errors import DivulgeError, SpecError, StateError
from divulge.ledger import reasons, releases, workflow
from divulge.ledger.listing import whole_number
from divulge.ledger.model import Audience, Choice
from divulge.ledger.waiting import find_waiting
from divulge.web.access import Form, Id, Posted, SignedIn, Visitor, ledger_of
from divulge.web.details import act, progress_words, see
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False, prefix="/submissions/{submission_id}")

_ENDS = ("decided", "returned", "released", "refused")  # after which a checker goes on to the next


@router.get("")
def _submission(request: Request, visitor: SignedIn, submission_id: Id) -> Response:
    return _shown(request, visitor, submission_id)


@router.post("/comment")
def _comment(request: Request, form: Form, submission_id: Id) -> Response:
    audience = Audience.CHECKERS if form.text("audience") == Audience.CHECKERS else Audience.EVERYBODY
    return _done(request, form, submission_id, "commented", workflow.comment, form.text("text"), audience=audience)


@router.post("/assign")
def _assign(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "assigned", workflow.assign, form.number("person") or 0)


@router.post("/unassign")
def _unassign(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "unassigned", workflow.assign, form.number("person") or 0, remove=True)


@router.post("/assess")
def _assess(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "retried", workflow.assess)


@router.post("/cancel")
def _cancel(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "cancelled", workflow.cancel)


@router.post("/decide")
def _decide(request: Request, form: Form, submission_id: Id) -> Response:
    try:
        choice = _choice(form)
    except SpecError as problem:
        return _shown(request, form.visitor, submission_id, problem=problem, typed=form)
    files = [n for n in map(whole_number, form.texts("file")) if n is not None]
    seen = form.number("assessment")
    return _done(
        request, form, submission_id, "decided", workflow.decide, choice, form.text("reason"), files=files, seen=seen
    )


def _choice(form: Posted) -> Choice | dict[int, Choice]:
    """What was chosen: for each output, or for all but those that have a choice of their own."""
    numbers = form.texts("output") or [n.removeprefix("choice-") for n in form.fields if n.startswith("choice-")]
    given = {number: form.text(f"choice-{number}") or form.text("choice") for number in numbers}
    if any(text not in set(Choice) or whole_number(number) is None for number, text in given.items()):
        raise SpecError("release, return or refuse is to be chosen for every output.", where="choice")
    if not given and form.text("choice") not in set(Choice):
        raise SpecError("release, return or refuse is to be chosen.", where="choice")
    return {int(number): Choice(text) for number, text in given.items()} if given else Choice(form.text("choice"))


@router.post("/return")
def _give_back(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "returned", workflow.give_back, form.text("reason"))


@router.post("/withdraw")
def _withdraw(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "withdrawn", workflow.withdraw)


@router.post("/release")
def _release(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "released", releases.release, ledger_of(request).store)


@router.post("/refuse")
def _refuse(request: Request, form: Form, submission_id: Id) -> Response:
    return _done(request, form, submission_id, "refused", workflow.refuse)


def _done(
    request: Request, form: Posted, submission_id: int, done: str, change: Callable[..., Any], *given: Any, **named: Any
) -> Response:
    """Make a change and show the page again; where it cannot be made, the page with why not and what was typed."""
    try:
        act(ledger_of(request), form.visitor, submission_id, change, *given, **named)
    except (SpecError, StateError) as error:
        return _shown(request, form.visitor, submission_id, problem=error, typed=form)
    return go(f"/submissions/{submission_id}", done)


def _next_up(session: Session, visitor: Visitor, submission_id: int) -> Any:
    """What waits longest for the decision of whoever has just done something, beside this."""
    waiting = find_waiting(session, visitor.person)
    return next((line for line in (*waiting.decide, *waiting.finish) if line.id != submission_id), None)


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
            templates=reasons.list_templates(session) if seen.can["decide"] or seen.can["return"] else [],
            submission=seen.submission,
            words=progress_words(seen.job, seen.can["see_assessment"]),
            next_up=_next_up(session, visitor, submission_id) if request.query_params.get("done") in _ENDS else None,
            problem=problem,
            typed_reason=typed.text("reason") if typed is not None else "",
            typed_text=typed.text("text") if typed is not None else "",
        )
