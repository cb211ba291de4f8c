"""The queue: every submission that somebody may see, narrowed and paged."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from divulge.ledger import queries
from divulge.ledger.listing import Filters, list_submissions
from divulge.ledger.model import State
from divulge.ledger.states import OVERSEEING, UNDECIDED
from divulge.web.access import SignedIn, ledger_of
from divulge.web.pages import page

router = APIRouter(include_in_schema=False)


@router.get("/submissions")
def _queue(request: Request, visitor: SignedIn) -> HTMLResponse:
    filters = Filters.read(request.query_params)
    with ledger_of(request).reading() as session:
        listing = list_submissions(session, visitor.person, filters)
        projects, datasets = queries.list_names(session, visitor.person)
        return page(
            request,
            "queue",
            visitor,
            listing=listing,
            filters=filters,
            states=[s for s in State if visitor.role in OVERSEEING or s not in UNDECIDED[1:]],
            projects=projects,
            datasets=datasets,
        )
