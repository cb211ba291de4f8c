"""Tables drawn with + - | (PSPP, SPSS, reStructuredText) and pipe tables inside text, as grids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from divulge.readers.handed_in.sheets.sheet import Block, Grid, Lines, grid_of

_RULE = re.compile(r"^\s*\+[-=+]+\+\s*$")
_PIPE = re.compile(r"^\s*\|.*\|\s*$")
_MARKS = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")

_BELOW = frozenset("|:-=")
"""What a line of marks begins with, below the names of columns."""


def with_boxes(block: Lines) -> Iterator[Block]:
    """The lines of a block and the grids drawn in it, in their order."""
    start, i, n = 0, 0, len(block.texts)
    begins = [t.lstrip()[:1] for t in block.texts]
    while i < n:
        # Most lines of a long log begin no table. Two characters tell that sooner than three grammars.
        if begins[i] != "+" and (i + 1 == n or begins[i + 1] not in _BELOW):
            i += 1
            continue
        found = _box(block, i) or _pipes(block, i) or _dashed(block, i)
        if found is None:
            i += 1
            continue
        grid, end = found
        told = [
            t for t in block.texts[max(start, i - 9) : max(start, i - 3)] if re.match(r"^(?:Estimation|Dep\. var)", t)
        ]
        before = tuple(t.strip() for t in (*told, *block.texts[max(start, i - 3) : i]) if t.strip())
        if i > start:
            yield Lines(block.texts[start:i], block.first + start)
        after = tuple(t.strip() for t in block.texts[end : end + 3] if t.strip())
        yield Grid(grid.rows, grid.spans, before, after)
        start = i = end
    if start < n:
        yield Lines(block.texts[start:], block.first + start)


def _box(block: Lines, at: int) -> tuple[Grid, int] | None:
    if not re.match(r"^\s*\+[-=+]*[-=]{3}[-=+]*\s*$", block.texts[at]):
        return None
    drawn, end = _drawn(block, at)
    if len(drawn) < 3:
        return None
    # A column begins wherever some line has a corner; between them the texts of a row are cut out.
    # The plus of 1.6E+009 is none.
    edges = sorted({m.start() for text in drawn for m in re.finditer(r"(?<![eE])\+|(?<=[-=][eE])\+", text)})
    first = next((i for i in range(1, len(drawn)) if _RULE.match(drawn[i])), len(drawn))
    rows, spans = _header(drawn[1:first], edges, block.line(at + first - 1))
    for i, text in enumerate(drawn[first:], first):
        # A rule over some columns only leaves the others open: `|        +------+`.
        bare = re.sub(r"(?<=\s)-{3,}(?=[+|])", lambda m: " " * len(m[0]), text)
        if not re.search(r"[^\s|+\-=]", bare):
            continue
        cells, covered = _cut(bare, edges)
        rows.append((block.line(at + i), cells))
        spans.append(covered)
    grid = grid_of(rows)
    return None if grid is None else (Grid(grid.rows, tuple(spans)), end)


def _drawn(block: Lines, at: int) -> tuple[list[str], int]:
    """The lines of a box and where it ends; a box too wide for the page goes on below with the same first column."""
    drawn, end = _lines_of(block, at)
    closed = all(re.search(r"[+|]\s*$", t) for t in drawn)
    while not closed or _goes_on(drawn, block, end):
        following = end + 1
        if following >= len(block.texts) or block.texts[end].strip():
            break
        more, after = _lines_of(block, following)
        stub = _stub(more)
        if len(more) != len(drawn) or not stub or not _same_stub(drawn, more, stub):
            break
        drawn = [a.rstrip() + b[stub:] for a, b in zip(drawn, more, strict=True)]
        end = after
        closed = all(re.search(r"[+|]\s*$", t) for t in drawn)
    width = max(map(len, drawn))
    return [t if t.rstrip().endswith(("+", "|")) else t.ljust(width) + "|" for t in drawn], end


def _lines_of(block: Lines, at: int) -> tuple[list[str], int]:
    end = at
    while end < len(block.texts) and re.match(r"^\s*[+|]", block.texts[end]):
        end += 1
    return list(block.texts[at:end]), end


def _stub(drawn: list[str]) -> int:
    """The width of the first column with its border."""
    place = drawn[0].find("+", 1) if drawn else -1
    return place + 1 if place > 0 else 0


def _same_stub(above: list[str], below: list[str], width: int) -> bool:
    """Whether two boxes have the same first column; what stands on its border may differ."""
    return all(a[: width - 1] == b[: width - 1] for a, b in zip(above, below, strict=True))


def _goes_on(drawn: list[str], block: Lines, end: int) -> bool:
    """Whether a box that is whole is followed by one with the same first column, and texts in it."""
    following = list(block.texts[end + 1 : end + 1 + len(drawn)])
    stub = _stub(following)
    same = (
        stub
        and len(following) == len(drawn)
        and all(a[:stub] == b[:stub] for a, b in zip(drawn, following, strict=True))
    )
    return bool(same) and any(re.search(r"\w", t[:stub]) for t in following)


def _header(drawn: list[str], edges: list[int], line: int) -> tuple[list[tuple[int, list[str]]], list[tuple[int, ...]]]:
    """The rows of a header: lines that only go on with a text are one, a rule below a text ends it."""
    pieces: list[list[tuple[int, str]]] = [[] for _ in edges[1:]]
    ended = [True] * len(pieces)
    for text in drawn:
        cells, covered = _cut(text, edges)
        for i, span in enumerate(covered):
            inner = text[edges[i] + 1 : edges[i + span]] if span else ""
            if span and inner and not inner.strip("-="):
                ended[i : i + span] = [True] * span
            elif span and (ended[i] or not pieces[i] or pieces[i][-1][0] != span):
                pieces[i].append((span, cells[i]))
                ended[i : i + span] = [False] * span
            elif span:
                before = pieces[i][-1][1]
                joined = (
                    before if not cells[i].strip() else cells[i] if not before.strip() else _joined(before, cells[i])
                )
                pieces[i][-1] = (span, joined)
    # An empty text below a name of several columns is a value: SPSS calls a missing text so.
    shown = [
        [
            p
            for k, p in enumerate(column)
            if p[1].strip() or (k and p[0] < column[k - 1][0] and column[k - 1][1].strip())
        ]
        for column in pieces
    ]
    depth = max((len(c) for c in shown), default=0)
    rows: list[tuple[int, list[str]]] = []
    spans: list[tuple[int, ...]] = []
    for level in range(depth):
        texts, widths = [""] * len(pieces), [1] * len(pieces)
        for i, column in enumerate(shown):
            k = level - (depth - len(column))
            if k >= 0:
                span, texts[i] = column[k]
                widths[i : i + span] = [span, *[0] * (span - 1)]
        rows.append((line - depth + 1 + level, texts))
        spans.append(tuple(widths))
    return rows, spans


def _joined(before: str, after: str) -> str:
    """Two lines of one cell."""
    if not before.strip() or not after.strip():
        return before if before.strip() else after
    return before.rstrip() + ("" if before.rstrip().endswith("-") else " ") + after.strip()


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
    if re.search(r"\|\s*Row Total\s*\|", texts[at]):
        return None  # a table of R's gmodels, whose cells have several lines
    if _unbarred(texts[at]).strip().strip("|").count("|") != texts[at + 1].strip().strip("|").count("|"):
        return None
    end = at + 2
    while end < len(texts) and "|" in texts[end] and texts[end].strip():
        end += 1
    rows = [
        (block.line(i), [c.strip() for c in re.split(r"(?<!\\)\|", re.sub(r"^\s*\||\|\s*$", "", _unbarred(texts[i])))])
        for i in range(at, end)
        if i != at + 1
    ]
    grid = grid_of([(line, [_plain(c) for c in cells]) for line, cells in rows])
    return None if grid is None else (grid, end)


def _unbarred(text: str) -> str:
    """A row in which the bars of R's `Pr(>|t|)` part no columns."""
    return re.sub(r"\(>\|([tz])\|\)", r"(>\1)", text)


_DASHES = re.compile(r"^\s*(?:-{2,}(?:\s+-{2,})+|={2,}(?:\s+={2,})+)\s*$")


def _dashed(block: Lines, at: int) -> tuple[Grid, int] | None:
    """A simple table as Pandoc and kable have it: names of columns, a run of dashes under each, rows, an empty line."""
    texts = block.texts
    if at + 2 >= len(texts) or not texts[at].strip() or not _DASHES.match(texts[at + 1]):
        return None
    edges = [(m.start(), m.end()) for m in re.finditer(r"-+|=+", texts[at + 1])]
    end = at + 2
    # Between rules over the whole width, rows are parted by empty lines.
    whole = re.compile(r"^\s*-{8,}\s*$")
    is_spaced = at > 0 and whole.match(texts[at - 1]) is not None
    while end < len(texts) and (texts[end].strip() or is_spaced) and not texts[end].startswith(("> ", ">>>")):
        end += 1
        if is_spaced and whole.match(texts[end - 1]):
            break
        if _DASHES.match(texts[end - 1]):
            break
    ends = [b[0] for b in edges[1:]] + [None]
    rows = [
        (block.line(i), [_plain(texts[i][a:b].strip()) for (a, _), b in zip(edges, ends, strict=True)])
        for i in range(at, end)
        if i != at + 1 and texts[i].strip() and not _DASHES.match(texts[i]) and not whole.match(texts[i])
    ]
    if any(texts[i][: edges[0][0]].strip() for i in range(at, end) if i != at + 1) or len(rows) < 2:
        return None
    if "=" in texts[at + 1]:  # reStructuredText, where two dots are an empty cell
        rows = [(line, ["" if c == ".." else c for c in cells]) for line, cells in rows]
    grid = grid_of(rows)
    return None if grid is None else (grid, end)


def _plain(cell: str) -> str:
    """A cell without Markdown's emphasis; stars after a figure stay."""
    text = unescape(re.sub(r"\\([\\|*_])", r"\1", cell).replace("&nbsp;", " ").replace("<br>", " "))
    text = re.sub(r"(\*\*|__)(?=\S)(.*?\D.*?)\1", r"\2", text)
    return re.sub(r"^([*_])(?=[^\s*_])(.+?)\1$", r"\2", text)
