"""The API as people read it: every operation of its description (OpenAPI), what it takes and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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


def described(document: _Schema) -> dict[str, list[_Operation]]:
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
