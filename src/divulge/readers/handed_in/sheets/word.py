"""Word documents: paragraphs as lines, tables as grids; tracked changes and comments are remarked on."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from divulge.readers.handed_in.sheets.packed import Package, Unreadable, attribute, local
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, grid_of

SUFFIXES = (".docx", ".docm", ".dotx")


def read(path: Path, name: str) -> Document:
    """A document. Lines are counted by paragraphs and rows of tables."""
    try:
        package = Package(path)
        body = next((e for e in package.xml("word/document.xml") if local(e) == "body"), None)
    except Unreadable as error:
        return Document(name, reason=str(error))
    if body is None:
        return Document(name, reason="a document without a body")
    return Document(name, tuple(joined(_parts(body))), tuple(_remarks(package, body)))


def _parts(body: ET.Element) -> list[Block]:
    parts: list[Block] = []
    line = 1
    for element in body:
        if local(element) == "p":
            parts.append(Lines((_text(element),), line))
            line += 1
        elif local(element) == "tbl":
            grid = _table(element, line)
            if grid is not None:
                parts.append(grid)
            line += sum(1 for e in element if local(e) == "tr")
        elif local(element) == "sdt":
            inner = [e for e in element.iter() if local(e) == "sdtContent"]
            parts += _parts(inner[0]) if inner else []
    return parts


def _text(element: ET.Element) -> str:
    """The text of a paragraph as it reads with all changes accepted."""
    out = []
    deleted = {id(e) for d in element.iter() if local(d) == "del" for e in d.iter()}
    for e in element.iter():
        if id(e) in deleted:
            continue
        if local(e) == "t":
            out.append(e.text or "")
        elif local(e) == "tab":
            out.append("\t")
        elif local(e) == "br":
            out.append("\n")
    return "".join(out).expandtabs(4)


def _table(element: ET.Element, line: int) -> Grid | None:
    rows, spans = [], []
    for i, row in enumerate(e for e in element if local(e) == "tr"):
        cells: list[str] = []
        covered: list[int] = []
        for cell in (e for e in row if local(e) == "tc"):
            wide = next((attribute(e, "val") for e in cell.iter() if local(e) == "gridSpan"), None)
            n = int(wide) if wide is not None and wide.isdigit() else 1
            follows = next((e for e in cell.iter() if local(e) == "vMerge"), None)
            text = "\n".join(_text(p) for p in cell if local(p) == "p")
            if follows is not None and attribute(follows, "val") != "restart":
                text = ""
            indent = next(
                (attribute(e, "left") or attribute(e, "start") for e in cell.iter() if local(e) == "ind"), None
            )
            if indent is not None and indent.isdigit() and int(indent) > 60 and text.strip():
                text = "   " + text
            cells += [text] + [""] * (min(n, 60) - 1)
            covered += [min(n, 60)] + [0] * (min(n, 60) - 1)
        rows.append((line + i, cells))
        spans.append(covered)
    width = max((len(c) for _, c in rows), default=0)
    padded = tuple((*s, *[1] * (width - len(s))) for s in spans)
    return grid_of(rows, spans=padded)


def joined(parts: list[Block]) -> list[Block]:
    """Grids with the texts around them as titles and notes."""
    blocks: list[Block] = []
    for i, part in enumerate(parts):
        if isinstance(part, Grid):
            before = [t for p in parts[max(i - 3, 0) : i] if isinstance(p, Lines) for t in p.texts if t.strip()]
            after = []
            for follower in parts[i + 1 : i + 4]:
                if not isinstance(follower, Lines):
                    break
                after += [t for t in follower.texts if t.strip()]
            blocks.append(Grid(part.rows, part.spans, (*part.before, *before), tuple(after), part.sheet))
        else:
            blocks.append(part)
    return blocks


_BESIDE = re.compile(r"^word/(?:footnotes|endnotes|header\d*|footer\d*)\.xml$")
_NUMBERED = re.compile(r"\d[.,]\d|\d\d")
"""More than the number of a page or a note."""


def _remarks(package: Package, body: ET.Element) -> list[Remark]:
    found = []
    if package.has_author():
        found.append(Remark("the name of a person, in the properties of the file"))
    names = {local(e) for e in body.iter()}
    if names & {"ins", "del", "moveFrom", "moveTo"}:
        found.append(Remark("tracked changes: what was deleted is still in the file"))
    if "word/comments.xml" in package.names:
        found.append(Remark("comments"))
    if "vanish" in names:
        found.append(Remark("hidden text"))
    if any("vbaProject" in n for n in package.names):
        found.append(Remark("macros, which were not run"))
    if any(n.startswith("word/embeddings/") for n in package.names):
        found.append(Remark("embedded workbooks or files, which keep the numbers behind a chart"))
    if any(_NUMBERED.search(_text(package.xml(n))) for n in package.names if _BESIDE.match(n)):
        found.append(Remark("figures in footnotes, headers or footers, which were not compared"))
    if any(n.startswith("word/media/") for n in package.names):
        found.append(Remark("pictures, which cannot be read"))
    return found
