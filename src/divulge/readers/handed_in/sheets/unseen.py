"""Cells of a workbook that hold something and show nothing: in the colour of their background, or by their format."""

from __future__ import annotations

import colorsys
import posixpath
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator

from divulge.readers.handed_in.sheets.packed import Package, Unreadable, local
from divulge.readers.handed_in.sheets.sheet import Remark

_Colour = tuple[int, int, int]
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_NAMED = {
    "Black": _BLACK,
    "White": _WHITE,
    "Red": (255, 0, 0),
    "Green": (0, 255, 0),
    "Blue": (0, 0, 255),
    "Yellow": (255, 255, 0),
    "Magenta": (255, 0, 255),
    "Cyan": (0, 255, 255),
}
"""Colours that a number format may name; a workbook numbers them from 0 and again from 8 in this order."""
_INDEXED = ("Black", "White", "Red", "Green", "Blue", "Yellow", "Magenta", "Cyan")

_ALIKE = 8  # of 255: two shades of a screen that are no further apart cannot be told from one another by eye
_THEME = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6")
"""The colours of a theme in the order in which cells number them."""


class Looks:
    """How the styles of a workbook look."""

    def __init__(self, package: Package, formats: list[str]) -> None:
        self.package = package
        self.formats = formats
        self.theme = self._read_theme()
        root = package.xml("xl/styles.xml") if "xl/styles.xml" in package.names else None
        parts = {local(p): list(p) for p in root} if root is not None else {}
        fonts = [self._colour(_child(f, "color"), _BLACK) for f in parts.get("fonts", [])]
        fills = [self._fill(f) for f in parts.get("fills", [])]
        self.styles = [
            (_at(fonts, x.attrib.get("fontId", "0"), _BLACK), _at(fills, x.attrib.get("fillId", "0"), _WHITE))
            for x in parts.get("cellXfs", [])
        ]

    def remarks(self, root: ET.Element, member: str, sheet: str) -> Iterator[Remark]:
        """What the cells, rows and columns of a sheet hide, with the place of the first."""
        heads = self._heads(member, root)
        ways: dict[str, list[str]] = {_PAINTED: [], _SILENT: []}
        for cell in (e for e in root.iter() if local(e) == "c"):
            place, style = cell.attrib.get("r", ""), cell.attrib.get("s", "0")
            number = int(style) if style.isdigit() else 0
            if not any((e.text or "").strip() for e in cell.iter() if local(e) in ("v", "t")):
                continue
            code = self.formats[number] if number < len(self.formats) else ""
            if _shows_nothing(cell, code):
                ways[_SILENT].append(place)
            elif place not in heads and self._is_painted(number, code):
                ways[_PAINTED].append(place)
        for way, places in ways.items():
            if places:
                row = re.sub(r"\D", "", places[0])
                many = f"{len(places)} cells" if len(places) > 1 else "a cell"
                first = f", the first {places[0]}" if len(places) > 1 else f", {places[0]}"
                yield Remark(f"{many} of sheet {sheet!r} {way}{first}", int(row or 0))
        yield from _hidden(root, sheet)

    def _is_painted(self, number: int, code: str) -> bool:
        font, fill = self.styles[number] if number < len(self.styles) else (_BLACK, _WHITE)
        named = re.match(r"[^;]*?\[(\w+)\]", code)
        font = _NAMED.get(named[1].title(), font) if named is not None else font
        return (
            font is not None and fill is not None and max(abs(a - b) for a, b in zip(font, fill, strict=True)) <= _ALIKE
        )

    def _read_theme(self) -> list[_Colour | None]:
        name = next((n for n in self.package.names if re.fullmatch(r"xl/theme/theme\d*\.xml", n)), None)
        try:
            root = self.package.xml(name) if name is not None else None
        except Unreadable:
            root = None
        held = {local(e): e for e in root.iter()} if root is not None else {}
        colours: list[_Colour | None] = []
        for key in _THEME:
            told = next((e.attrib.get("lastClr") or e.attrib.get("val") for e in held[key]), "") if key in held else ""
            colours.append(_rgb(told or "") or {"lt1": _WHITE, "dk1": _BLACK}.get(key))
        return colours

    def _colour(self, element: ET.Element | None, default: _Colour) -> _Colour | None:
        """The colour of a font or a fill; None where it is not known."""
        if element is None or element.attrib.get("auto") in ("1", "true"):
            return default
        told = element.attrib
        if "rgb" in told:
            return _rgb(told["rgb"])
        if told.get("indexed", "").isdigit():
            number = int(told["indexed"])
            return _NAMED[_INDEXED[number % 8]] if number < 16 else {64: _BLACK, 65: _WHITE}.get(number)
        if not told.get("theme", "").isdigit():
            return default
        return _tinted(_at(self.theme, told["theme"], None), told.get("tint", "0"))

    def _fill(self, fill: ET.Element) -> _Colour | None:
        pattern = _child(fill, "patternFill")
        kind = pattern.attrib.get("patternType", "none") if pattern is not None else "gradient"
        if pattern is None or kind not in ("none", "solid"):
            return None
        return _WHITE if kind == "none" else self._colour(_child(pattern, "fgColor"), _WHITE)

    def _heads(self, member: str, root: ET.Element) -> set[str]:
        """The heads of tables with a style of their own, which fills them in a colour that no cell tells."""
        if not any(local(e) == "tablePart" for e in root.iter()):
            return set()
        folder, name = posixpath.split(member)
        links = f"{folder}/_rels/{name}.rels"
        heads: set[str] = set()
        for link in self.package.xml(links) if links in self.package.names else ():
            target = posixpath.normpath(posixpath.join(folder, link.attrib.get("Target", "")))
            if link.attrib.get("Type", "").endswith("/table") and target in self.package.names:
                heads |= _first_row(self.package.xml(target).attrib.get("ref", ""))
        return heads


_PAINTED, _SILENT = "written in the colour of the background", "that the format shows as nothing"
_PLACE = re.compile(r"([A-Z]{1,3})(\d+)")


def _child(element: ET.Element, name: str) -> ET.Element | None:
    return next((e for e in element if local(e) == name), None)


def _at(held: list[_Colour | None], number: str, default: _Colour | None) -> _Colour | None:
    return held[int(number)] if number.isdigit() and int(number) < len(held) else default


def _rgb(text: str) -> _Colour | None:
    """The colour that six or eight hexadecimal digits stand for; the first two of eight say how dense it is."""
    if not re.fullmatch(r"(?:[0-9A-Fa-f]{2})?[0-9A-Fa-f]{6}", text):
        return None
    red, green, blue = (int(text[-6:][k : k + 2], 16) for k in (0, 2, 4))
    return red, green, blue


def _tinted(colour: _Colour | None, tint: str) -> _Colour | None:
    """A colour made lighter or darker by a share of what is left to white or black (ECMA-376, 18.8.19)."""
    try:
        share = float(tint)
    except ValueError:
        return None
    if colour is None or share == 0:
        return colour
    hue, light, full = colorsys.rgb_to_hls(*(c / 255 for c in colour))
    light = light * (1 + share) if share < 0 else light * (1 - share) + share
    red, green, blue = (round(255 * c) for c in colorsys.hls_to_rgb(hue, min(max(light, 0.0), 1.0), full))
    return red, green, blue


def _first_row(ref: str) -> set[str]:
    ends = [_PLACE.fullmatch(p) for p in ref.split(":")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return set()
    columns = range(column_number(ends[0][1]), min(column_number(ends[1][1]), _MOST) + 1)
    return {f"{_letters(c)}{ends[0][2]}" for c in columns}


_MOST = 16_384
"""Columns of a sheet."""


def column_number(letters: str) -> int:
    """Which column letters stand for: 27 for AA."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _letters(column: int) -> str:
    out = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        out = chr(65 + rest) + out
    return out


def _shows_nothing(cell: ET.Element, code: str) -> bool:
    """Whether the section of a format for such a value is empty: `;;;` for all, `0;;` for what is below zero."""
    plain = re.sub(r'"([^"]*)"', lambda m: "x" * bool(m[1].strip()), code)
    sections = re.sub(r"\\\S|\\ |[_*].|\[[A-Za-z]\w*\]", lambda m: "x" if m[0][0] == "\\" else "", plain).split(";")
    kind = cell.attrib.get("t", "n")
    if len(sections) == 1 or re.search(r"\[[<>=]", plain):
        return False
    if kind in ("s", "inlineStr", "str"):
        return len(sections) > 3 and not sections[3].strip()
    value = next((e.text or "" for e in cell if local(e) == "v"), "")
    try:
        number = float(value)
    except ValueError:
        return False
    if number == 0:  # a table that leaves its zeros blank is no secret
        return not any(s.strip() for s in sections[:3])
    return not sections[number < 0].strip()


def _hidden(root: ET.Element, sheet: str) -> Iterator[Remark]:
    """Rows and columns that are hidden, or of no height or width, and how many cells of theirs hold something."""
    rows: list[int] = []
    columns: list[int] = []
    for e in root.iter():
        name = local(e)
        if name == "row" and (e.attrib.get("hidden") in _YES or _is_zero(e.attrib.get("ht"))):
            rows.append(int(e.attrib["r"]) if e.attrib.get("r", "").isdigit() else 0)
        elif name == "col" and (e.attrib.get("hidden") in _YES or _is_zero(e.attrib.get("width"))):
            ends = [e.attrib.get(k, "") for k in ("min", "max")]
            if all(t.isdigit() for t in ends):
                columns += range(int(ends[0]), min(int(ends[1]), _MOST) + 1)
    if not rows and not columns:
        return
    gone = set(rows), set(columns)
    held = [
        m
        for e in root.iter()
        if local(e) == "c" and any((x.text or "").strip() for x in e.iter() if local(x) in ("v", "t"))
        if (m := _PLACE.fullmatch(e.attrib.get("r", ""))) is not None
    ]
    filled = sum(int(m[2]) in gone[0] or column_number(m[1]) in gone[1] for m in held)
    where = [*_ranges("row", rows, str), *_ranges("column", columns, _letters)]
    holding = f"{filled} filled cells" if filled else "all empty"
    shown = ", ".join(where[:_LISTED]) + (", …" if len(where) > _LISTED else "")
    yield Remark(f"hidden rows or columns in sheet {sheet!r}: {shown}; {holding}", min(rows, default=0))


_YES = ("1", "true")
_LISTED = 6
"""Stretches of hidden rows and columns that are named."""


def _is_zero(text: str | None) -> bool:
    return text is not None and re.fullmatch(r"0+(?:\.0*)?", text) is not None


def _ranges(word: str, numbers: list[int], named: Callable[[int], str]) -> Iterator[str]:
    """`rows 4–6`, `column C`."""
    ordered = sorted(set(numbers))
    start = 0
    for k in range(1, len(ordered) + 1):
        if k == len(ordered) or ordered[k] != ordered[k - 1] + 1:
            first, last = ordered[start], ordered[k - 1]
            yield f"{word} {named(first)}" if first == last else f"{word}s {named(first)}–{named(last)}"
            start = k
