"""What of a document no reader explained, though it holds figures: the checker sees that nothing slipped through."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right

from divulge.readers.handed_in.candidates.numbers import parse_cell
from divulge.readers.handed_in.sheets import Document, Grid, Lines

_NUMBER = re.compile(r"(?<![\w.:/-])-?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?(?![\w:/-])")
_ASIDE = re.compile(
    r"^\s*(?:[.>?#*]|>>>|\+ |Iteration|iter\b|R version|Copyright|Platform|Date|Time|.*\b(?:20|19)\d\d-\d\d-\d\d)"
    r"|^\s*(?:user|system)\s"
)
"""Commands, the steps of an iteration, versions and dates hold numbers that are no figures."""

_MOST = 50
"""Stretches of a file that are listed."""


def leftovers(document: Document, lines: list[tuple[int, int]]) -> tuple[tuple[int, int, str], ...]:
    """First line, last line and what stands there. lines: the stretches that readers explained."""
    explained = _joined(lines)
    out: list[tuple[int, int, str]] = []
    for block in document.blocks:
        found = _grid(block, explained) if isinstance(block, Grid) else _lines(block, explained)
        out += found
        if len(out) >= _MOST:
            break
    return tuple(out[:_MOST])


def _joined(lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches in their order, those that overlap as one."""
    out: list[tuple[int, int]] = []
    for a, b in sorted(lines):
        if out and a <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return out


def _is_explained(line: int, explained: list[tuple[int, int]]) -> bool:
    """explained: in their order and apart."""
    at = bisect_right(explained, (line, sys.maxsize)) - 1
    return at >= 0 and line <= explained[at][1]


def _grid(grid: Grid, explained: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    figures = [
        r.line for r in grid.rows for c in r.cells[1:] if (p := parse_cell(c)) is not None and p.main is not None
    ]
    if len(figures) < 2 or any(_is_explained(r.line, explained) for r in grid.rows):
        return []
    return [(grid.rows[0].line, grid.rows[-1].line, "a table that was not recognised")]


def _lines(block: Lines, explained: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    start: int | None = None
    for i in range(len(block.texts) + 1):
        text = block.texts[i] if i < len(block.texts) else ""
        timed = i > 0 and re.match(r"^\s*user\s+system\s+elapsed", block.texts[i - 1]) is not None
        counts = (
            len(_NUMBER.findall(text)) >= 2
            and not timed
            and not _ASIDE.match(text)
            and not _is_explained(block.line(i), explained)
        )
        if counts and start is None:
            start = i
        elif not counts and start is not None:
            out.append((block.line(start), block.line(i - 1), "figures that were not recognised"))
            start = None
    return out
