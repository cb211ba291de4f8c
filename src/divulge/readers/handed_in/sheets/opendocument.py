"""OpenDocument texts and spreadsheets: paragraphs as lines, tables as grids."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from divulge.readers.handed_in.sheets.packed import Package, Unreadable, attribute, local
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, grid_of
from divulge.readers.handed_in.sheets.word import joined

SUFFIXES = (".odt", ".ods", ".fodt")


def read(path: Path, name: str) -> Document:
    """A document. Lines are counted by paragraphs and rows of tables."""
    try:
        root = Package(path).xml("content.xml")
    except Unreadable as error:
        return Document(name, reason=str(error))
    parts: list[Block] = []
    remarks: list[Remark] = []
    _collect(root, parts, remarks, [1])
    return Document(name, tuple(joined(parts)), tuple(remarks))


def _collect(element: ET.Element, parts: list[Block], remarks: list[Remark], line: list[int]) -> None:
    for child in element:
        called = local(child)
        if called in ("p", "h"):
            parts.append(Lines((_text(child),), line[0]))
            line[0] += 1
        elif called == "table":
            parts += [g for g in [_table(child, line)] if g is not None]
        elif called == "tracked-changes":
            remarks.append(Remark("tracked changes: what was deleted is still in the file"))
        else:
            _collect(child, parts, remarks, line)


def _text(element: ET.Element) -> str:
    out = [element.text or ""]
    for child in element:
        called = local(child)
        if called == "s":
            out.append(" " * min(int(attribute(child, "c") or 1), 200))
        elif called == "tab":
            out.append("\t")
        elif called not in ("annotation", "note"):
            out.append(_text(child))
        out.append(child.tail or "")
    return "".join(out)


def _table(element: ET.Element, line: list[int]) -> Grid | None:
    rows, spans = [], []
    for row in (e for e in element.iter() if local(e) == "table-row"):
        cells: list[str] = []
        covered: list[int] = []
        for cell in row:
            if local(cell) not in ("table-cell", "covered-table-cell"):
                continue
            again = min(int(attribute(cell, "number-columns-repeated") or 1), 60)
            wide = min(int(attribute(cell, "number-columns-spanned") or 1), 60)
            text = "\n".join(_text(p) for p in cell if local(p) in ("p", "h"))
            hidden = local(cell) == "covered-table-cell"
            cells += ["" if hidden else text] * again
            covered += [0 if hidden else wide] * again
        rows.append((line[0], cells))
        spans.append(covered)
        line[0] += 1
    width = max((len(c) for _, c in rows), default=0)
    padded = tuple((*s, *[1] * (width - len(s))) for s in spans)
    title = attribute(element, "name")
    return grid_of(rows, spans=padded, before=(title,) if title and not title.startswith("Table") else ())
