"""Plain data as settings: types are checked strictly, ranges too, and everything that is wrong is told at once."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin

from divulge.errors import DivulgeError, SpecError, raise_all, suggest
from divulge.settings.limits import Entries, Kinds, Range, Shorthand
from divulge.settings.setting import Setting, find_limit, has_settings, settings_not_taken, settings_of, unpacked
from divulge.settings.texts import MOST_NAMED, noun_of

T = TypeVar("T")

_WRONG: Any = object()
"""In place of a value with which something is wrong; what, is among the problems."""


@dataclass(frozen=True)
class Choice(Generic[T]):
    """One of several classes with the settings that were given to it, where what is usual depends on who asks."""

    kind: type[T]
    given: Mapping[str, Any]

    def make(self, **usual: Any) -> T:
        """The settings; those that were not given are as usual here."""
        return self.kind(**{**usual, **self.given})


def read_settings(owner: type[T], document: Mapping[str, Any], path: str = "") -> T:
    """The settings of a class from plain data; one error that holds everything that is wrong, each with its path."""
    reader = _Reader()
    found = reader.made(owner, reader.fields(owner, document, path), path)
    raise_all(reader.problems)
    return cast(T, found)


def read_kind(kinds: Kinds, document: Mapping[str, Any], path: str = "") -> Any:
    """One of several classes from plain data, its `kind` included."""
    reader = _Reader()
    found = reader.read(Annotated[Any, kinds], document, path)
    raise_all(reader.problems)
    return found


def check_settings(owner: Any) -> None:
    """Check the fields of something that was made in Python as those of a file are; lists become tuples."""
    reader = _Reader()
    for setting in settings_of(type(owner)).values():
        value = getattr(owner, setting.field)
        if value is not setting.default:
            read = reader.read(setting.hint, value, setting.name)
            if read is not _WRONG and read is not value:
                object.__setattr__(owner, setting.field, read)
    for setting in settings_not_taken(type(owner)).values():
        if getattr(owner, setting.field) != setting.default:
            reader.not_taken(type(owner), setting, setting.name)
    raise_all(reader.problems)


class _Reader:
    """Reads values by their types and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[DivulgeError] = []

    def read(self, hint: Any, value: Any, path: str, outer: tuple[Any, ...] = ()) -> Any:
        """A value as its type has it. outer: limits of the list that it is in."""
        plain, own = unpacked(hint)
        limits = (*own, *outer)
        short = find_limit(limits, Shorthand)
        if short is not None and value is not None:
            try:
                value = short.read(value)
            except (TypeError, ValueError):
                return self._refuse(f"{_shown(value)} cannot be read.", path, f"Write for example {short.example}.")
        parts = get_args(plain) if get_origin(plain) in (Union, types.UnionType) else (plain,)
        if value is None and types.NoneType in parts:
            return None
        kinds = find_limit(limits, Kinds)
        if kinds is not None:
            return self._member(kinds, plain, value, path)
        parts = tuple(p for p in parts if p is not types.NoneType)
        fitting = [p for p in parts if _fits(p, value)] if len(parts) > 1 else list(parts)
        if not fitting:
            return self._unfit(hint, value, path)
        return self._one(fitting[0], value, path, limits)

    def _one(self, hint: Any, value: Any, path: str, limits: tuple[Any, ...]) -> Any:
        """A value of a type that is no union."""
        plain, own = unpacked(hint)
        limits = (*own, *limits)
        origin = get_origin(plain)
        if plain is Any:
            return value
        if origin in (tuple, list):
            return self._list(plain, value, path, limits)
        if has_settings(plain):
            return value if isinstance(value, plain) else self.made(plain, self.fields(plain, value, path), path)
        if not _fits(plain, value):
            return self._unfit(_limited(plain, limits), value, path)
        if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            return self._mapping(get_args(plain)[1], value, path, limits)
        if origin is Literal:
            known = [p for p in get_args(plain) if p == value]
            return known[0] if known else self._unfit(plain, value, path)
        if plain is Path:
            return Path(value)
        if plain in (int, float):
            number = value if type(value) is plain else plain(value)
            bad = next((r for r in limits if isinstance(r, Range) and not r.holds(number)), None)
            return number if bad is None else self._unfit(_limited(plain, (bad,)), value, path)
        return value

    def _list(self, hint: Any, value: Any, path: str, limits: tuple[Any, ...]) -> Any:
        parts = get_args(hint)
        is_one = isinstance(value, str | Real) or (isinstance(value, Mapping) and has_settings(parts[0]))
        if is_one and parts[1:] == (...,):
            # One value needs no brackets: `by: SEX`.
            one = self.read(parts[0], value, path, limits)
            return one if one is _WRONG else (one,)
        if not isinstance(value, list | tuple):
            return self._unfit(hint, value, path)
        if parts[1:] != (...,) and len(value) != len(parts):
            return self._refuse(f"{len(parts)} entries are needed, {len(value)} are given.", path)
        hints = [parts[0]] * len(value) if parts[1:] == (...,) else parts
        entries = find_limit(limits, Entries)
        inner = tuple(limit for limit in limits if isinstance(limit, Range))
        read = tuple(self.read(h, v, f"{path}[{i}]", inner) for i, (h, v) in enumerate(zip(hints, value, strict=True)))
        if any(v is _WRONG for v in read):
            return _WRONG
        if entries is not None and len(read) < entries.least:
            least = "one entry" if entries.least == 1 else f"{entries.least} entries"
            return self._refuse(f"at least {least} is needed, {len(read) or 'none'} is given.", path)
        twice = next((v for v in read if read.count(v) > 1), None) if entries is not None and entries.differ else None
        return read if twice is None else self._refuse(f"{_shown(twice)} is there twice.", path, "Keep one of them.")

    def _mapping(self, hint: Any, value: Mapping[Any, Any], path: str, limits: tuple[Any, ...]) -> Any:
        if hint is Any and all(isinstance(key, str) for key in value):
            return value
        # Names such as 1 and true are read as numbers and switches, and are meant as text.
        named = {k if isinstance(k, str) else json.dumps(k): v for k, v in value.items()}
        read = {key: self.read(hint, v, f"{path}.{key}", limits) for key, v in named.items()}
        return _WRONG if any(v is _WRONG for v in read.values()) else read

    def _member(self, kinds: Kinds, hint: Any, value: Any, path: str) -> Any:
        """One of several classes, by its `kind`."""
        if isinstance(value, (Choice, *kinds.members)):
            return value
        known = kinds.by_name
        if not isinstance(value, Mapping):
            example = value if isinstance(value, str) and value in known else next(iter(known))
            message = f"{noun_of(Mapping)} is needed, {_shown(value)} is given."
            return self._refuse(message, path, f"For example kind: {example}.")
        given = dict(value)
        name = given.pop("kind", None) if "kind" in given or kinds.default is None else kinds.default.kind
        if name is None:
            return self._refuse("the field 'kind' is missing.", path, f"For example kind: {next(iter(known))}.")
        if not isinstance(name, str) or name not in known:
            hint_text = suggest(str(name), known, kinds.also) or f"There are: {', '.join(known)}."
            return self._refuse(f"there is no {kinds.noun} {_shown(name)}.", _join(path, "kind"), hint_text)
        fields = self.fields(known[name], given, path)
        made = self.made(known[name], fields, path)
        is_choice = any(get_origin(p) is Choice for p in (hint, *get_args(hint)))
        return Choice(known[name], fields) if is_choice and made is not _WRONG else made

    def fields(self, owner: type[Any], document: Any, path: str) -> Any:
        """The fields of a class that a mapping gives, by their names in the class."""
        if not isinstance(document, Mapping):
            return self._unfit(Mapping, document, path)
        known, before = settings_of(owner), len(self.problems)
        found: dict[str, Any] = {}
        for key, value in document.items():
            name = str(key)
            if name in known and value is None:
                # What is left empty is as usual, or missing where it is needed.
                continue
            if name in known:
                found[known[name].field] = self.read(known[name].hint, value, _join(path, name))
            elif name in settings_not_taken(owner):
                self.not_taken(owner, settings_not_taken(owner)[name], _join(path, name))
            else:
                hint = suggest(name, known) or (f"The fields are: {', '.join(known)}." if known else "It has none.")
                self._refuse(f"there is no field {name!r}{_of(owner)}.", _join(path, name), hint)
        for name, setting in known.items():
            if setting.is_needed and document.get(name) is None:
                self._refuse("this field is missing.", _join(path, name), setting.help)
        return found if len(self.problems) == before else _WRONG

    def made(self, owner: type[Any], fields: Any, path: str) -> Any:
        """The thing itself, unless its fields are wrong already; what it says against them together is a problem."""
        if fields is _WRONG:
            return _WRONG
        try:
            return owner(**fields)
        except DivulgeError as error:
            self.problems += error.under(path).every if path else error.every
            return _WRONG

    def not_taken(self, owner: type[Any], setting: Setting, path: str) -> None:
        self._refuse(f"kind {owner.kind!r} takes no {setting.name!r}.", path, "Leave it out.")

    def _unfit(self, hint: Any, value: Any, path: str) -> Any:
        """A value of another type than the one that is needed, or out of its range."""
        wanted = noun_of(hint)
        if isinstance(value, Real) and not _is_finite(value):
            return self._refuse(f"{wanted} is needed, a number that is infinite or undefined is given.", path)
        return self._refuse(f"{wanted} is needed, {_shown(value)} is given.", path, _remedy(hint, value))

    def _refuse(self, message: str, path: str, hint: str | None = None) -> Any:
        self.problems.append(SpecError(message, where=path or "the spec", hint=hint))
        return _WRONG


def _fits(hint: Any, value: Any) -> bool:
    """Whether a value has the shape of a type; what is inside a list or a mapping is not looked at."""
    plain = unpacked(hint)[0]
    origin = get_origin(plain)
    if plain is Any:
        return True
    if origin is Literal:
        types_of_words = {type(p) for p in get_args(plain)}
        return type(value) in types_of_words or (int in types_of_words and _is_whole(value))
    if plain is bool:
        return isinstance(value, bool)
    if plain is int:
        return _is_whole(value)
    if plain is float:
        return isinstance(value, Real) and not isinstance(value, bool) and _is_finite(value)
    if plain is Path:
        return isinstance(value, str | Path)
    if origin in (tuple, list) or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return isinstance(value, list | tuple)
    if has_settings(plain):
        return isinstance(value, Mapping | plain)
    return isinstance(value, Mapping if isinstance(origin, type) and issubclass(origin, Mapping) else plain)


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number, as JSON has it: 2.0 is one."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _limited(hint: Any, limits: tuple[Any, ...]) -> Any:
    """A type with the range that it has to keep to."""
    bounds = tuple(limit for limit in limits if isinstance(limit, Range))
    return Annotated[(hint, *bounds)] if bounds and hint in (int, float) else hint


def _remedy(hint: Any, value: Any) -> str | None:
    """What to write instead, where that can be told."""
    plain = unpacked(hint)[0]
    if plain is bool and isinstance(value, str):
        meant = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
        return f"Write {meant[value.casefold()]}." if value.casefold() in meant else None
    if plain in (int, float) and isinstance(value, str):
        try:
            return f"Write {plain(value):g}, without quotation marks."
        except ValueError:
            return None
    if get_origin(plain) is Literal:
        known = [str(part) for part in get_args(plain)]
        return suggest(str(value), known) or (f"There are: {', '.join(known)}." if len(known) > MOST_NAMED else None)
    if plain is str and isinstance(value, bool | Real):
        return f"Write {json.dumps(json.dumps(value))}, in quotation marks, if it is meant as text."
    return None


def _of(owner: type[Any]) -> str:
    named = {name: value for name, value in vars(owner).items() if name not in settings_of(owner)}
    kind = named.get("kind", named.get("name"))
    return f" in {kind!r}" if isinstance(kind, str) else ""


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    """A value as an error quotes it; what is long is only named."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
