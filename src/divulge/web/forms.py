"""Forms for outputs, generated from the kinds themselves: a new kind has its form without a line here."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

from divulge.errors import SpecError, suggest
from divulge.outputs import OUTPUTS, Output
from divulge.spec.fields import spec_fields

_FIRST = ("name",)  # fields of every kind that are asked for at once; the others are under "More"
_NOT_ASKED = ("released", "compute", "weight")
"""Figures come as a table of their own; how much an output counts in the search is the custodian's."""

_Shape = Literal["variable", "variables", "text", "texts", "whole", "number", "flag", "choice"]


@dataclass(frozen=True)
class _Field:
    """One field of a kind as a form asks for it. choices: the words to choose from."""

    name: str
    label: str
    help: str
    shape: _Shape
    needed: bool
    choices: tuple[str, ...] = ()
    is_first: bool = True


@dataclass(frozen=True)
class _KindForm:
    """The form of a kind."""

    kind: str
    title: str
    about: str
    fields: tuple[_Field, ...]

    @property
    def first(self) -> tuple[_Field, ...]:
        return tuple(f for f in self.fields if f.is_first)

    @property
    def more(self) -> tuple[_Field, ...]:
        return tuple(f for f in self.fields if not f.is_first)


@cache
def kind_forms() -> Mapping[str, _KindForm]:
    """The form of every kind that can be assessed here: not those that run code of their own."""
    return {kind.kind: _form(kind) for kind in OUTPUTS if kind.can_lower}


def find_form(kind: str) -> _KindForm:
    forms = kind_forms()
    if kind not in forms:
        raise SpecError(f"there is no form for the kind {kind[:50]!r}.", where="kind", hint=suggest(kind[:50], forms))
    return forms[kind]


def read_fields(form: _KindForm, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """An output as the spec has it, from the fields of a form that were filled in."""
    document: dict[str, Any] = {"kind": form.kind}
    for field in form.fields:
        texts = [t for t in given.get(field.name, ()) if t]
        if not texts:
            continue
        document[field.name] = _read(field, texts)
    return document


def _read(field: _Field, texts: list[str]) -> Any:
    if field.shape in ("variables", "texts"):
        return [part.strip() for text in texts for part in text.replace("\n", ",").split(",") if part.strip()]
    text = texts[0]
    if field.shape == "flag":
        return True
    if field.shape in ("whole", "number"):
        try:
            return int(text) if field.shape == "whole" else float(text)
        except ValueError:
            raise SpecError(f"a number is needed, {text[:50]!r} is given.", where=field.name) from None
    return text


def _form(kind: type[Output]) -> _KindForm:
    shared = {f.name for f in dataclasses.fields(Output)}
    about_variables = _variable_fields(kind)
    fields = []
    for name, (hint, each, text) in spec_fields(kind).items():
        if name in _NOT_ASKED:
            continue
        shape, choices = _shape(hint)
        if name in about_variables:
            shape = "variables" if shape == "texts" else "variable"
        needed = each.default is dataclasses.MISSING
        fields.append(
            _Field(
                name=name,
                label=name.replace("_", " ").capitalize(),
                help=text,
                shape=shape,
                needed=needed,
                choices=choices,
                is_first=name not in shared or name in _FIRST,
            )
        )
    about = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return _KindForm(kind.kind, kind.kind.replace("-", " ").replace("_", " ").capitalize(), about, tuple(fields))


def _variable_fields(kind: type[Output]) -> set[str]:
    """The fields that name variables: in the kind's own examples, what stands there is a variable that it uses."""
    found: set[str] = {"weights"} if kind.takes_weights else set()
    for example in kind.examples:
        if example.code is not None:
            continue
        used = set(kind(**example.fields).own_variables())
        for name, value in example.fields.items():
            listed = list(value) if isinstance(value, list | tuple) else [value]
            if listed and all(isinstance(v, str) and v in used for v in listed):
                found.add(name)
    return found


def _shape(hint: Any) -> tuple[_Shape, tuple[str, ...]]:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        given = [p for p in parts if p is not type(None)]
        # Where several types will do, the plainest that a form can carry.
        shapes = [_shape(p) for p in given]
        return next((s for s in shapes if s[0] in ("texts", "choice")), shapes[0])
    if origin is Literal:
        return "choice", tuple(str(p) for p in parts)
    if origin in (tuple, list) or (isinstance(origin, type) and origin.__name__ == "Sequence"):
        return "texts", ()
    shapes_of: dict[Any, _Shape] = {bool: "flag", int: "whole", float: "number"}
    return shapes_of.get(hint, "text"), ()
