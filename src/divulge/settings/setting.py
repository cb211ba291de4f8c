"""The settings of a class, from its fields and their annotations."""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from divulge.settings.limits import Called, OnlyIf

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """One setting. name: what people call it; field: the field that holds it; hint: its type with its limits."""

    name: str
    field: str
    hint: Any
    help: str
    default: Any
    is_shared: bool

    @property
    def is_needed(self) -> bool:
        return self.default is MISSING


def settings_of(owner: Any) -> dict[str, Setting]:
    """The settings of a class by name: its own first, then those that all classes of its room have.

    A field with the metadata `spec: False` is no setting.
    """
    return _by_name(owner, True)


def settings_not_taken(owner: Any) -> dict[str, Setting]:
    """The settings that a class inherits and does not take."""
    return _by_name(owner, False)


def has_settings(hint: Any) -> bool:
    """Whether a type is a class whose fields are settings."""
    return dataclasses.is_dataclass(hint)


def unpacked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type, and what its annotation says beside it."""
    return (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())


def find_limit(limits: tuple[Any, ...], kind: type[T]) -> T | None:
    """What an annotation says of one sort, the nearest to the type first."""
    return next((limit for limit in limits if isinstance(limit, kind)), None)


@cache
def _by_name(owner: Any, is_taken: bool) -> dict[str, Setting]:
    return {s.name: s for s in _all(owner) if _is_taken(owner, s) is is_taken}


def _all(owner: type[Any]) -> list[Setting]:
    hints = get_type_hints(owner, include_extras=True)
    bases = [base for base in owner.__mro__[1:] if dataclasses.is_dataclass(base)]
    shared = {f.name for f in dataclasses.fields(bases[-1])} if bases else set()
    found = []
    for each in dataclasses.fields(owner):
        if each.metadata.get("spec", True):
            limits = unpacked(hints[each.name])[1]
            called = find_limit(limits, Called)
            name = each.name if called is None else called.name
            text = find_limit(limits, str) or ""
            default = each.default if each.default_factory is MISSING else each.default_factory()
            found.append(Setting(name, each.name, hints[each.name], text, default, each.name in shared))
    return sorted(found, key=lambda s: s.is_shared)


def _is_taken(owner: type[Any], setting: Setting) -> bool:
    only = find_limit(unpacked(setting.hint)[1], OnlyIf)
    return only is None or bool(getattr(owner, only.flag))
