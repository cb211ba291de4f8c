"""R's serialised objects (XDR, versions 2 and 3), as the manual *R Internals* describes them: read, never evaluated."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LARGEST = 200_000_000
"""Bytes of an object once it is unpacked. More than that is no table of figures."""

_DEEPEST = 200
"""Lists within lists that are followed."""

_MISSING_INT = -(2**31)


@dataclass
class RObject:
    """A vector or a list with its attributes. type: its number in R. values: Python numbers, texts or objects."""

    type: int
    values: list[Any] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)

    def names(self) -> list[str]:
        named = self.attributes.get("names")
        return [str(n) for n in named.values] if isinstance(named, RObject) else []

    def classes(self) -> list[str]:
        named = self.attributes.get("class")
        return [str(n) for n in named.values] if isinstance(named, RObject) else []


@dataclass(frozen=True)
class _Symbol:
    """A name of R."""

    name: str


class NotRead(ValueError):
    """The bytes are no serialised objects, or hold some that are not read (byte code)."""


_OPENERS: Mapping[bytes, Callable[[io.BytesIO], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZ": bz2.open,
    b"\xfd7": lzma.open,
}


def _unpacked(data: bytes) -> bytes:
    """The bytes of a file without its compression."""
    opener = _OPENERS.get(data[:2])
    if opener is None:
        return data
    try:
        with opener(io.BytesIO(data)) as file:
            out = bytes(file.read(LARGEST + 1))
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise NotRead("its compression is broken") from error
    if len(out) > LARGEST:
        raise NotRead("larger than any table of figures once it is unpacked")
    return out


def objects_in(data: bytes) -> dict[str, Any]:
    """The objects of a file by their names; of an .rds file the one object, without a name."""
    raw = _unpacked(data)
    is_workspace = raw[:5] in (b"RDX2\n", b"RDX3\n")
    reader = _Reader(raw[5:] if is_workspace else raw)
    try:
        value = reader.whole()
    except (struct.error, IndexError, UnicodeDecodeError, OverflowError, MemoryError) as error:
        raise NotRead("it is cut off or damaged") from error
    if is_workspace and isinstance(value, list):
        return {tag: item for tag, item in value if tag}
    return {"": value}


_NOTHING = {0: None, 254: None, 253: _Symbol("globalenv"), 252: None, 251: None, 247: None, 242: None, 241: None}


_CALLS = frozenset({2, 6, 239, 240, 243, 244})
"""Calls and lists in byte code, plain, with attributes, and by reference."""


class _Reader:
    """Goes through the bytes from the first to the last."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.known: list[Any] = []

    def whole(self) -> Any:
        if self.data[:2] != b"X\n":
            raise NotRead("not R's usual way to write objects")
        self.at = 2
        version = self.integer()
        self.at += 8
        if version == 3:
            n = self.length()  # the encoding that texts have without a mark
            self.at += n
        elif version != 2:
            raise NotRead(f"version {version} of R's format")
        return self.item(0)

    def integer(self) -> int:
        (value,) = struct.unpack_from(">i", self.data, self.at)
        self.at += 4
        return int(value)

    def length(self) -> int:
        n = self.integer()
        if n == -1:
            high, low = self.integer(), self.integer()
            n = (high << 32) + low
        if n < 0 or n > len(self.data):
            raise NotRead("it is cut off or damaged")
        return n

    def numbers(self, sign: str, width: int) -> list[Any]:
        n = self.length()
        found = struct.unpack_from(f">{n}{sign}", self.data, self.at)
        self.at += n * width
        return list(found)

    def item(self, depth: int) -> Any:
        """The next object."""
        if depth > _DEEPEST:
            raise NotRead("nested too deeply to be read")
        flags = self.integer()
        kind, has_attributes, has_tag = flags & 0xFF, bool(flags & 0x200), bool(flags & 0x400)
        if kind in _NOTHING:
            return _NOTHING[kind]
        if kind == 255:
            place = (flags >> 8) or self.integer()
            return self.known[place - 1]
        if kind in (2, 6, 3, 5, 17, 239, 240):
            return self._pairs(kind, has_attributes or kind in (239, 240), has_tag, depth)
        if kind in (1, 4, 22, 248, 249, 250):
            return self._remembered(kind, has_attributes, depth)
        if kind == 238:
            return self._compact(depth)
        out = RObject(kind, self._values(kind, depth))
        if kind == 9:
            return out.values[0] if out.values else None
        if has_attributes:
            out.attributes = _named(self.item(depth + 1))
        return out

    def _values(self, kind: int, depth: int) -> list[Any]:
        if kind == 9:
            n = self.integer()
            if n == -1:
                return [None]
            if n < 0 or self.at + n > len(self.data):
                raise NotRead("it is cut off or damaged")
            text = self.data[self.at : self.at + n].decode("utf-8", errors="replace")
            self.at += n
            return [text]
        if kind in (10, 13):
            return [None if v == _MISSING_INT else v for v in self.numbers("i", 4)]
        if kind == 14:
            return self.numbers("d", 8)
        if kind == 15:
            n = self.length()
            self.at += 16 * n
            return [None] * n
        if kind in (16, 19, 20):
            return [self.item(depth + 1) for _ in range(self.length())]
        if kind in (7, 8, 24):
            n = self.length()
            self.at += n
            return []
        if kind == 25:
            return []
        if kind == 21:
            self.integer()
            self._code(depth)
            return []
        raise NotRead("it holds things that are no figures")

    def _code(self, depth: int) -> None:
        """Byte code of a function: gone past, so that what follows it can be read."""
        self.item(depth + 1)
        for _ in range(self.length()):
            kind = self.integer()
            if kind == 21:
                self._code(depth + 1)
            elif kind in _CALLS:
                self._code_call(kind, depth + 1)
            else:
                self.item(depth + 1)

    def _code_call(self, kind: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise NotRead("nested too deeply to be read")
        if kind == 243:
            self.integer()
            return
        if kind == 244:
            self.integer()
            kind = self.integer()
        if kind not in _CALLS:
            self.item(depth + 1)
            return
        for _ in range(2 if kind in (239, 240) else 1):  # attributes where it has some, and the tag
            self.item(depth + 1)
        for _ in range(2):
            self._code_call(self.integer(), depth + 1)

    def _pairs(self, kind: int, has_attributes: bool, has_tag: bool, depth: int) -> list[tuple[str, Any]]:
        """A list of pairs, gone through without recursion; a call is one too, its function first."""
        out: list[tuple[str, Any]] = []
        while True:
            if has_attributes:
                self.item(depth + 1)
            tag = self.item(depth + 1) if has_tag else None
            out.append((tag.name if isinstance(tag, _Symbol) else "", self.item(depth + 1)))
            if len(out) > 1_000_000:
                raise NotRead("it is cut off or damaged")
            start = self.at
            flags = self.integer()
            following = flags & 0xFF
            if following not in (2, 6, 239, 240):
                self.at = start
                self.item(depth + 1)
                return _Call(out) if kind in (6, 240) else out
            has_attributes, has_tag = bool(flags & 0x200), bool(flags & 0x400)

    def _remembered(self, kind: int, has_attributes: bool, depth: int) -> Any:
        """Symbols, environments and packages: later references point at them."""
        if kind == 1:
            name = self.item(depth + 1)
            symbol = _Symbol(str(name))
            self.known.append(symbol)
            return symbol
        self.known.append(None)
        if kind == 4:
            self.integer()
            for _ in range(4):
                self.item(depth + 1)
        elif kind == 22:
            self.item(depth + 1)
            self.item(depth + 1)
            if has_attributes:
                self.item(depth + 1)
        else:
            self.integer()
            for _ in range(self.length()):
                self.item(depth + 1)
        return None

    def _compact(self, depth: int) -> Any:
        """Vectors that R keeps in short: 1:200, texts of numbers, wrapped vectors."""
        info, state, attributes = self.item(depth + 1), self.item(depth + 1), self.item(depth + 1)
        name = info[0][1].name if isinstance(info, list) and isinstance(info[0][1], _Symbol) else ""
        named = _named(attributes)
        if name in ("compact_intseq", "compact_realseq") and isinstance(state, RObject):
            n, first, step = state.values
            if n > LARGEST / 8:
                raise NotRead("larger than any table of figures")
            return RObject(13, [int(first + k * step) for k in range(int(n))], named)
        inner = state[0][1] if isinstance(state, list) and state else state
        inner = inner.values[0] if isinstance(inner, RObject) and inner.type == 19 and inner.values else inner
        if isinstance(inner, RObject):
            values = [f"{v:.15g}" for v in inner.values] if name == "deferred_string" else inner.values
            return RObject(16 if name == "deferred_string" else inner.type, values, named or inner.attributes)
        raise NotRead("it holds vectors that a package keeps in its own way")


class _Call(list[tuple[str, Any]]):
    """A call of R: its function, then its arguments."""


def _named(pairs: Any) -> dict[str, Any]:
    return {tag: value for tag, value in pairs if tag} if isinstance(pairs, list) else {}


_BETWEEN = frozenset({"~", "+", "-", "*", "/", "^", ":", "==", "<", ">", "<=", ">=", "&", "|", "%in%", "!=", "$"})


def written(value: Any) -> str:
    """A call as R writes it: `lm(formula = wage ~ age, data = d)`."""
    if isinstance(value, _Symbol):
        return value.name
    if isinstance(value, _Call) and value:
        name = written(value[0][1])
        given = [f"{tag} = {written(v)}" if tag else written(v) for tag, v in value[1:]]
        if name in _BETWEEN and len(given) == 2:
            gap = "" if name in ("$", ":", "^") else " "
            return f"{given[0]}{gap}{name}{gap}{given[1]}"
        return f"({given[0]})" if name == "(" and given else f"{name}({', '.join(given)})"
    if isinstance(value, RObject) and len(value.values) == 1:
        only = value.values[0]
        return repr(only) if isinstance(only, str) else f"{only:.15g}" if isinstance(only, int | float) else "NA"
    return "..."
