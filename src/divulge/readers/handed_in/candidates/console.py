"""Tables that a console prints by aligning columns with spaces: data frames, R's tables, pandas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.candidates.columns import aligned
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Grid, Lines, Row

_TAIL = re.compile(
    r"(?:^|[\s(\[])[<>-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]\d+)?%?\)?\]?[*.]*\s*$|(?:^|\s)(?:NA|NaN|<NA>)\s*$"
)
_WORDS = re.compile(r"[A-Za-z]{4,}\s+[a-z]{2,}\s+[a-z]{2,}\s+[a-z]{2,}")


_PARTED = re.compile(
    r"^\s*={20,}\s*$|^\s{8,}[A-Z][\w ]* Results\s*$|^>>> |^In \[\d+\]|^\[1\] |^[A-Z]\w+(?: [^\s]+){5,}\.\s*$"
)
"""Lines at which something else begins, though no empty line stands before: scripts print without any."""

_PROMPT = re.compile(r"^>>> |^In \[\d+\]|^[A-Za-z][^|]*[\w)]:\s*$")
"""Prompts, and titles with a colon: what they speak of begins on the next line."""

_INDEX = re.compile(r"[A-Za-z_][\w.]*(?:\s+[A-Za-z_][\w.]*)*\s*")
"""The line of pandas that names the rows."""


def runs(block: Lines, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of lines that may be a table: not empty, and most of them ending in figures."""
    i = start
    while i < end:
        if not block.texts[i].strip() or _PROMPT.match(block.texts[i]):
            i += 1
            continue
        j = i
        while j < end and block.texts[j].strip() and not (j > i and _PARTED.match(block.texts[j])):
            j += 1
        if j - i >= 2:
            yield i, j
        i = j


def frames(block: Lines, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The data frames of a stretch of lines: scripts print them one after the other, with no line between."""
    first = start
    for k in range(start + 2, end - 1):
        if _TAIL.search(block.texts[k - 1]) and _is_head(block.texts[k : min(k + 3, end)]):
            yield first, k
            first = k
    yield first, end


def _is_head(texts: tuple[str, ...]) -> bool:
    """Whether the first of some lines heads columns of figures: it ends where they end."""
    head, below = texts[0], texts[-1] if len(texts) > 2 and _INDEX.fullmatch(texts[1]) else texts[1]
    if len(head.rstrip()) != len(below.rstrip()) or not _TAIL.search(below):
        return False
    if _TAIL.search(head) is None:
        return True
    # Columns called by numbers: the name of the rows stands alone on the next line, and the numbers rise.
    codes = [float(t) for t in head.split()[1:] if re.fullmatch(r"-?\d+(?:\.\d+)?", t)]
    return below is not texts[1] and head[:1].isalpha() and codes == sorted(set(codes)) and len(codes) > 1


def trimmed(block: Lines, start: int, end: int) -> tuple[int, int]:
    """A stretch without the lines of prose at its ends: a table's lines have columns."""
    while (
        end - start > 2
        and not re.search(r"\S\s{2,}\S", block.texts[start].strip())
        and re.search(r"\S\s{2,}\S", block.texts[start + 1].strip()) is None
    ):
        start += 1
    alone = re.match(r"^(\s*)[A-Za-z()\"'.=]+\s*$", block.texts[start])
    below = len(block.texts[start + 1]) - len(block.texts[start + 1].lstrip()) if end - start > 2 else 0
    if alone is not None and end - start > 2 and len(alone[1]) < below:
        start += 1  # a word that begins left of the header names no axis
    while (
        end - start > 2
        and re.match(r"^\s*[A-Za-z][\w ]*:\s", block.texts[end - 1])
        and ":" not in block.texts[start + 1]
    ):
        end -= 1
    return start, end


def framed(block: Lines) -> Iterator[tuple[int, int, Grid]]:
    """Tables between rules of dashes or equals signs, with empty lines inside, as esttab and stargazer print them."""
    rules = [i for i, t in enumerate(block.texts) if re.match(r"^\s{0,7}(?:-{20,}|={20,}|_{20,})\s*$", t)]
    i = 0
    while i + 2 < len(rules):
        first, second = rules[i], rules[i + 1]
        # A rule over some columns only parts the name of the response from its models.
        heads = [t for t in block.texts[first + 1 : second] if t.strip() and not re.match(r"^\s*-{20,}\s*$", t)]
        errors = re.match(r"^\s+\(\d", "".join(block.texts[second + 2 : second + 3])) is not None
        numbered = errors or any(re.search(r"\(\d\)|\bcoef\s+std err\b", t) for t in heads)
        if not 1 <= len(heads) <= 5 or any("|" in t for t in heads) or not numbered:
            i += 1
            continue
        last = i + 2
        while (
            last + 1 < len(rules)
            and rules[last + 1] - rules[last] <= 12
            and _goes_on(block, rules[last], rules[last + 1])
        ):
            last += 1
        kept = [k for k in range(first + 1, rules[last]) if re.search(r"[^\s=_-]", block.texts[k])]
        # A text over all columns, such as the name of the response, would close the gaps between them.
        lone = {k for k in kept if k < second and not re.search(r"\S\s{2,}\S", block.texts[k].strip())}
        kept = [k for k in kept if k not in lone] if len(lone) < len(heads) else kept
        plain = Lines(tuple(block.texts[k] for k in kept), block.first, tuple(block.line(k) for k in kept))
        grid = aligned(plain, 0, len(kept), max(len(heads) - len(lone), 1))
        if grid is not None:
            after = tuple(t.strip() for t in block.texts[rules[last] + 1 : rules[last] + 4] if t.strip())
            yield first, rules[last] + 1, Grid(grid.rows, (), tuple(h.strip() for h in heads), after)
        i = last + 1


def _goes_on(block: Lines, start: int, end: int) -> bool:
    inner = [t for t in block.texts[start + 1 : end] if t.strip()]
    return bool(inner) and all(re.search(r"\d\S*\s*$", t) for t in inner)


def _is_prose(text: str) -> bool:
    return _WORDS.search(text) is not None and not all(statistic_word(w) for w in text.split())


def table_at(block: Lines, start: int, end: int) -> Grid | None:
    """A stretch of lines as a grid; a word alone above the columns names their axis."""
    if any("|" in t for t in block.texts[start:end]):
        return _ruled(block, start, end)
    texts = block.texts[start:end]
    if any(_is_prose(t) for t in texts[1:]) or any(len(t) > 400 for t in texts):
        return None
    rows = texts[max(_named_below(texts), 1) :]
    figures = sum(bool(_TAIL.search(t)) for t in rows)
    if figures < max(1, 0.6 * len(rows)) or not any(re.search(r"\d", t) for t in texts[1:]):
        return None
    first = texts[0]
    # Two names above lines of figures alone are the columns of a data frame.
    is_frame = len(first.split()) == 2 and bool(re.match(r"^\s*1(?:\s+-?[\d.]+)+\s*$", texts[1]))
    spanner = bool(re.match(r"^\s+\S+(?:\s\S+)?\s*$", first)) and len(texts) > 2 and len(texts[1].split()) > 2
    # Words that end where figures end below them are headers of columns, one of which has no name.
    below = {m.end() for m in re.finditer(r"\S+", texts[1])}
    named = {m.end() for m in re.finditer(r"\S+", first)}
    spanner = spanner and not is_frame and not (len(named) == 2 and named <= below)
    offset = 1 if spanner else 0
    heads = 1
    if start + offset + 1 < end and len(texts) > offset + 2:
        second = texts[offset + 1]
        heads = 2 if len(second.split()) <= 2 and not re.search(r"\d", second) and not second.startswith(" ") else 1
        heads = max(heads, _named_below(texts[offset:]))
    plain = _unnumbered(block, start + offset, end)
    grid = aligned(plain, start + offset, end, heads, plain is not block)
    # R sets in the labels of a table, and not the running numbers of a data frame.
    is_set_in = all(t.startswith("  ") for t in texts[offset:])
    grid = grid if grid is None or is_set_in else _without_numbers(grid)
    if grid is None or not spanner:
        return grid
    name = first.strip()
    top = Row(("", name, *[""] * (grid.width - 2)), block.line(start))
    spans = ((1, grid.width - 1, *[0] * (grid.width - 2)), *[(1,) * grid.width for _ in grid.rows])
    return Grid((top, *grid.rows), spans)


def unwrapped(block: Lines, start: int, end: int) -> Lines | None:
    """A table that R has cut into parts below one another, each with its header and the same labels, as one."""
    heads = [k for k in range(start, end) if re.match(r"^\s+\S", block.texts[k])]
    if len(heads) < 2 or heads[0] != start:
        return None
    parts = [list(range(a, b)) for a, b in zip(heads, [*heads[1:], end], strict=True)]
    width = min(len(block.texts[k]) - len(block.texts[k].lstrip()) for k in heads)
    labels = [[_label(block.texts[k], width) for k in part[1:]] for part in parts]
    if not labels[0] or any(found != labels[0] for found in labels) or not all(labels[0]):
        return None
    texts = []
    for lines in zip(*parts, strict=True):
        whole = block.texts[lines[0]]
        for k, part in zip(lines[1:], parts[1:], strict=True):
            so_far = max(len(t) for t in (block.texts[n] for n in parts[parts.index(part) - 1]))
            whole = whole.ljust(so_far) + " " + block.texts[k][_cut(block, part, labels[0]) :]
        texts.append(whole)
    return Lines(tuple(texts), block.first, tuple(block.line(k) for k in parts[0]))


def _label(text: str, width: int) -> str:
    return text[:width].strip() if len(text) > width and text[width - 1 : width] == " " else text.split()[0]


def _cut(block: Lines, part: list[int], labels: list[str]) -> int:
    """Where the figures of a part begin: after its longest label."""
    return max(block.texts[k].find(label) + len(label) for k, label in zip(part[1:], labels, strict=True))


def _unnumbered(block: Lines, start: int, end: int) -> Lines:
    """Lines without the running numbers that R prints before the rows of a data frame; `<NA>` is left empty."""
    texts = list(block.texts)
    rows = [re.match(r"^(\s*\d+)(?=\s+\S*[A-Za-z*<(])", t) for t in texts[start + 1 : end]]
    begins = min((m.start() for m in re.finditer(r"\S", texts[start])), default=0) if end > start else 0
    numbers = [m[1].strip() for m in rows if m is not None]
    counted = [[str(k) for k in range(first, len(rows) + first)] for first in (0, 1)]
    if len(rows) < 2 or numbers not in counted:
        return block
    if any(m is not None and m.end() > begins for m in rows):
        return block
    for k, found in enumerate(rows, start + 1):
        if found is not None:
            bare = " " * found.end() + texts[k][found.end() :]
            texts[k] = bare.replace("<NA>", "    ")
    return Lines(tuple(texts), block.first, block.numbers)


def _named_below(texts: tuple[str, ...]) -> int:
    """Header lines of pandas: each begins with the name of an axis, and the last names those of the rows alone."""
    for k in (2, 3):
        if k + 1 < len(texts) and re.fullmatch(r"[A-Za-z_]\S*(?:\s+[A-Za-z_]\S*)*\s*", texts[k]):
            above = [re.match(r"^[A-Za-z_]\S*\s{2,}\S", t) for t in texts[:k]]
            if all(above) and not re.search(r"\s\d+\s*$", texts[k]):
                return k + 1
            ends = [{m.end() for m in re.finditer(r"\S+", t)} for t in texts[:k]]
            if k == 2 and all(t.startswith("  ") for t in texts[:k]) and ends[0] < ends[1]:
                return k + 1  # statistics of several variables, each of which is named above the first of its own
    return 1


def _without_numbers(grid: Grid) -> Grid:
    """A grid without the running numbers that R prints before the rows of a data frame."""
    first = [row.cells[0].strip() for row in grid.rows[1:]]
    running = (
        len(first) > 1 and first == [str(k) for k in range(1, len(first) + 1)] and not grid.rows[0].cells[0].strip()
    )
    blank = {"<NA>": "", "NA": ""}
    if running and grid.width > 2:
        return Grid(tuple(Row(tuple(blank.get(c.strip(), c) for c in row.cells[1:]), row.line) for row in grid.rows))
    return grid


def _ruled(block: Lines, start: int, end: int) -> Grid | None:
    """A table with bars between columns and rules of dashes above, below the header and at the end."""
    rules = [i for i in range(start, end) if re.match(r"^\s*-{10,}\|?\s*$", block.texts[i])]
    if len(rules) < 2 or rules[1] - rules[0] < 2:
        return None
    stop = rules[2] if len(rules) > 2 else end
    kept = [i for i in range(rules[0] + 1, stop) if i != rules[1]]
    texts = tuple(block.texts[i].replace("|", " ") for i in kept)
    plain = Lines(texts, block.first, tuple(block.line(i) for i in kept))
    grid = aligned(plain, 0, len(texts), rules[1] - rules[0] - 1)
    if grid is None or not any(re.search(r"\d", c) for row in grid.rows[1:] for c in row.cells):
        return None
    return grid


def transposed_pairs(block: Lines, start: int, end: int) -> tuple[str, list[tuple[str, str, int]]] | None:
    """A one-way table of R: labels on one line, counts right-aligned under them on the next, wrapped as needed."""
    name = ""
    lines = list(range(start, end))
    if len(lines) % 2 == 1:
        if not re.match(r"^\S+\s*$|^[A-Z][a-z]+(?: [a-z]+)*\s*$", block.texts[start]):
            return None
        name = block.texts[start].strip()
        lines = lines[1:]
    pairs: list[tuple[str, str, int]] = []
    for above, below in zip(lines[::2], lines[1::2], strict=True):
        ends = [(m.end(), m[0]) for m in re.finditer(r"\S+", block.texts[below])]
        if not ends or not all(re.fullmatch(r"-?[\d,]+(?:\.\d+)?(?:e[-+]\d+)?", t) for _, t in ends):
            return None
        head = block.texts[above].ljust(ends[-1][0])
        previous = 0
        for at, text in ends:
            label = head[previous:at].strip()
            # An empty text is a value of R's, and comes first; a whole number there is the code of a row.
            if not label and (len(lines) > 2 or len(ends) < 2 or pairs or "." not in text):
                return None
            label = label or "<NA>"
            pairs.append((label, text, block.line(below)))
            previous = at
        if head[previous:].strip():
            return None
    return (name, pairs) if pairs else None
