"""Settings as JSON Schema, for editors that check and complete as one types."""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from divulge.record import to_plain
from divulge.settings.limits import Entries, Kinds, Range, Shorthand
from divulge.settings.setting import find_limit, has_settings, settings_of, unpacked
from divulge.settings.texts import is_list

_TYPES = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}


def json_schema(owner: type[Any], title: str) -> dict[str, Any]:
    """The JSON Schema of a class with settings; everything that it refers to is in `$defs`, by the class's name."""
    defs: dict[str, Any] = {}
    whole = _object(owner, defs)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": dict(sorted(defs.items())),
        **whole,
        "title": title,
    }


def _object(
    owner: type[Any], defs: dict[str, Any], kind: str | None = None, is_default: bool = False
) -> dict[str, Any]:
    """A class as an object. kind: the value of its entry `kind`, where it is one of several."""
    properties: dict[str, Any] = {}
    needed = []
    if kind is not None:
        properties["kind"] = {"const": kind, "type": "string"}
        needed = [] if is_default else ["kind"]
    for name, setting in settings_of(owner).items():
        is_plain = not setting.is_needed and not has_settings(setting.default)
        default = {"default": to_plain(setting.default)} if is_plain else {}
        found = _type(setting.hint, defs)
        # What is left empty is as usual, as in a file that says `seed:` and no more.
        found = found if setting.is_needed else _nullable(found)
        properties[name] = {**found, **default, "description": setting.help}
        needed += [name] if setting.is_needed else []
    return {
        "additionalProperties": False,
        "description": " ".join((owner.__doc__ or "").split()),
        "properties": properties,
        **({"required": needed} if needed else {}),
        "title": owner.__name__,
        "type": "object",
    }


def _type(hint: Any, defs: dict[str, Any], outer: tuple[Any, ...] = (), is_alone: bool = True) -> dict[str, Any]:
    """A type. is_alone: it is not one of several that a value may have."""
    plain, own = unpacked(hint)
    limits = (*own, *outer)
    short = find_limit(limits, Shorthand)
    if short is not None:
        rest = tuple(limit for limit in limits if limit is not short)
        return {"anyOf": [dict(short.form), *_flat(_type(plain, defs, rest))]}
    kinds = find_limit(limits, Kinds)
    if kinds is not None:
        found = _members(kinds, defs)
        return _nullable(found) if types.NoneType in get_args(plain) else found
    origin, parts = get_origin(plain), get_args(plain)
    if origin in (Union, types.UnionType):
        is_alone = sum(p is not types.NoneType for p in parts) == 1
        return {"anyOf": [each for p in parts for each in _flat(_type(p, defs, limits, is_alone))]}
    if origin is Literal:
        return {"enum": list(parts), "type": _TYPES[type(parts[0])]}
    if is_list(plain):
        return _list(parts, defs, limits, is_alone)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"additionalProperties": parts[1] is Any or _type(parts[1], defs, limits), "type": "object"}
    if has_settings(plain):
        return _referred(plain, defs)
    return {} if plain is Any else {"type": _TYPES[plain], **_bounds(plain, limits)}


def _list(parts: tuple[Any, ...], defs: dict[str, Any], limits: tuple[Any, ...], is_alone: bool) -> dict[str, Any]:
    inner = tuple(limit for limit in limits if isinstance(limit, Range))
    if parts[1:] and parts[1:] != (...,):
        items = [_type(p, defs, inner) for p in parts]
        return {"maxItems": len(items), "minItems": len(items), "prefixItems": items, "type": "array"}
    found: dict[str, Any] = {"items": _type(parts[0], defs, inner), "type": "array"}
    entries = find_limit(limits, Entries)
    if entries is not None:
        found |= {"minItems": entries.least} if entries.least else {}
        found |= {"uniqueItems": True} if entries.differ else {}
    # One value needs no brackets where nothing but a list is possible.
    is_one = has_settings(parts[0]) or unpacked(parts[0])[0] in _TYPES or get_origin(parts[0]) is Literal
    return {"anyOf": [found, found["items"]]} if is_alone and is_one and parts[1:] else found


def _members(kinds: Kinds, defs: dict[str, Any]) -> dict[str, Any]:
    for name, member in kinds.by_name.items():
        defs[member.__name__] = _object(member, defs, name, member is kinds.default)
    mapping = {name: f"#/$defs/{member.__name__}" for name, member in kinds.by_name.items()}
    return {
        "discriminator": {"mapping": mapping, "propertyName": "kind"},
        "oneOf": [{"$ref": place} for place in mapping.values()],
    }


def _referred(owner: type[Any], defs: dict[str, Any]) -> dict[str, Any]:
    if owner.__name__ not in defs:
        defs[owner.__name__] = {}
        defs[owner.__name__] = _object(owner, defs)
    return {"$ref": f"#/$defs/{owner.__name__}"}


def _bounds(plain: Any, limits: tuple[Any, ...]) -> dict[str, float]:
    limit = find_limit(limits, Range)
    if plain not in (int, float) or limit is None:
        return {}
    named = {"minimum": limit.least, "exclusiveMinimum": limit.above}
    named |= {"maximum": limit.most, "exclusiveMaximum": limit.below}
    return {name: bound for name, bound in named.items() if bound is not None}


def _nullable(found: dict[str, Any]) -> dict[str, Any]:
    """The same, or nothing."""
    null, ways = {"type": "null"}, _flat(found)
    if isinstance(found.get("type"), str):
        words = {"enum": [*found["enum"], None]} if "enum" in found else {}
        return {**found, **words, "type": [found["type"], "null"]}
    return found if not found or null in ways else {"anyOf": [*ways, null]}


def _flat(found: dict[str, Any]) -> list[Any]:
    return found["anyOf"] if set(found) == {"anyOf"} else [found]
