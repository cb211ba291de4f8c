"""What pandas prints of a series or a single statistic: value_counts(), describe(), quantile(), df.wage.mean()."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.words import statistic_word
from divulge.readers.handed_in.sheets import Block, Lines

_END = re.compile(r"^Name: ([\w.]+)(?:, Length: \d+)?, dtype: \w+\s*$|^dtype: \w+\s*$")
_SCALAR = re.compile(r"(?:\w+)(?:\.(\w+)|\[['\"]([\w.]+)['\"]\])\.(mean|median|std|var|min|max|sum|count|nunique)\(\)")
_WORDS = {"std": "sd", "var": "variance", "min": "minimum", "max": "maximum", "count": "n"}


_ROW = re.compile(r"^(\S+(?: \S+)*)\s{2,}(-?[\d.]+(?:e[-+]?\d+)?)\s*$")


class Pandas:
    """Series and single statistics of pandas."""

    name = "pandas"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The series and statistics of a stretch of text."""
        if not isinstance(block, Lines):
            return []
        return [session.signed(c, self.name) for c in (*_series(block), *_scalars(block))]


def _series(block: Lines) -> Iterator[Candidate]:
    for end, text in enumerate(block.texts):
        match = _END.match(text)
        if match is None:
            continue
        rows: list[tuple[str, str, int]] = []
        k = end - 1
        while k >= 0 and (row := _ROW.match(block.texts[k])) is not None:
            rows.insert(0, (row[1], row[2], block.line(k)))
            k -= 1
        crossed = _crossed(block, end)
        if crossed is not None and len(crossed.figures) > len(rows):
            yield crossed
            continue
        above = re.match(r"^([\w.]+)\s*$", block.texts[k]) if k >= 0 else None
        found = _read(rows, match[1], above[1] if above else None) if rows else None
        if found is not None:
            kind, figures, names = found
            start = block.line(k if above else k + 1)
            yield Candidate("cells", kind, (start, block.line(end)), tuple(figures), variables=names)


def _crossed(block: Lines, end: int) -> Candidate | None:
    """Counts by several variables (`groupby([...]).size()`): a level that stays is printed once."""
    k = end - 1
    while k >= 0 and re.match(r"^(?:\S.*?)?\s{2,}(?:\S.*?\s{2,})*-?\d+\s*$", block.texts[k]):
        k -= 1
    names = block.texts[k].split() if k >= 0 else []
    if len(names) < 2 or not all(re.fullmatch(r"[A-Za-z_][\w.]*", n) for n in names):
        return None
    starts = [m.start() for m in re.finditer(r"\S+", block.texts[k])]
    figures: list[Figure] = []
    held = [""] * len(names)
    for i in range(k + 1, end):
        number = parse_number(block.texts[i].split()[-1])
        cut = block.texts[i].rstrip()
        labels = cut[: cut.rindex(" ")]
        parts = [labels[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
        first = next((j for j, p in enumerate(parts) if p), len(parts))
        held = [held[j] if j < first else parts[j] for j in range(len(names))]
        if number is None or not all(held):
            return None
        at = tuple(zip(names, held, strict=True))
        figures.append(Figure(" × ".join(held), "count", number, block.line(i), None, at))
    if len(figures) < 2:
        return None
    lines = (block.line(k), block.line(end))
    return Candidate("cells", "crosstab", lines, tuple(figures), variables=tuple(names[:1]), by=tuple(names[1:]))


def _read(
    rows: list[tuple[str, str, int]], name: str | None, index: str | None
) -> tuple[str, list[Figure], tuple[str, ...]] | None:
    """Counts or shares of values, or statistics and quantiles of a variable."""
    numbers = [(label, n, line) for label, text, line in rows if (n := parse_number(text)) is not None]
    if name in ("count", "proportion"):
        what = "count" if name == "count" else "percentage"
        key = index or "row0"
        figures = [
            Figure(f"{key}={label}", what, n, line, None, ((key, "Missing" if label == "NaN" else label),))
            for label, n, line in numbers
        ]
        return "frequencies", figures, (index,) if index else ()
    words = [statistic_word(label) for label, _, _ in numbers]
    if name is None or not all(words):
        return None
    figures = [
        Figure(f"{name}: {w}", w, n, line, name)
        for w, (_, n, line) in zip(words, numbers, strict=True)
        if w is not None
    ]
    return kind_of({f.what for f in figures}), figures, (name,)


def _scalars(block: Lines) -> Iterator[Candidate]:
    for i, text in enumerate(block.texts[:-1]):
        match = _SCALAR.search(text) if text.startswith(">>> ") else None
        shown = re.match(r"^(?:np\.\w+\()?(-?[\d.]+(?:e[-+]?\d+)?)\)?\s*$", block.texts[i + 1])
        number = parse_number(shown[1]) if match is not None and shown is not None else None
        if match is None or number is None:
            continue
        of, what = match[1] or match[2], _WORDS.get(match[3], match[3])
        figure = Figure(f"{of}: {what}", what, number, block.line(i + 1), of)
        yield Candidate("cells", kind_of({what}), (block.line(i + 1),) * 2, (figure,), variables=(of,))
