"""Word documents: paragraphs as lines, tables as grids; tracked changes and comments are remarked on."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from divulge.readers.handed_in.sheets.asides import asides, links_elsewhere
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
    beside, unread = asides(package)
    remarks = _remarks(package, body)
    return Document(name, tuple(joined(_parts(body))), tuple(remarks), unread=tuple(unread), asides=tuple(beside))


def _placed(body: ET.Element, line: int = 1) -> Iterator[tuple[ET.Element, int]]:
    """The paragraphs and tables of a body, each with its line; a table has one for each row."""
    for element in body:
        if local(element) == "p":
            yield element, line
            line += 1
        elif local(element) == "tbl":
            yield element, line
            line += sum(1 for e in element if local(e) == "tr")
        elif local(element) in ("sdt", "sdtContent", "customXml"):
            for inner, at in _placed(element, line):
                yield inner, at
                line = at + (1 if local(inner) == "p" else sum(1 for e in inner if local(e) == "tr"))


def _parts(body: ET.Element, first: int = 1) -> list[Block]:
    parts: list[Block] = []
    for element, line in _placed(body, first):
        if local(element) == "tbl":
            grid = _table(element, line)
            parts += [grid] if grid is not None else []
            continue
        parts.append(Lines((_text(element, (*_TWICE, "txbxContent")),), line))
        twice = {id(e) for t in element.iter() if local(t) in _TWICE for e in t.iter()}
        for box in (e for e in element.iter() if local(e) == "txbxContent" and id(e) not in twice):
            parts += _parts(box, line)
    return parts


_TWICE = ("del", "Fallback")
"""What was deleted, and what older programs show in place of something else that is there."""


def _text(element: ET.Element, without: tuple[str, ...] = _TWICE) -> str:
    """The text of a paragraph as it reads with all changes accepted."""
    out = []
    left = {id(e) for d in element.iter() if local(d) in without for e in d.iter()}
    for e in element.iter():
        if id(e) in left:
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
    found += _hidden(package, body)
    if any("vbaProject" in n for n in package.names):
        found.append(Remark("macros, which were not run"))
    if any(n.startswith("word/embeddings/") for n in package.names):
        found.append(Remark("embedded workbooks or files, which keep the numbers behind a chart"))
    beside = _readable(package, _BESIDE)
    if any(_NUMBERED.search(_text(root)) for root in beside):
        found.append(Remark("figures in footnotes, headers or footers, which were not compared"))
    if any(n.startswith("word/media/") for n in package.names):
        found.append(Remark("pictures, which cannot be read"))
    if links_elsewhere(package):
        found.append(Remark("links to other files"))
    return found


def _readable(package: Package, wanted: re.Pattern[str]) -> list[ET.Element]:
    """The parts that can be read; the others are listed as unread."""
    roots = []
    for name in (n for n in package.names if wanted.match(n)):
        try:
            roots.append(package.xml(name))
        except Unreadable:
            continue
    return roots


_OFF = ("0", "false", "off")


def _vanishes(properties: ET.Element | None) -> bool | None:
    """Whether properties of a run hide it; None where they do not say."""
    told = _within(properties, "vanish")
    return None if told is None else attribute(told, "val") not in _OFF


def _within(element: ET.Element | None, name: str) -> ET.Element | None:
    return next((e for e in element if local(e) == name), None) if element is not None else None


def _hidden_styles(package: Package) -> set[str]:
    """The styles that hide text, also by the style that they build on."""
    hidden: set[str] = set()
    styles = [e for root in _readable(package, _STYLES) for e in root if local(e) == "style"]
    for _ in range(_DEEPEST):
        for style in styles:
            base = _within(style, "basedOn")
            said = _vanishes(_within(style, "rPr"))
            if said or (said is None and base is not None and attribute(base, "val") in hidden):
                hidden.add(attribute(style, "styleId") or "")
    return hidden


_STYLES = re.compile(r"^word/styles\.xml$")
_DEEPEST = 4  # styles that build on one another this often; Word's own build on one or two


def _hidden(package: Package, body: ET.Element) -> list[Remark]:
    """Runs with text that is not shown, with the line of the first."""
    styles = _hidden_styles(package)
    lines = []
    for element, line in _placed(body):
        rows = [e for e in element if local(e) == "tr"] if local(element) == "tbl" else [element]
        lines += [line + i for i, row in enumerate(rows) if _hides(row, styles)]
    lines += [0 for root in _readable(package, _BESIDE) if _hides(root, styles)]
    if not lines:
        return []
    return [Remark("hidden text" + (f" in {len(lines)} places, the first here" if len(lines) > 1 else ""), lines[0])]


def _hides(element: ET.Element, styles: set[str]) -> bool:
    for paragraph in (e for e in element.iter() if local(e) == "p"):
        own = _within(_within(paragraph, "pPr"), "pStyle")
        is_hidden = own is not None and attribute(own, "val") in styles
        for run in (e for e in paragraph.iter() if local(e) == "r" and _text(e).strip()):
            named = _within(_within(run, "rPr"), "rStyle")
            said = _vanishes(_within(run, "rPr"))
            by_style = is_hidden or (named is not None and attribute(named, "val") in styles)
            if said or (said is None and by_style):
                return True
    return False
