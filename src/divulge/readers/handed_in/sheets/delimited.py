"""CSV, TSV and their cousins with semicolons: one grid for each stretch of lines between empty ones."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from divulge.readers.handed_in.sheets.decoding import decode, is_binary
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, grid_of

SUFFIXES = (".csv", ".tsv", ".tab")

LARGEST = 64_000_000
"""Bytes. A longer CSV file holds rows of people rather than figures."""


def _delimiter(text: str) -> str:
    """The character that most lines hold equally often."""
    lines = [t for t in text.splitlines()[:200] if t.strip()]
    best, most = ",", 0.0
    for sign in (",", ";", "\t", "|"):
        counts = [t.count(sign) for t in lines if t.count(sign)]
        if counts:
            usual = max(set(counts), key=counts.count)
            weight = counts.count(usual) * min(usual, 3) + (0.5 if sign != "," else 0.0)
            best, most = (sign, weight) if weight > most else (best, most)
    return best


def read(path: Path, name: str) -> Document:
    """A file of delimited text."""
    if path.stat().st_size > LARGEST:
        return Document(name, reason="larger than any table of figures; it may hold rows of people")
    data = path.read_bytes()
    if is_binary(data):
        return Document(name, reason="not text; nothing in it can be read")
    text, odd = decode(data)
    remarks = (Remark(odd),) if odd else ()
    rows = _rows(text, _delimiter(text))
    return Document(name, tuple(_stretches(rows)), remarks)


def _rows(text: str, sign: str) -> list[tuple[int, list[str]]]:
    csv.field_size_limit(1 << 20)
    reader = csv.reader(io.StringIO(text.replace("\0", "")), delimiter=sign)
    rows, line = [], 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error:
        # A field without an end: what follows is taken line by line.
        rows += [(line + i, t.split(sign)) for i, t in enumerate(text.splitlines()[line - 1 :])]
    return rows


def _is_header(held: list[tuple[int, list[str]]]) -> bool:
    """Whether rows hold names and numbers of models alone, above the figures of these."""
    cells = [c.strip() for _, row in held for c in row if c.strip()]
    numbered = any(re.fullmatch(r"\(\d+\)", c) for c in cells)
    return numbered and not any(re.search(r"\d", c) and not re.fullmatch(r"\(\d+\)", c) for c in cells)


def _goes_on(rows: list[tuple[int, list[str]]]) -> bool:
    """Whether the next row counts the observations of the models above."""
    following = next((cells for _, cells in rows if any(c.strip() for c in cells)), [])
    return bool(following) and re.match(r"^(?:Observations|N|R-squared)$", following[0].strip()) is not None


def _stretches(rows: list[tuple[int, list[str]]]) -> list[Block]:
    """Rows between empty ones, each a grid with the single cells around it as titles and notes."""
    blocks: list[Block] = []
    said: list[str] = []
    held: list[tuple[int, list[str]]] = []
    for k, (line, cells) in enumerate([*rows, (0, [])]):
        filled = [c for c in cells if c.strip()]
        alone = len(filled) == 1 and cells and cells[0].strip() != "" and (not held or len(cells) == 1)
        if len(filled) > 1 or (filled and not alone):
            held.append((line, cells))
            continue
        if held and not filled and len(cells) > 1 and (_is_header(held) or _goes_on(rows[k + 1 :])):
            continue  # an empty row within a table of models, as outreg2 writes them
        if held:
            grid = grid_of(held, before=tuple(said))
            if grid is not None:
                blocks.append(grid)
            held, said = [], []
        if alone:
            said.append(filled[0])
            blocks.append(Lines((filled[0],), line))
            last = len(blocks) - 2
            if last >= 0 and isinstance(blocks[last], Grid):
                above = blocks[last]
                assert isinstance(above, Grid), "it was asked"
                blocks[last] = Grid(above.rows, above.spans, above.before, (*above.after, filled[0]))
    return blocks
