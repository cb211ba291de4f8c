"""For programs: what the API can do, as a page, and the tokens by which somebody's programs use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, NotAllowedError, SpecError
from divulge.ledger.model import utc_now
from divulge.web import tokens
from divulge.web.access import Form, Id, SignedIn, Visitor, ledger_of
from divulge.web.pages import go, page

router = APIRouter(include_in_schema=False)


@router.get("/api")
def _operations(request: Request, visitor: SignedIn) -> Response:
    return page(request, "api", visitor, groups=_described(request.app.openapi()))


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


_Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Field:
    """One field of what is sent or given. kind: in words."""

    name: str
    kind: str
    is_needed: bool
    about: str


@dataclass(frozen=True)
class _Operation:
    """One address with one method. takes: in the address and in the body; gives: in the answer."""

    method: str
    path: str
    about: str
    takes: tuple[_Field, ...]
    gives: tuple[_Field, ...]

    @property
    def anchor(self) -> str:
        return f"{self.method} {self.path}".lower().translate(str.maketrans(" /{}._", "------"))


def _described(document: _Schema) -> dict[str, list[_Operation]]:
    """The operations by their group."""
    found: dict[str, list[_Operation]] = {}
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            group = (one.get("tags") or ["other"])[0]
            found.setdefault(group, []).append(_operation(method.upper(), path, one, document))
    return found


def _operation(method: str, path: str, one: _Schema, document: _Schema) -> _Operation:
    takes = [
        _Field(p["name"], _kind(p["schema"], document), p.get("required", False), p.get("description", ""))
        for p in one.get("parameters", ())
    ]
    for content in (one.get("requestBody") or {}).get("content", {}).values():
        takes += _fields(content["schema"], document)
    gives: list[_Field] = []
    for status, answer in one["responses"].items():
        if status.startswith("2"):
            for content in answer.get("content", {}).values():
                gives += _fields(content.get("schema", {}), document)
    return _Operation(method, path, one.get("description") or one.get("summary", ""), tuple(takes), tuple(gives))


def _fields(schema: _Schema, document: _Schema) -> list[_Field]:
    held = _found(schema, document)
    if held.get("type") == "array":
        held = _found(held["items"], document)
    needed = held.get("required", ())
    return [
        _Field(name, _kind(field, document), name in needed, field.get("description", ""))
        for name, field in held.get("properties", {}).items()
    ]


def _found(schema: _Schema, document: _Schema) -> _Schema:
    named = schema.get("$ref")
    if named is None:
        return schema
    found: _Schema = document["components"]["schemas"][named.rsplit("/", 1)[1]]
    return found


def _kind(schema: _Schema, document: _Schema) -> str:
    """The type of a field in words."""
    if "anyOf" in schema:
        return " or ".join(_kind(one, document) for one in schema["anyOf"]).replace("null", "nothing")
    held = _found(schema, document)
    if "enum" in held:
        return ", ".join(str(word) for word in held["enum"])
    kind = {"integer": "whole number", "boolean": "true or false", "string": "text"}.get(
        str(held.get("type", "object")), str(held.get("type", "object"))
    )
    if held.get("format") == "date-time":
        return "moment"
    if kind == "array":
        return f"list of {_kind(held['items'], document)}"
    return kind
