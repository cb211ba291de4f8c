"""What R prints of tibbles, and of tables of three variables slice by slice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.columns import aligned
from divulge.readers.handed_in.candidates.console import table_at
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.tables import read_grid
from divulge.readers.handed_in.sheets import Grid, Lines, Row

_TITLE = re.compile(r"^# A tibble: ([\d,]+) [×x] \d+")
_TYPES = re.compile(r"^\s*(?:<\w+(?:\[\w+\])?>\s*)+$")
_SLICE = re.compile(r"^, ,\s+(?:([\w.]+)\s+)?=\s+(.+?)\s*$")


def tibbles(block: Lines, start: int, end: int) -> Iterator[tuple[int, int, Grid]]:
    """The tibbles between two lines, each with its first line and the line after its last."""
    for i in range(start, end - 3):
        if not _TITLE.match(block.texts[i]):
            continue
        types = next((k for k in range(i + 1, min(i + 6, end)) if _TYPES.match(block.texts[k])), None)
        if types is None:
            continue
        last = types + 1
        while last < end and re.match(r"^\s*\d+\s", block.texts[last]):
            last += 1
        kept = [k for k in range(types - 1, last) if k != types]
        # An exponent of one digit has a space before it; figures are coloured or underlined in no file.
        texts = tuple(re.sub(r"(e[-+]) (\d)(?!\d)", r"\g<1>0\2", unnumbered(block.texts[k])) for k in kept)
        plain = Lines(texts, block.first, tuple(block.line(k) for k in kept))
        grid = aligned(plain, 0, len(texts))
        if grid is not None:
            blank = {"NA": "", "<NA>": ""}
            rows = tuple(Row(tuple(blank.get(c.strip(), c) for c in r.cells), r.line) for r in grid.rows)
            yield i, last, Grid(rows)


def unnumbered(text: str) -> str:
    """A row of a tibble without its number."""
    number = re.match(r"^\s*\d+(?=\s)", text)
    return " " * number.end() + text[number.end() :] if number is not None else text


def sliced(block: Lines, start: int, end: int, names: list[str], session: Session) -> tuple[Candidate, int, int] | None:
    """`table(a, b, c)`: a table of two variables for each level of the third, as one table of three."""
    heads = [(k, m) for k in range(start, end) if (m := _SLICE.match(block.texts[k])) is not None]
    if len(heads) < 2:
        return None
    parts: list[Candidate] = []
    stops = [k for k, _ in heads[1:]] + [end]
    last = start
    for (k, match), stop in zip(heads, stops, strict=True):
        first = next((j for j in range(k + 1, stop) if block.texts[j].strip()), stop)
        until = next((j for j in range(first, stop) if not block.texts[j].strip()), stop)
        grid = table_at(block, first, until) if until - first > 1 else None
        found = read_grid(grid, session.vocabulary) if grid is not None else []
        if len(found) != 1 or found[0].kind not in ("crosstab", "frequencies"):
            return None
        axes = list(dict.fromkeys(a for f in found[0].figures for a, _ in f.at))
        renamed = {a: n for a, n in zip(axes, names, strict=False) if re.fullmatch(r"(?:row|column)\d", a)}
        third = match[1] or (names[2] if len(names) > 2 else "group")
        parts.append(
            replace(
                found[0],
                figures=tuple(
                    replace(f, at=(*((renamed.get(a, a), t) for a, t in f.at), (third, match[2])))
                    for f in found[0].figures
                ),
            )
        )
        last = until
    figures = tuple(f for p in parts for f in p.figures)
    axes = list(dict.fromkeys(a for f in figures for a, _ in f.at))
    lines = (block.line(heads[0][0]), block.line(last - 1))
    whole = Candidate("cells", "crosstab", lines, figures, variables=tuple(axes[:1]), by=tuple(axes[1:]))
    return whole, heads[0][0], last
