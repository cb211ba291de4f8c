"""Excel workbooks: each sheet's stretches of cells as grids, numbers as their format shows them.

Formulas are not computed (the value that Excel kept is shown), macros are never run.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise
from pathlib import Path

from divulge.readers.handed_in.sheets.asides import asides
from divulge.readers.handed_in.sheets.formats import shown
from divulge.readers.handed_in.sheets.packed import Package, Unreadable, attribute, local
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, Row, grid_of
from divulge.readers.handed_in.sheets.unseen import Looks, column_number

SUFFIXES = (".xlsx", ".xlsm", ".xltx")

_CELL = re.compile(r"([A-Z]+)(\d+)")
_MOST = 200_000
"""Cells of a sheet that are looked at; more are rows of people."""


def read(path: Path, name: str) -> Document:
    """A workbook."""
    try:
        package = Package(path)
        return _workbook(package, name)
    except Unreadable as error:
        return Document(name, reason=str(error))


def _workbook(package: Package, name: str) -> Document:
    book = package.xml("xl/workbook.xml")
    targets = {r.attrib.get("Id", ""): r.attrib.get("Target", "") for r in package.xml("xl/_rels/workbook.xml.rels")}
    texts = _strings(package)
    formats = _formats(package)
    blocks: list[Block] = []
    remarks = _remarks(package)
    looks = Looks(package, formats)
    beside, unread = asides(package)
    for sheet in (e for e in book.iter() if local(e) == "sheet"):
        title = sheet.attrib.get("name", "")
        state = sheet.attrib.get("state", "visible")
        if state != "visible":
            which = "a very hidden sheet, which the menu does not offer" if state == "veryHidden" else "a hidden sheet"
            remarks.append(Remark(f"{which}, {title!r}"))
        target = targets.get(attribute(sheet, "id") or "", "")
        member = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        if member not in package.names:
            unread.append(f"sheet {title!r}: not in the file")
            continue
        root = package.xml(member)
        cells, noted = _cells(root, texts, formats)
        remarks += [Remark(f"{noted[w]} cells of sheet {title!r} {w}") for w in (_FORMULAS, _DIGITS) if noted[w]]
        if noted[_TOO_MANY]:
            unread.append(f"sheet {title!r}: {noted[_TOO_MANY]} cells after the first {_MOST:,}")
        remarks += looks.remarks(root, member, title)
        blocks += _grids(cells, _merged(root), title)
    return Document(name, tuple(blocks), tuple(remarks), unread=tuple(unread), asides=tuple(beside))


def _remarks(package: Package) -> list[Remark]:
    found = []
    if package.has_author():
        found.append(Remark("the name of a person, in the properties of the file"))
    if any("vbaProject" in n for n in package.names):
        found.append(Remark("macros, which were not run"))
    if any("/comments" in n or "threadedComment" in n for n in package.names):
        found.append(Remark("comments"))
    if any(n.startswith("xl/embeddings/") for n in package.names):
        found.append(Remark("embedded files"))
    if any(n.startswith("xl/charts/chart") for n in package.names):
        found.append(Remark("charts, which keep the numbers behind them"))
    if any(n.startswith("xl/media/") for n in package.names):
        found.append(Remark("pictures, which cannot be read"))
    if any("pivotCacheRecords" in n for n in package.names):
        found.append(Remark("a pivot table with a copy of the rows behind it"))
    if any(n.startswith("xl/externalLinks/") for n in package.names):
        found.append(Remark("links to other files, with copies of their cells"))
    if "xl/connections.xml" in package.names:
        found.append(Remark("connections to data elsewhere"))
    return found


def _strings(package: Package) -> list[str]:
    if "xl/sharedStrings.xml" not in package.names:
        return []
    items = package.xml("xl/sharedStrings.xml")
    return ["".join(t.text or "" for t in item.iter() if local(t) == "t") for item in items if local(item) == "si"]


def _formats(package: Package) -> list[str]:
    """The number format of each style."""
    if "xl/styles.xml" not in package.names:
        return []
    root = package.xml("xl/styles.xml")
    own = {e.attrib.get("numFmtId", ""): e.attrib.get("formatCode", "") for e in root.iter() if local(e) == "numFmt"}
    for part in root:
        if local(part) == "cellXfs":
            return [own.get(x.attrib.get("numFmtId", "0"), x.attrib.get("numFmtId", "0")) for x in part]
    return []


Cells = dict[tuple[int, int], str]


_FORMULAS, _DIGITS, _TOO_MANY = "hold formulas", "keep more digits than they show", "are too many"


def _cells(root: ET.Element, texts: list[str], formats: list[str]) -> tuple[Cells, Counter[str]]:
    """The cells as they are shown, and how many of them a checker should know of."""
    cells: Cells = {}
    noted: Counter[str] = Counter()
    for cell in (e for e in root.iter() if local(e) == "c"):
        match = _CELL.fullmatch(cell.attrib.get("r", ""))
        if match is None or len(cells) >= _MOST:
            noted[_TOO_MANY] += match is not None
            continue
        value = next((e.text or "" for e in cell if local(e) == "v"), None)
        noted[_FORMULAS] += any(local(e) == "f" for e in cell)
        style = cell.attrib.get("s", "0")
        code = formats[int(style)] if style.isdigit() and int(style) < len(formats) else "0"
        kind = cell.attrib.get("t", "n")
        if kind == "inlineStr":
            value = "".join(t.text or "" for t in cell.iter() if local(t) == "t")
        elif kind == "s" and value is not None:
            value = texts[int(value)] if value.isdigit() and int(value) < len(texts) else ""
        elif kind == "n" and value is not None:
            stored, value = value, shown(value, code)
            noted[_DIGITS] += _hides_digits(stored, value)
        if value is not None and value.strip():
            cells[int(match[2]), column_number(match[1])] = value
    return cells, noted


def _hides_digits(stored: str, told: str) -> bool:
    """Whether a number keeps digits that its format does not show."""
    try:
        number, seen = float(stored), float(told.replace(",", "").removesuffix("%"))
    except ValueError:
        return False
    return abs(seen / (100 if told.endswith("%") else 1) - number) > 1e-10 * abs(number)


def _merged(root: ET.Element) -> dict[tuple[int, int], int]:
    """How many columns the first cell of each merged range covers."""
    wide = {}
    for element in (e for e in root.iter() if local(e) == "mergeCell"):
        ends = [_CELL.fullmatch(p) for p in element.attrib.get("ref", "").split(":")]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
            wide[int(ends[0][2]), column_number(ends[0][1])] = column_number(ends[1][1]) - column_number(ends[0][1]) + 1
    return wide


def _grids(cells: Cells, merged: dict[tuple[int, int], int], sheet: str) -> list[Block]:
    """Stretches of rows without an empty one between them; rows with one cell only are titles and notes."""
    blocks: list[Block] = []
    rows = sorted({r for r, _ in cells})
    said: list[tuple[int, str]] = []
    held: list[int] = []
    columns = sorted({c for _, c in cells})
    first = columns[0] if columns else 1

    def close() -> None:
        nonlocal held, said
        # A section heading at the end of a stretch is a note rather than a row.
        tail: list[int] = []
        while held and len([c for c in columns if (held[-1], c) in cells]) == 1 and (held[-1], first) in cells:
            tail.insert(0, held.pop())
        for part in _side_by_side(cells, held) if held else ():
            rows_of_it = [r for r in held if any(at == r for at, _ in part)]
            grid = _stretch(part, merged, rows_of_it, sheet, tuple(t for _, t in said))
            last = blocks[-1] if blocks else None
            if grid is not None and isinstance(last, Grid) and _continues(last, grid):
                blocks[-1] = Grid((*last.rows, *grid.rows), (*last.spans, *grid.spans), last.before, (), sheet)
            elif grid is not None:
                blocks.append(grid)
        if held:
            held, said = [], []
        for row in tail:
            note(row)

    def note(row: int) -> None:
        text = next(cells[row, c] for c in columns if (row, c) in cells)
        said.append((row, text))
        blocks.append(Lines((text,), row))
        last = next((k for k in range(len(blocks) - 2, -1, -1) if isinstance(blocks[k], Grid)), None)
        if last is not None:
            grid = blocks[last]
            assert isinstance(grid, Grid), "it was asked"
            blocks[last] = Grid(grid.rows, grid.spans, grid.before, (*grid.after, text), grid.sheet)

    previous = None
    for row in rows:
        filled = [c for c in columns if (row, c) in cells]
        if (
            previous is not None
            and row > previous + 1
            and not (row == previous + 2 and _heads(cells, held, (row, filled), first))
        ):
            close()
        previous = row
        wide = merged.get((row, filled[0]), 1)
        if not held and len(filled) == 1 and (filled[0] == first or wide > 2):
            note(row)
        else:
            held.append(row)
    close()
    return blocks


def _side_by_side(cells: Cells, held: list[int]) -> list[Cells]:
    """The cells of tables that stand side by side, two empty columns or more between them."""
    rows = set(held)
    here = {at: text for at, text in cells.items() if at[0] in rows}
    used = sorted({c for _, c in here})
    cuts = [b for a, b in pairwise(used) if b - a > 2]
    parts = [
        {at: text for at, text in here.items() if start <= at[1] < end}
        for start, end in pairwise([used[0], *cuts, used[-1] + 1])
    ]
    if all(len({c for _, c in p}) > 1 and len({r for r, _ in p}) > 1 for p in parts):
        return parts
    return [here]


_FIGURE = re.compile(r"[-−(<]?[\d.,]+[%)*]*")


def _heads(cells: Cells, held: list[int], following: tuple[int, list[int]], first: int) -> bool:
    """Whether rows are the header of the row after an empty one, as pandas leaves it: names without any figure, none
    above the labels."""
    row, filled = following
    if not held or first not in filled or (held[-1], first) in cells:
        return False
    heads = {c for r, c in cells if r == held[-1]}
    texts = [t for (r, _), t in cells.items() if held[0] <= r <= held[-1]]
    is_figured = any(_FIGURE.match(cells[row, c].strip()) for c in filled if c != first)
    return len(heads) > 1 and is_figured and not any(_FIGURE.fullmatch(t.strip()) for t in texts)


def _stretch(
    cells: Cells, merged: dict[tuple[int, int], int], held: list[int], sheet: str, said: tuple[str, ...]
) -> Grid | None:
    used = sorted({c for r, c in cells if r in set(held)})
    used = list(range(used[0], used[-1] + 1))
    empty = {c for c in used if not any((r, c) in cells for r in held)}
    used = [c for c in used if c not in empty]
    grid = grid_of([(r, [cells.get((r, c), "") for c in used]) for r in held])
    if grid is None:
        return None
    spans = tuple(tuple(_wide(merged, r, c, used) for c in used) for r in held)
    return Grid(tuple(Row(x.cells, x.line) for x in grid.rows), spans, said, (), sheet)


def _continues(last: Grid, grid: Grid) -> bool:
    """Whether a stretch goes on after an empty row: as wide, without titles, with figures in its first row."""
    first = grid.rows[0].cells
    figures = [c for c in first[1:] if _FIGURE.fullmatch(c.strip())]
    return not grid.before and grid.width == last.width and len(figures) >= max(1, (grid.width - 1) // 2)


def _wide(merged: dict[tuple[int, int], int], row: int, column: int, used: list[int]) -> int:
    for (r, c), wide in merged.items():
        if r == row and c <= column < c + wide:
            return sum(1 for u in used if c <= u < c + wide) if column == c else 0
    return 1
