"""How the checking goes, for checkers and custodians; and the templates for reasons that they keep."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, SpecError
from divulge.ledger import queries, reasons, states
from divulge.ledger.dashboard import DECIDED, find_dashboard
from divulge.ledger.listing import whole_number
from divulge.ledger.model import Choice
from divulge.web.access import Form, Id, SignedIn, Visitor, ledger_of
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)

_DAYS = (30, 90, 365)


@router.get("/dashboard")
def _dashboard(request: Request, visitor: SignedIn) -> Response:
    states.Rights(visitor.person).check_see_dashboard()
    days = whole_number(request.query_params.get("days", "90")) or 90
    project = whole_number(request.query_params.get("project", ""))
    with ledger_of(request).reading() as session:
        found = find_dashboard(session, days if days in _DAYS else 90, project)
        projects, _ = queries.list_names(session, visitor.person)
    return page(
        request,
        "dashboard",
        visitor,
        found=found,
        days=days if days in _DAYS else 90,
        periods=_DAYS,
        project=project,
        projects=projects,
        decisions=list(DECIDED.values()),
        most=max((max(w.submitted, w.decided) for w in found.weeks), default=0) or 1,
    )


@router.get("/reasons")
def _list_reasons(request: Request, visitor: SignedIn) -> Response:
    return _reasons(request, visitor)


@router.post("/reasons")
def _add_reason(request: Request, form: Form) -> Response:
    states.Rights(form.visitor.person).check_keep_reasons()
    try:
        with ledger_of(request).writing() as session:
            given = form.text("choice"), form.text("title", 200), form.text("text", 20_001)
            reasons.add_template(session, form.visitor.person, *given)
    except SpecError as error:
        return _reasons(request, form.visitor, problem=error)
    return go("/reasons", "added")


@router.post("/reasons/{template_id}/remove")
def _remove_reason(request: Request, form: Form, template_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        reasons.remove_template(session, form.visitor.person, template_id)
    return go("/reasons", "removed")


def _reasons(request: Request, visitor: Visitor, problem: DivulgeError | None = None) -> Response:
    states.Rights(visitor.person).check_keep_reasons()
    with ledger_of(request).reading() as session:
        found = reasons.list_templates(session)
    return page(request, "reasons", visitor, problem=problem, found=found, choices=list(Choice))
