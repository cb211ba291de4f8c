"""The first page: what waits, the oldest first, and approving several at once of what nothing speaks against."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, SpecError, StateError
from divulge.ledger import reasons, workflow
from divulge.ledger.listing import whole_number
from divulge.ledger.model import Choice, Role, utc_now
from divulge.ledger.waiting import find_waiting
from divulge.web.access import Form, SignedIn, Visitor, ledger_of
from divulge.web.details import find_plain, see
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)


@router.get("/")
def _first() -> Response:
    return go("/home")


@router.get("/home")
def _home(request: Request, visitor: SignedIn) -> Response:
    return _shown(request, visitor)


@router.post("/approvals")
def _approve(request: Request, form: Form) -> Response:
    """Approve of everything that is ticked and of which the assessment says release with no rule broken.

    Whether that is so is asked again of each, whatever the page said when it was loaded.
    """
    numbers = [n for n in map(whole_number, form.texts("submission")) if n is not None]
    if not numbers:
        return _shown(request, form.visitor, SpecError("nothing is ticked.", where="submissions"))
    if not form.text("reason"):
        return _shown(request, form.visitor, SpecError("a reason is needed.", where="reason"))
    problems = [p for p in (_approved(request, form.visitor, n, form.text("reason")) for n in numbers) if p is not None]
    if problems:
        problems[0].others = tuple(problems[1:])
        return _shown(request, form.visitor, problems[0])
    return go("/home", "approved")


def _approved(request: Request, visitor: Visitor, number: int, reason: str) -> DivulgeError | None:
    """Approve of one; why not, where it cannot be."""
    ledger = ledger_of(request)
    try:
        with ledger.reading() as session:
            seen = see(session, ledger.store, visitor.person, number)
            if not seen.is_plain:
                raise StateError("it is to be looked at by itself.", where=f"submission {number}")
            rests_on = seen.submission.assessments[-1].id
        with ledger.writing() as session:
            workflow.decide(session, visitor.id, number, Choice.RELEASE, reason, seen=rests_on)
    except DivulgeError as error:
        return error.at(f"submission {number}")
    return None


def _shown(request: Request, visitor: Visitor, problem: DivulgeError | None = None) -> Response:
    ledger = ledger_of(request)
    with ledger.reading() as session:
        waiting = find_waiting(session, visitor.person)
        plain: set[int] = set()
        if visitor.role is Role.CHECKER:
            likely = [line.id for line in waiting.decide if line.verdict == "release"]
            plain = find_plain(session, likely) if likely else set()
        templates = [t for t in reasons.list_templates(session) if t.choice is Choice.RELEASE] if plain else []
    return page(
        request,
        "home",
        visitor,
        problem=problem,
        waiting=waiting,
        plain=plain,
        templates=templates,
        now=utc_now(),
    )
