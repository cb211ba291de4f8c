"""Plain text: console logs, results files. Long files are read in parts, so that none has to fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from divulge.readers.handed_in.sheets import delimited
from divulge.readers.handed_in.sheets.decoding import decode, is_binary
from divulge.readers.handed_in.sheets.embedded import with_grids
from divulge.readers.handed_in.sheets.sheet import Block, Document, Lines, Remark

SUFFIXES = (".txt", ".log", ".rout", ".out", ".lst", ".text", ".do", ".sps", ".r", ".py", ".inp", ".save", ".res", "")

PART = 20_000
"""Lines that are read together. A table longer than that is no output."""

LONGEST = 20_000
"""Characters of a line that are looked at."""

WHOLE = 8_000_000
"""Bytes up to which a file is decoded as one."""


def parts(path: Path) -> Iterator[Lines]:
    """The lines of a file, part by part; a part ends at an empty line where there is one."""
    held: list[str] = []
    first = 1
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            held.append(text.rstrip("\r\n").expandtabs(8)[:LONGEST])
            if len(held) >= PART and (not held[-1].strip() or len(held) >= 2 * PART):
                yield Lines(tuple(held), first)
                first += len(held)
                held = []
    if held:
        yield Lines(tuple(held), first)


class _Long:
    """A long file as blocks that can be gone through more than once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[Block]:
        for part in parts(self.path):
            yield from with_grids(part)


def _is_delimited(text: str) -> bool:
    """Whether a text is a table with tabs between its cells, as outreg2 and Excel write it."""
    lines = text.splitlines()[:400]
    tabs = [t.count("\t") for t in lines if t.strip()]
    usual = max(set(tabs), key=tabs.count) if tabs else 0
    return usual > 0 and len(tabs) > 3 and sum(t == usual for t in tabs) >= 0.9 * len(tabs)


def read(path: Path, name: str) -> Document:
    """A text file."""
    if path.stat().st_size > WHOLE:
        with path.open("rb") as file:
            if is_binary(file.read(4096)):
                return Document(name, reason="not text; nothing in it can be read")
        return Document(name, _Long(path))
    data = path.read_bytes()
    if is_binary(data):
        return Document(name, reason="not text; nothing in it can be read")
    text, odd = decode(data)
    if _is_delimited(text):
        return delimited.read(path, name)
    texts = tuple(t.expandtabs(8)[:LONGEST] for t in text.splitlines())
    return Document(name, tuple(with_grids(Lines(texts))), (Remark(odd),) if odd else ())
