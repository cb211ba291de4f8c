"""What of a document no reader explained, though it holds figures: the checker sees that nothing slipped through."""

from __future__ import annotations

import math
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.numbers import Decimal, decimal_of, parse_cell, parse_number
from divulge.readers.handed_in.matching.statistics import fraction_of
from divulge.readers.handed_in.sheets import Document, Grid, Lines

_NUMBER = re.compile(r"(?<![\w.:/-])-?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?(?![\w:/-])")
_ASIDE = re.compile(
    r"^\s*(?:[.>?#*]|>>>|\+ |Iteration|iter\b|R version|Copyright|Platform|Date|Time|.*\b(?:20|19)\d\d-\d\d-\d\d)"
    r"|^\s*(?:user|system)\s|^\s*(?:opened|closed) on:"
)
"""Commands, the steps of an iteration, versions and dates hold numbers that are no figures."""

_ALONE = re.compile(
    r"[=:]\s*-?\d*\.\d+(?:[eE][-+]?\d+)?%?\s*[.;)]?\s*$|\b(?:[nN]|obs|N used|Number of obs)\s*[=:]\s*\d[\d,]*\)?\s*$"
)
"""A single figure after what it is called: `Mean age: 54.31`, `n = 23`."""

_MOST = 50
"""Stretches of a file that are listed."""


def leftovers(
    document: Document, candidates: Sequence[Candidate], asides: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, str], ...]:
    """First line, last line and what stands there. asides: stretches that readers know to hold no figures."""
    lines = ((f.line, f.line) for c in candidates for f in c.figures)
    explained = _joined([*(c.lines for c in candidates), *asides, *set(lines)])
    passed = _passed_over(document, candidates)
    out: list[tuple[int, int, str]] = []
    for block in document.blocks:
        found = _grid(block, explained) if isinstance(block, Grid) else _lines(block, explained)
        out += found
        if len(out) > _MOST:
            break
    listed = sorted([*out, *passed])
    if len(listed) > _MOST:
        a, b, what = listed[_MOST - 1]
        listed[_MOST - 1 :] = [(a, b, f"{what}; more follow that are not listed")]
    return tuple(listed)


_PASSED = "a figure of an output that was not read"

_DECIMAL = {
    ".": re.compile(
        r"(?<![\w.,:/=<>≤≥(\[])[-−–+]?(?:\d{1,3}(?:,\d{3})+|\d*)\.\d+(?:[eE][-+]?\d+)?(?![\w.:/]|,\d|\s?%)"
    ),
    ",": re.compile(r"(?<![\w.,:/=<>≤≥(\[])[-−–+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+(?:[eE][-+]?\d+)?(?![\w.:/]|\s?%)"),
}
"""Numbers with decimals; those at the bounds of a class or a level of confidence are none."""

_STARS = re.compile(r"Signif\. codes|[*†+] ?[pP]\s*(?:[<≤=]|&lt;)\s*0?\.\d|[pP]\s*[<≤]\s*0?\.\d+[*;, ]+[*pP]")
"""What stars mean."""

_NOTED = re.compile(
    r"\b0?\.975\b|\b97\.5|(?:lower|upper) 0?\.95|tolerance|elapsed|seconds|Time:|version|critical value"
)
"""Headings of intervals, and how long it took."""


def _passed_over(document: Document, candidates: Sequence[Candidate]) -> list[tuple[int, int, str]]:
    """Lines of an output with a number that has decimals and is none of its figures or labels."""
    stretches = _joined([c.lines for c in candidates])
    on_line: dict[int, Counter[str]] = {}
    labels: set[str] = set()
    for candidate in candidates:
        for figure in candidate.figures:
            if figure.printed.value is not None:
                on_line.setdefault(figure.line, Counter())[_key(figure.printed.value)] += 1
            labels.update(t for _, text in (*figure.at, ("", figure.of or "")) for t in re.findall(r"\d+\.\d+", text))
    named = {_key(float(t)) for t in labels}
    fractions = (fraction_of(w) for w in {f.what.rpartition(" of ")[2] for c in candidates for f in c.figures})
    named |= {_key(f) for f in fractions if f is not None}
    left: list[tuple[int, int, str]] = []
    for line, numbers in _written(document, stretches):
        at = bisect_right(stretches, (line, sys.maxsize)) - 1
        here = on_line.setdefault(line, Counter())
        for number in numbers:
            if here[number] > 0:
                here[number] -= 1
            elif number not in named:
                left.append((line, at, number))
    # A figure may be said to stand on another line of its output than it does.
    spare: dict[int, Counter[str]] = {}
    for line, rest in on_line.items():
        at = bisect_right(stretches, (line, sys.maxsize)) - 1
        spare.setdefault(at, Counter()).update(rest)
    out = []
    for line, at, number in left:
        if spare.get(at, Counter())[number] > 0:
            spare[at][number] -= 1
        else:
            out.append((line, line, _PASSED))
    return list(dict.fromkeys(out))


def _key(value: float) -> str:
    return f"{abs(value):.10g}" if math.isfinite(value) else ""


def _written(document: Document, stretches: list[tuple[int, int]]) -> Iterator[tuple[int, list[str]]]:
    """Lines and rows of stretches with their numbers, but for commands and notes."""
    last = stretches[-1][1] if stretches else 0
    for block in document.blocks:
        if (block.rows[0].line if isinstance(block, Grid) else block.line(0)) > last:
            continue
        decimal: Decimal = "."
        if isinstance(block, Grid):
            decimal = decimal_of([c for r in block.rows for c in r.cells[1:]])
            rows = ((r.line, "  ".join(r.cells[1:])) for r in block.rows)
        else:
            rows = ((block.line(i), t) for i, t in enumerate(block.texts))
        for line, text in rows:
            if decimal not in text or not _is_explained(line, stretches):
                continue
            if not any(p.search(text) for p in (_ASIDE, _STARS, _NOTED)):
                found = (parse_number(t, decimal) for t in _DECIMAL[decimal].findall(text))
                yield line, [_key(p.value) for p in found if p is not None and p.value is not None]


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
            (len(_NUMBER.findall(text)) >= 2 or (_ALONE.search(text) and not _NOTED.search(text)))
            and not timed
            and not _ASIDE.match(text)
            and not _STARS.search(text)
            and not _is_explained(block.line(i), explained)
        )
        if counts and start is None:
            start = i
        elif not counts and start is not None:
            out.append((block.line(start), block.line(i - 1), "figures that were not recognised"))
            start = None
    return out
