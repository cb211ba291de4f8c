"""Tables in HTML or LaTeX that a console printed among its lines: kable, xtable, stargazer, esttab, to_latex."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.sheets import html, latex
from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.readers.handed_in.sheets.sheet import Block, Grid, Lines, Row

_OPENS = re.compile(r"^\s*(?:\\begin\{(tabular\*?|tabularx|longtable|table)\}|<(table)\b)")
_LONGEST = 2_000
"""Lines up to which the end of a table is looked for."""


def with_grids(block: Lines) -> Iterator[Block]:
    """The lines of a block and the tables in it, however they are written, in their order."""
    start, i = 0, 0
    while i < len(block.texts):
        opened = _OPENS.match(block.texts[i])
        end = _closed(block, i, opened) if opened is not None else None
        if opened is None or end is None:
            i += 1
            continue
        if i > start:
            yield from with_boxes(Lines(block.texts[start:i], block.first + start))
        source = "\n".join(block.texts[i:end])
        found = html.blocks_of(source)[0] if opened[2] else latex.blocks_of(source)
        yield from (_moved(b, block.first + i - 1) for b in found)
        start = i = end
    if start < len(block.texts):
        yield from with_boxes(Lines(block.texts[start:], block.first + start))


def _closed(block: Lines, i: int, opened: re.Match[str]) -> int | None:
    """The line after the end of a table, or None where it has none."""
    ends = "</table>" if opened[2] else rf"\end{{{opened[1]}}}"
    for k in range(i, min(i + _LONGEST, len(block.texts))):
        if ends in block.texts[k]:
            return k + 1
    return None


def _moved(block: Block, by: int) -> Block:
    if isinstance(block, Lines):
        return Lines(block.texts, block.first + by, tuple(n + by for n in block.numbers))
    rows = tuple(Row(r.cells, r.line + by) for r in block.rows)
    return Grid(rows, block.spans, block.before, block.after, block.sheet)
