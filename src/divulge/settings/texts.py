"""Types of settings as people say them, and what people type into forms and after flags as plain data."""

from __future__ import annotations

import types
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from divulge.settings.limits import Range, Shorthand
from divulge.settings.setting import find_limit, has_settings, unpacked

_NOUNS: dict[Any, tuple[str, str]] = {
    str: ("text", "a text"),
    Path: ("text", "a text"),
    int: ("whole number", "a whole number"),
    float: ("number", "a number"),
    bool: ("true or false", "true or false"),
}

MOST_NAMED = 12
"""Words to choose from that an error names; where there are more, what to try lists them."""


def type_text(hint: Any) -> str:
    """A type as a table of fields says it: `list of text`, `number above 0`, `one of: exclude, include`."""
    plain, limits = unpacked(hint)
    origin, parts = get_origin(plain), get_args(plain)
    if origin is Literal:
        return "one of: " + ", ".join(str(p) for p in parts)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(type_text(_passed(p, limits)) for p in parts if p is not types.NoneType))
    if is_list(plain):
        return "list" if not parts or parts[0] is Any else f"list of {type_text(_passed(parts[0], limits))}"
    if plain not in _NOUNS:
        return "mapping"
    limit = find_limit(limits, Range)
    return f"{_NOUNS[plain][0]} {limit}" if limit is not None else _NOUNS[plain][0]


def noun_of(hint: Any) -> str:
    """A type as an error says what is needed: `a number above 0`, `'exclude' or 'include'`."""
    plain, limits = unpacked(hint)
    origin, parts = get_origin(plain), get_args(plain)
    if origin is Literal:
        return _either([repr(p) for p in parts]) if len(parts) <= MOST_NAMED else "a known name"
    if origin in (Union, types.UnionType):
        return _either(list(dict.fromkeys(noun_of(_passed(p, limits)) for p in parts if p is not types.NoneType)))
    if is_list(plain):
        return "a list"
    if plain not in _NOUNS:
        return "a mapping of names to values"
    limit = find_limit(limits, Range)
    return f"{_NOUNS[plain][1]} {limit}" if limit is not None else _NOUNS[plain][1]


def from_text(hint: Any, text: str) -> Any:
    """What somebody typed, as plain data of the type that is needed; what is not of that type the reader refuses."""
    plain, limits = unpacked(hint)
    if find_limit(limits, Shorthand) is not None:
        return text
    parts = [p for p in get_args(plain) if p is not types.NoneType]
    if get_origin(plain) in (Union, types.UnionType):
        lists = [p for p in parts if is_list(unpacked(p)[0])]
        chosen = lists if lists and ("," in text or "\n" in text) else [p for p in parts if p not in lists] or lists
        return from_text(chosen[0], text)
    if is_list(plain):
        inside = text.strip().removeprefix("[").removesuffix("]").replace("\n", ",")
        hints = parts if parts[1:] != [...] else parts[:1] * (inside.count(",") + 1)
        found = [p.strip().strip("'\"") for p in inside.split(",")]
        return [from_text(h, t) for h, t in zip(hints, found, strict=False) if t]
    if plain is bool:
        return {"true": True, "false": False}.get(text.strip().casefold(), text)
    if plain in (int, float):
        for read in (int, float):
            try:
                return read(text)
            except ValueError:
                continue
    return text


def is_list(hint: Any) -> bool:
    """Whether a type is that of a list."""
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Sequence)


def _passed(hint: Any, limits: tuple[Any, ...]) -> Any:
    """A part of a type with the range that the whole has."""
    limit = find_limit(limits, Range)
    return hint if limit is None or has_settings(hint) else Annotated[hint, limit]


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
