"""Forms for outputs, generated from the kinds themselves: a new kind has its form without a line here."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from divulge.errors import SpecError, suggest
from divulge.outputs import OUTPUTS, Output
from divulge.settings import from_text, settings_of
from divulge.settings.texts import is_list

_FIRST = ("name",)  # fields of every kind that are asked for at once; the others are under "More"
_NOT_ASKED = ("released", "compute", "weight", "coarser", "method")
"""Figures come as a table of their own; how much an output counts in the search is the custodian's; what makes it safer
is proposed."""

_Shape = Literal["variable", "variables", "text", "texts", "whole", "number", "flag", "choice"]


@dataclass(frozen=True)
class _Field:
    """One field of a kind as a form asks for it. choices: the words to choose from."""

    name: str
    hint: Any
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
        if texts:
            document[field.name] = True if field.shape == "flag" else from_text(field.hint, ",".join(texts))
    return document


def _form(kind: type[Output]) -> _KindForm:
    about_variables = _variable_fields(kind)
    fields = []
    for name, setting in settings_of(kind).items():
        if name in _NOT_ASKED:
            continue
        shape, choices = _shape(setting.hint)
        if name in about_variables:
            shape = "variables" if shape == "texts" else "variable"
        fields.append(
            _Field(
                name=name,
                hint=setting.hint,
                label=name.replace("_", " ").capitalize(),
                help=setting.help,
                shape=shape,
                needed=setting.is_needed,
                choices=choices,
                is_first=not setting.is_shared or name in _FIRST,
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
    """How a form asks for a type, and the words to choose from."""
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    origin, parts = get_origin(plain), get_args(plain)
    if origin in (Union, types.UnionType):
        # Where several types will do, the plainest that a form can carry.
        shapes = [_shape(p) for p in parts if p is not types.NoneType]
        return next((s for s in shapes if s[0] in ("texts", "choice")), shapes[0])
    if origin is Literal:
        return "choice", tuple(str(p) for p in parts)
    if is_list(plain):
        return "texts", ()
    shapes_of: dict[Any, _Shape] = {bool: "flag", int: "whole", float: "number"}
    return shapes_of.get(plain, "text"), ()
