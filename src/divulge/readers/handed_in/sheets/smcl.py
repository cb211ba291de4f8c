"""Stata's SMCL as the text that its viewer shows: directives are taken out, rules and columns are drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.sheet import Block, Document, Lines, Remark
from divulge.readers.handed_in.sheets.text import WHOLE, read_long

SUFFIXES = (".smcl", ".sthlp")

_CHARACTERS = {
    "-(": "{",
    ")-": "}",
    "-": "-",
    "|": "|",
    "+": "+",
    "TT": "+",
    "BT": "+",
    "LT": "+",
    "RT": "+",
    "TLC": "+",
    "TRC": "+",
    "BLC": "+",
    "BRC": "+",
    "'g": "`",
    "S|": "$",
}
_WITH_TEXT = re.compile(
    r"\{(?:ralign|lalign|center|centre)\s+(\d+):([^{}]*)\}|\{(?:res|txt|com|err|inp|it|bf|sf|ul|cmd|title|hi|input|error"
    r"|result|text|opt|help|browse|stata)[^:{}]*:([^{}]*)\}"
)


def _plain(text: str) -> str:
    """One line of SMCL as plain text."""
    text = re.sub(r"\{c (\S+?)\}", lambda m: "\x01" if m[1] == "-(" else "\x02" if m[1] == ")-" else _char(m[1]), text)
    for _ in range(6):  # directives hold one another, never deeper than this
        shown = _WITH_TEXT.sub(_aligned, text)
        if shown == text:
            break
        text = shown
    out, place = "", 0
    for match in re.finditer(r"\{([^{}]*)\}", text):
        out += text[place : match.start()]
        out += _drawn(match[1], len(out))
        place = match.end()
    return (out + text[place:]).replace("\x01", "{").replace("\x02", "}")


def _char(name: str) -> str:
    return _CHARACTERS.get(name, chr(int(name)) if name.isdigit() and int(name) < 0x110000 else "")


def _aligned(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[3]
    width = min(int(match[1]), 500)
    start = match[0][1]
    return match[2].rjust(width) if start == "r" else match[2].ljust(width) if start == "l" else match[2].center(width)


def _drawn(directive: str, at: int) -> str:
    """What a directive without text draws at a column: a rule, spaces up to a column, or nothing."""
    words = directive.split()
    if not words:
        return ""
    number = min(int(words[1]), 500) if len(words) > 1 and words[1].isdigit() else None
    if words[0] == "hline":
        return "-" * (number if number is not None else max(78 - at, 0))
    if words[0] == "col" and number is not None:
        return " " * max(number - 1 - at, 0)
    if words[0] in ("space", "dup") and number is not None:
        return " " * number
    return "-" * 78 if words[0] == ".-" else ""


def _shown(part: Lines) -> Iterator[Block]:
    yield from with_boxes(Lines(tuple(_plain(t) for t in part.texts), part.first))


def read(path: Path, name: str) -> Document:
    """A log in SMCL."""
    if path.stat().st_size > WHOLE:
        return read_long(path, name, _shown)
    text, odd = decode(path.read_bytes())
    texts = tuple(_plain(t.expandtabs(8)) for t in text.splitlines())
    return Document(name, tuple(with_boxes(Lines(texts))), (Remark(odd),) if odd else ())
