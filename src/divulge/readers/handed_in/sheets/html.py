"""HTML by the standard parser: tables as grids with their spans, `pre` as lines, other text as titles and notes.

Scripts are never run and nothing is fetched; pictures inside the page are remarked on.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, grid_of

SUFFIXES = (".html", ".htm", ".xhtml")

_SILENT = {"script", "style", "head", "template", "svg", "noscript"}
_BREAKS = {"p", "div", "br", "h1", "h2", "h3", "h4", "h5", "h6", "li", "section", "article", "summary", "hr"}


class _Page(HTMLParser):
    """Goes through a page and keeps tables, preformatted text and paragraphs in their order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[tuple[int, object]] = []
        self.silent = 0
        self.pre = 0
        self.text: list[str] = []
        self.at = 1
        self.tables: list[_Table] = []
        self.remarks: list[Remark] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _SILENT and tag != "head":
            self.silent += 1
            if tag == "svg":
                self.remarks.append(Remark("a drawing (SVG) that may hold the points it shows", self.getpos()[0]))
        elif tag == "img" and (given.get("src") or "").startswith("data:"):
            self.remarks.append(Remark("a picture inside the page, which cannot be read", self.getpos()[0]))
        elif tag == "table":
            self._flush()
            self.tables.append(_Table(self.getpos()[0]))
        elif self.tables:
            self.tables[-1].start(tag, given, self.getpos()[0])
        elif tag == "pre":
            self._flush()
            self.pre += 1
            self.at = self.getpos()[0]
        elif tag in _BREAKS and not self.pre:
            self._flush()

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT and tag != "head":
            self.silent = max(self.silent - 1, 0)
        elif tag == "table" and self.tables:
            table = self.tables.pop()
            table.close()
            self.blocks.append((table.line, table))
        elif self.tables:
            self.tables[-1].end(tag)
        elif tag == "pre" and self.pre:
            self.pre -= 1
            self.blocks.append((self.at, "".join(self.text)))
            self.text = []
        elif tag in _BREAKS and not self.pre:
            self._flush()

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if self.tables:
            self.tables[-1].say(data)
            return
        if not self.text:
            self.at = self.getpos()[0]
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        if re.search(r"[A-Za-z]{3}", data) and not data.startswith("[if"):
            self.remarks.append(Remark("a comment in the page's source", self.getpos()[0]))

    def _flush(self) -> None:
        said = "".join(self.text)
        if said.strip() and not self.pre:
            self.blocks.append((self.at, " ".join(said.split())))
            self.text = []


class _Table:
    """A table as it is read: rows of cells with what they span."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.rows: list[tuple[int, list[tuple[str, int, int]]]] = []
        self.cell: list[str] | None = None
        self.caption: list[str] | None = None
        self.captions: list[str] = []
        self.spanned = (1, 1)
        self.open = False

    def start(self, tag: str, given: dict[str, str | None], line: int) -> None:
        if tag == "tr":
            self._end_cell()
            self.rows.append((line, []))
            self.open = True
        elif tag in ("td", "th"):
            self._end_cell()
            if not self.open:
                self.rows.append((line, []))
                self.open = True
            self.cell = []
            self.spanned = (_count(given.get("colspan")), _count(given.get("rowspan")))
        elif tag == "caption":
            self.caption = []
        elif tag == "br":
            self.say(" ")

    def end(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._end_cell()
            self.open = self.open and tag != "tr"
        elif tag == "caption" and self.caption is not None:
            self.captions.append(" ".join("".join(self.caption).split()))
            self.caption = None

    def say(self, text: str) -> None:
        if self.caption is not None:
            self.caption.append(text)
        elif self.cell is not None:
            self.cell.append(text)

    def _end_cell(self) -> None:
        if self.cell is not None:
            text = "".join(self.cell)
            indent = len(text) - len(text.lstrip("\xa0 ")) if text[:1] == "\xa0" else 0
            self.rows[-1][1].append((" " * indent + " ".join(text.split()), *self.spanned))
            self.cell = None

    def close(self) -> None:
        self._end_cell()

    def grid(self) -> Grid | None:
        placed: dict[tuple[int, int], tuple[str, int]] = {}
        for i, (_, cells) in enumerate(self.rows):
            j = 0
            for text, wide, tall in cells:
                while (i, j) in placed:
                    j += 1
                for di in range(min(tall, len(self.rows) - i)):
                    for dj in range(wide):
                        shown = text if di == 0 and dj == 0 else ""
                        placed[i + di, j + dj] = (shown, wide if dj == 0 else 0)
                j += wide
        width = 1 + max((j for _, j in placed), default=-1)
        rows = [(line, [placed.get((i, j), ("", 1))[0] for j in range(width)]) for i, (line, _) in enumerate(self.rows)]
        spans = tuple(tuple(placed.get((i, j), ("", 1))[1] for j in range(width)) for i in range(len(self.rows)))
        return grid_of(rows, spans=spans, before=tuple(c for c in self.captions if c))


def _count(text: str | None) -> int:
    return min(max(int(text), 1), 200) if text is not None and text.strip().isdigit() else 1


def blocks_of(source: str) -> tuple[list[Block], list[Remark]]:
    """The blocks of a page's source. A grid knows the paragraphs around it."""
    page = _Page()
    page.feed(source)
    page.close()
    page._flush()
    while page.tables:
        table = page.tables.pop()
        table.close()
        page.blocks.append((table.line, table))
    blocks: list[Block] = []
    said: list[str] = []
    for line, found in page.blocks:
        if isinstance(found, _Table):
            grid = found.grid()
            if grid is not None:
                blocks.append(Grid(grid.rows, grid.spans, (*said[-3:], *grid.before)))
                said = []
            continue
        assert isinstance(found, str), "a block is a table or a text"
        if blocks and isinstance(blocks[-1], Grid) and "\n" not in found:
            last = blocks[-1]
            blocks[-1] = Grid(last.rows, last.spans, last.before, (*last.after, found))
        if "\n" in found:
            blocks.extend(with_boxes(Lines(tuple(t.expandtabs(8) for t in found.split("\n")), line)))
        else:
            said.append(found)
            blocks.append(Lines((found,), line))
    return blocks, page.remarks


def read(path: Path, name: str) -> Document:
    """A page."""
    text, odd = decode(path.read_bytes())
    blocks, remarks = blocks_of(text)
    return Document(name, tuple(blocks), (*remarks, *((Remark(odd),) if odd else ())))
