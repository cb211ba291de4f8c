"""What a file is to a reader: blocks of lines and grids of cells, each with the line that it stands on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Lines:
    """Consecutive lines of text. first: the number of the first one in its file, from 1."""

    texts: tuple[str, ...]
    first: int = 1
    numbers: tuple[int, ...] = ()
    """The number of each line, where they do not follow one another."""

    def line(self, i: int) -> int:
        """The number in the file of the i-th line."""
        return self.numbers[min(i, len(self.numbers) - 1)] if self.numbers else self.first + i


MOST_JOINED = 20_000
"""Lines that are read together: a long log is never held as a whole."""


def joined_lines(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks with lines that follow one another as one block, as a log in several parts of a page is."""
    held: list[Lines] = []
    for block in blocks:
        if isinstance(block, Lines):
            held.append(block)
            if sum(len(b.texts) for b in held) >= MOST_JOINED:
                yield _as_one(held)
                held = []
            continue
        if held:
            yield _as_one(held)
            held = []
        yield block
    if held:
        yield _as_one(held)


def _as_one(held: list[Lines]) -> Lines:
    if len(held) == 1:
        return held[0]
    texts = tuple(t for b in held for t in b.texts)
    return Lines(texts, held[0].first, tuple(b.line(i) for b in held for i in range(len(b.texts))))


@dataclass(frozen=True)
class Row:
    """A row of a grid and the line (of a workbook: the row of the sheet) that it stands on."""

    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Grid:
    """A table as people see it: every row has as many cells; spanned cells hold their text in the first.

    spans: for each row, how many columns each cell covers (0: covered by the one to its left).
    before, after: what stands above and below it: titles, notes.
    """

    rows: tuple[Row, ...]
    spans: tuple[tuple[int, ...], ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    sheet: str | None = None

    @property
    def width(self) -> int:
        return len(self.rows[0].cells) if self.rows else 0

    def span(self, i: int, j: int) -> int:
        return self.spans[i][j] if self.spans else 1


Block = Lines | Grid


@dataclass(frozen=True)
class Remark:
    """Something a checker should know of a file that is no output: a hidden sheet, a comment, a macro."""

    what: str
    line: int = 0


@dataclass(frozen=True)
class Document:
    """A file, read. reason: why nothing of it could be read. asides: texts that are no part of a table or of its lines,
    such as a header or a defined name: where each stands, and the text."""

    file: str
    blocks: Iterable[Block] = ()
    remarks: tuple[Remark, ...] = ()
    reason: str | None = None
    unread: tuple[str, ...] = field(default=())
    asides: tuple[tuple[str, str], ...] = ()


def grid_of(rows: Iterable[tuple[int, Iterable[str]]], **about: object) -> Grid | None:
    """A grid from rows of any lengths, without its empty columns; None where fewer than two cells hold something."""
    listed = [
        (line, [" ".join(str(c).replace("\xa0", " ").split("\n")).rstrip() for c in cells]) for line, cells in rows
    ]
    width = max((len(cells) for _, cells in listed), default=0)
    padded = [(line, cells + [""] * (width - len(cells))) for line, cells in listed]
    if sum(bool(c.strip()) for _, cells in padded for c in cells) < 2:
        return None
    return Grid(tuple(Row(tuple(cells), line) for line, cells in padded), **about)  # type: ignore[arg-type]  # its fields
