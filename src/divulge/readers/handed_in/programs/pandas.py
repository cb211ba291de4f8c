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
        while k >= 0 and (row := re.match(r"^(\S.*?)\s+(-?[\d.]+(?:e[-+]?\d+)?)\s*$", block.texts[k])) is not None:
            rows.insert(0, (row[1], row[2], block.line(k)))
            k -= 1
        above = re.match(r"^([\w.]+)\s*$", block.texts[k]) if k >= 0 else None
        found = _read(rows, match[1], above[1] if above else None) if rows else None
        if found is not None:
            kind, figures, names = found
            start = block.line(k if above else k + 1)
            yield Candidate("cells", kind, (start, block.line(end)), tuple(figures), variables=names)


def _read(
    rows: list[tuple[str, str, int]], name: str | None, index: str | None
) -> tuple[str, list[Figure], tuple[str, ...]] | None:
    """Counts or shares of values, or statistics and quantiles of a variable."""
    numbers = [(label, n, line) for label, text, line in rows if (n := parse_number(text)) is not None]
    if name in ("count", "proportion"):
        what = "count" if name == "count" else "percentage"
        key = index or "row0"
        figures = [Figure(f"{key}={label}", what, n, line, None, ((key, label),)) for label, n, line in numbers]
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
