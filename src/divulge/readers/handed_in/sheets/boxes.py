"""Tables drawn with + - | (PSPP, SPSS, reStructuredText) and pipe tables inside text, as grids."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.sheets.sheet import Block, Grid, Lines, grid_of

_RULE = re.compile(r"^\s*\+[-=+]+\+\s*$")
_PIPE = re.compile(r"^\s*\|.*\|\s*$")
_MARKS = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


def with_boxes(block: Lines) -> Iterator[Block]:
    """The lines of a block and the grids drawn in it, in their order."""
    start, i, n = 0, 0, len(block.texts)
    while i < n:
        found = _box(block, i) or _pipes(block, i) or _dashed(block, i)
        if found is None:
            i += 1
            continue
        grid, end = found
        before = tuple(t.strip() for t in block.texts[max(start, i - 3) : i] if t.strip())
        if i > start:
            yield Lines(block.texts[start:i], block.first + start)
        after = tuple(t.strip() for t in block.texts[end : end + 3] if t.strip())
        yield Grid(grid.rows, grid.spans, before, after)
        start = i = end
    if start < n:
        yield Lines(block.texts[start:], block.first + start)


def _box(block: Lines, at: int) -> tuple[Grid, int] | None:
    if not _RULE.match(block.texts[at]):
        return None
    end = at + 1
    while end < len(block.texts) and re.match(r"^\s*[+|].*[+|]\s*$", block.texts[end]):
        end += 1
    drawn = block.texts[at:end]
    if end - at < 3:
        return None
    # A column begins wherever some line has a corner; between them the texts of a row are cut out.
    edges = sorted({i for text in drawn for i, c in enumerate(text) if c == "+"})
    rows: list[tuple[int, list[str]]] = []
    spans: list[tuple[int, ...]] = []
    for i, text in enumerate(drawn):
        # A rule over some columns only leaves the others open: `|        +------+`.
        if not re.search(r"[^\s|+\-=]", re.sub(r"\s-{3,}(?=[+|])", "", text)):
            continue
        cells, covered = _cut(text, edges)
        rows.append((block.line(at + i), cells))
        spans.append(covered)
    grid = grid_of(rows)
    return None if grid is None else (Grid(grid.rows, tuple(spans)), end)


def _cut(text: str, edges: list[int]) -> tuple[list[str], tuple[int, ...]]:
    cells, covered = [], []
    i = 0
    while i < len(edges) - 1:
        j = i + 1
        while j < len(edges) - 1 and (len(text) <= edges[j] or text[edges[j]] not in "|+"):
            j += 1
        inner = text[edges[i] + 1 : edges[j]]
        cells += [inner.rstrip() if inner.strip("-= ") else ""] + [""] * (j - i - 1)
        covered += [j - i] + [0] * (j - i - 1)
        i = j
    return cells, tuple(covered)


def _pipes(block: Lines, at: int) -> tuple[Grid, int] | None:
    """A pipe table as Markdown has it: a row, a row of dashes, more rows."""
    texts = block.texts
    if at + 1 >= len(texts) or "|" not in texts[at] or not _MARKS.match(texts[at + 1]) or "|" not in texts[at + 1]:
        return None
    if texts[at].strip().strip("|").count("|") != texts[at + 1].strip().strip("|").count("|"):
        return None
    end = at + 2
    while end < len(texts) and "|" in texts[end] and texts[end].strip():
        end += 1
    rows = [
        (block.line(i), [c.strip() for c in re.split(r"(?<!\\)\|", re.sub(r"^\s*\||\|\s*$", "", texts[i]))])
        for i in range(at, end)
        if i != at + 1
    ]
    grid = grid_of([(line, [_plain(c) for c in cells]) for line, cells in rows])
    return None if grid is None else (grid, end)


_DASHES = re.compile(r"^\s*-{2,}(?:\s+-{2,})+\s*$")


def _dashed(block: Lines, at: int) -> tuple[Grid, int] | None:
    """A simple table as Pandoc and kable have it: names of columns, a run of dashes under each, rows, an empty line."""
    texts = block.texts
    if at + 2 >= len(texts) or not texts[at].strip() or not _DASHES.match(texts[at + 1]):
        return None
    edges = [(m.start(), m.end()) for m in re.finditer(r"-+", texts[at + 1])]
    end = at + 2
    while end < len(texts) and texts[end].strip() and not texts[end].startswith(("> ", ">>>")):
        end += 1
        if _DASHES.match(texts[end - 1]):
            break
    ends = [b[0] for b in edges[1:]] + [None]
    rows = [
        (block.line(i), [texts[i][a:b].strip() for (a, _), b in zip(edges, ends, strict=True)])
        for i in range(at, end)
        if i != at + 1 and not _DASHES.match(texts[i])
    ]
    if any(texts[i][: edges[0][0]].strip() for i in range(at, end) if i != at + 1) or len(rows) < 2:
        return None
    grid = grid_of(rows)
    return None if grid is None else (grid, end)


def _plain(cell: str) -> str:
    """A cell without Markdown's emphasis; stars after a figure stay."""
    text = re.sub(r"\\([\\|*_])", r"\1", cell).replace("&nbsp;", " ").replace("<br>", " ")
    text = re.sub(r"(\*\*|__)(?=\S)(.*?\D.*?)\1", r"\2", text)
    return re.sub(r"^([*_])(?=[^\s*_])(.+?)\1$", r"\2", text)
