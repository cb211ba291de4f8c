r"""Rich text (RTF): rows of `\trowd … \cell … \row` as grids, paragraphs as lines. Objects inside are not opened."""

from __future__ import annotations

import re
from pathlib import Path

from divulge.readers.handed_in.sheets.sheet import Block, Document, Lines, Remark, grid_of
from divulge.readers.handed_in.sheets.word import joined

SUFFIXES = (".rtf",)

_TOKEN = re.compile(r"\\([a-zA-Z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)", re.DOTALL)
_SKIPPED = {"fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "themedata", "generator", "header", "footer"}


def read(path: Path, name: str) -> Document:
    """A document in rich text."""
    source = path.read_bytes().decode("cp1252", errors="replace")
    parts: list[Block] = []
    rows: list[tuple[int, list[str]]] = []
    cells: list[str] = []
    text = ""
    line, depth = 1, 0
    skip: int | None = None
    remarks = [Remark("embedded objects, which were not opened")] if r"\object" in source else []

    def close_rows() -> None:
        nonlocal rows
        grid = grid_of(rows) if rows else None
        if grid is not None:
            parts.append(grid)
        rows = []

    for match in _TOKEN.finditer(source):
        word, number, code, sign, brace, plain = match.groups()
        if brace:
            depth += 1 if brace == "{" else -1
            if skip is not None and depth < skip:
                skip = None
        elif skip is not None:
            continue
        elif word in _SKIPPED or sign == "*":
            skip = depth
        elif word == "cell":
            cells.append(text.strip())
            text = ""
        elif word == "row":
            rows.append((line, cells))
            cells, line = [], line + 1
        elif word == "par" and not cells:
            close_rows()
            parts.append(Lines((text,), line))
            text, line = "", line + 1
        elif word == "u" and number is not None:
            text += chr(int(number) % 65536)
        elif word in ("tab", "line"):
            text += " "
        elif code:
            text += bytes([int(code, 16)]).decode("cp1252", errors="replace")
        elif sign in ("~", "-", "_"):
            text += " " if sign == "~" else "-" if sign == "_" else ""
        elif plain:
            text += plain
    close_rows()
    if text.strip():
        parts.append(Lines((text,), line))
    if not parts:
        return Document(name, reason="rich text in which nothing can be read")
    return Document(name, tuple(joined(parts)), tuple(remarks))
