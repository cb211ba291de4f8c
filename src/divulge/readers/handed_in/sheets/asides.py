"""Texts of a packed file that stand beside its tables: headers, footnotes, text boxes, names, properties, links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.sheets.packed import Package, Unreadable, attribute, local

_PLACES = (
    (r"word/header\d*\.xml", "a header", ("p",)),
    (r"word/footer\d*\.xml", "a footer", ("p",)),
    (r"word/footnotes\.xml", "a footnote", ("p",)),
    (r"word/endnotes\.xml", "an endnote", ("p",)),
    (r"word/comments\.xml", "a comment", ("p",)),
    (r"xl/comments/?\w*\.xml", "a comment", ("comment",)),
    (r"xl/threadedComments/\w+\.xml", "a comment", ("threadedComment",)),
    (r"xl/drawings/drawing\d+\.xml", "a text box", ("p",)),
    (r"(?:xl|word)/charts/chart\d*\.xml", "a chart", ("p",)),
    (r"xl/worksheets/\w+\.xml", "the header or footer of a sheet", ("headerFooter",)),
    (r"xl/workbook\.xml", "a defined name", ("definedName",)),
    (r"docProps/custom\.xml", "a custom property", ("property",)),
    (r"docProps/(?:core|app)\.xml", "the properties of the file", ("coreProperties", "Properties")),
)
"""Parts, how a checker calls the place, and the elements that hold one text each."""

_KEPT = ("name", "comment")
"""Attributes that hold texts: of a defined name, and of a property."""


def asides(package: Package) -> tuple[list[tuple[str, str]], list[str]]:
    """Where each text stands, with the text; and the parts that cannot be read."""
    found: list[tuple[str, str]] = []
    unread: list[str] = []
    for member in package.names:
        place = next(((p, held) for part, p, held in _PLACES if re.fullmatch(part, member)), None)
        try:
            if place is not None:
                found += [(place[0], text) for text in _texts(package, member, place[1])]
            elif member.endswith(".rels"):
                found += [("a link", text) for text in _targets(package, member)]
        except Unreadable as error:
            unread.append(str(error))
    return list(dict.fromkeys(found)), unread


def links_elsewhere(package: Package) -> bool:
    """Whether a picture or an object is taken from another file. Links to click on and templates are no such."""
    for member in (n for n in package.names if n.endswith(".rels")):
        try:
            if any(True for _ in _targets(package, member, ("hyperlink", "attachedTemplate"))):
                return True
        except Unreadable:
            continue
    return False


def _texts(package: Package, member: str, held: tuple[str, ...]) -> Iterator[str]:
    if held == ("headerFooter",) and b"headerFooter" not in package.bytes(member):
        return  # a sheet with a million cells is not taken apart for nothing
    for element in package.xml(member).iter():
        if local(element) not in held:
            continue
        if local(element) == "p":
            yield "".join(
                (e.text or "") if local(e) == "t" else "  " for e in element.iter() if local(e) in ("t", "tab", "br")
            )
            continue
        kept = [attribute(element, k) or "" for k in _KEPT]
        # Apart, so that numbers of different properties do not make one.
        text = "; ".join(e.text or "" for e in element.iter() if (e.text or "").strip())
        if local(element) == "headerFooter":
            text = re.sub(r"&(?:[LCR]|\"[^\"]*\"|\d+)", "  ", text)
        yield ": ".join(t for t in (*kept, text) if t.strip())


def _targets(package: Package, member: str, but: tuple[str, ...] = ()) -> Iterator[str]:
    """What a part links to outside of its file."""
    for element in package.xml(member).iter():
        kind = element.attrib.get("Type", "").rpartition("/")[2]
        if element.attrib.get("TargetMode") == "External" and kind not in but:
            yield element.attrib.get("Target", "").replace("%20", " ")
