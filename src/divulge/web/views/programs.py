"""For programs: what the API can do, as a page, and the tokens by which somebody's programs use it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, NotAllowedError, SpecError
from divulge.ledger.model import utc_now
from divulge.web import tokens
from divulge.web.access import Form, Id, SignedIn, Visitor, ledger_of
from divulge.web.described import described
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)


@router.get("/api")
def _described(request: Request, visitor: SignedIn) -> Response:
    return page(request, "api", visitor, groups=described(request.app.openapi()))


@router.get("/account/tokens")
def _list_tokens(request: Request, visitor: SignedIn) -> Response:
    return _list(request, visitor)


@router.post("/account/tokens")
def _make_token(request: Request, form: Form) -> Response:
    try:
        with ledger_of(request).writing() as session:
            _, text = tokens.make(
                session,
                form.visitor.id,
                form.text("name", 200),
                form.texts("scope"),
                form.number("days"),
                form.text("password"),
            )
    except (SpecError, NotAllowedError) as error:
        return _list(request, form.visitor, problem=error)
    return _list(request, form.visitor, told=text)


@router.post("/account/tokens/{token_id}/revoke")
def _revoke_token(request: Request, form: Form, token_id: Id) -> Response:
    with ledger_of(request).writing() as session:
        tokens.revoke(session, form.visitor.id, token_id)
    return go("/account/tokens", "revoked")


def _list(request: Request, visitor: Visitor, problem: DivulgeError | None = None, told: str | None = None) -> Response:
    with ledger_of(request).reading() as session:
        found = tokens.list_of(session, visitor.id)
    now = utc_now()
    return page(
        request,
        "tokens",
        visitor,
        problem=problem,
        told=told,
        found=[(one, one.is_open(now)) for one in found],
        scopes=tokens.offered(visitor.person),
        has_password=visitor.person.password_hash is not None,
    )
