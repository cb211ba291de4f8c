"""Tables that a console prints by aligning columns with spaces: data frames, R's tables, pandas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.candidates.columns import aligned
from divulge.readers.sheets import Grid, Lines, Row

_TAIL = re.compile(r"(?:^|\s)[<-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]\d+)?%?\)?\]?[*.]*\s*$|\b(?:NA|NaN|<NA>)\s*$")
_WORDS = re.compile(r"[A-Za-z]{4,}\s+[a-z]{2,}\s+[a-z]{2,}\s+[a-z]{2,}")


def runs(block: Lines, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of lines that may be a table: not empty, and most of them ending in figures."""
    i = start
    while i < end:
        if not block.texts[i].strip():
            i += 1
            continue
        j = i
        while j < end and block.texts[j].strip():
            j += 1
        if j - i >= 2:
            yield i, j
        i = j


def table_at(block: Lines, start: int, end: int) -> Grid | None:
    """A stretch of lines as a grid; a word alone above the columns names their axis."""
    texts = block.texts[start:end]
    if any(_WORDS.search(t) for t in texts[1:]) or any(len(t) > 400 for t in texts):
        return None
    figures = sum(bool(_TAIL.search(t)) for t in texts[1:])
    if figures < max(1, 0.6 * (len(texts) - 1)) or not any(re.search(r"\d", t) for t in texts[1:]):
        return None
    first = texts[0]
    spanner = bool(re.match(r"^\s+\S+(?:\s\S+)?\s*$", first)) and len(texts) > 2 and len(texts[1].split()) > 2
    offset = 1 if spanner else 0
    heads = 1
    if start + offset + 1 < end and len(texts) > offset + 2:
        second = texts[offset + 1]
        heads = 2 if len(second.split()) <= 2 and not re.search(r"\d", second) and not second.startswith(" ") else 1
    grid = aligned(block, start + offset, end, heads)
    if grid is None or not spanner:
        return grid
    name = first.strip()
    top = Row(("", name, *[""] * (grid.width - 2)), block.line(start))
    spans = ((1, grid.width - 1, *[0] * (grid.width - 2)), *[(1,) * grid.width for _ in grid.rows])
    return Grid((top, *grid.rows), spans)


def transposed_pairs(block: Lines, start: int, end: int) -> tuple[str, list[tuple[str, str, int]]] | None:
    """A one-way table of R: labels on one line, counts right-aligned under them on the next, wrapped as needed."""
    name = ""
    lines = list(range(start, end))
    if len(lines) % 2 == 1:
        if not re.match(r"^\S+\s*$", block.texts[start]):
            return None
        name = block.texts[start].strip()
        lines = lines[1:]
    pairs = []
    for above, below in zip(lines[::2], lines[1::2], strict=True):
        ends = [(m.end(), m[0]) for m in re.finditer(r"\S+", block.texts[below])]
        if not ends or not all(re.fullmatch(r"-?[\d,]+(?:\.\d+)?(?:e[-+]\d+)?", t) for _, t in ends):
            return None
        head = block.texts[above].ljust(ends[-1][0])
        previous = 0
        for at, text in ends:
            label = head[previous:at].strip()
            if not label:
                return None
            pairs.append((label, text, block.line(below)))
            previous = at
        if head[previous:].strip():
            return None
    return (name, pairs) if pairs else None
