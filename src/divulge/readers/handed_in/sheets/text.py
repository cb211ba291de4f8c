"""Plain text: console logs, results files. Long files are read in parts, so that none has to fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

from divulge.readers.handed_in.sheets import delimited
from divulge.readers.handed_in.sheets.decoding import decode, encoding_of, is_binary
from divulge.readers.handed_in.sheets.embedded import with_grids
from divulge.readers.handed_in.sheets.sheet import Block, Document, Lines, Remark

SUFFIXES = (".txt", ".log", ".rout", ".out", ".lst", ".text", ".do", ".sps", ".r", ".py", ".inp", ".save", ".res", "")

PART = 20_000
"""Lines that are read together. A table longer than that is no output."""

LONGEST = 20_000
"""Characters of a line that are looked at."""

_START = 1_000_000
"""Bytes of a long file by which its encoding is told."""

WHOLE = 8_000_000
"""Bytes up to which a file is decoded as one."""


def _parts(path: Path, encoding: str) -> Iterator[Lines]:
    """The lines of a file, part by part; a part ends at an empty line where there is one."""
    held: list[str] = []
    first = 1
    with path.open(encoding=encoding, errors="replace") as file:
        for text in _short_lines(file):
            held.append(text.rstrip("\r\n").expandtabs(8)[:LONGEST])
            if len(held) >= PART and (not held[-1].strip() or len(held) >= 2 * PART):
                yield Lines(tuple(held), first)
                first += len(held)
                held = []
    if held:
        yield Lines(tuple(held), first)


def _short_lines(file: TextIO) -> Iterator[str]:
    """The lines of a file as far as they are looked at: one without end never has to fit into memory."""
    while text := file.readline(LONGEST):
        yield text
        while text and not text.endswith("\n"):
            text = file.readline(LONGEST)


class _Long:
    """A long file as blocks that can be gone through more than once. shown: the blocks of some of its lines."""

    def __init__(self, path: Path, encoding: str, shown: Callable[[Lines], Iterable[Block]]) -> None:
        self.path, self.encoding, self.shown = path, encoding, shown

    def __iter__(self) -> Iterator[Block]:
        for part in _parts(self.path, self.encoding):
            yield from self.shown(part)


def read_long(path: Path, name: str, shown: Callable[[Lines], Iterable[Block]]) -> Document:
    """A file that is too long to be read as one."""
    with path.open("rb") as file:
        start = file.read(_START)
    if is_binary(start):
        return Document(name, reason="not text; nothing in it can be read")
    encoding, odd = encoding_of(start)
    return Document(name, _Long(path, encoding, shown), (Remark(odd),) if odd else ())


def _is_delimited(text: str) -> bool:
    """Whether a text is a table with tabs between its cells, as outreg2 and Excel write it."""
    lines = text.splitlines()[:400]
    tabs = [t.count("\t") for t in lines if t.strip()]
    usual = max(set(tabs), key=tabs.count) if tabs else 0
    return usual > 0 and len(tabs) > 3 and sum(t == usual for t in tabs) >= 0.9 * len(tabs)


def read(path: Path, name: str) -> Document:
    """A text file."""
    if path.stat().st_size > WHOLE:
        return read_long(path, name, with_grids)
    data = path.read_bytes()
    if is_binary(data):
        return Document(name, reason="not text; nothing in it can be read")
    text, odd = decode(data)
    if _is_delimited(text):
        return delimited.read(path, name)
    texts = tuple(t.expandtabs(8)[:LONGEST] for t in text.splitlines())
    return Document(name, tuple(with_grids(Lines(texts))), (Remark(odd),) if odd else ())
