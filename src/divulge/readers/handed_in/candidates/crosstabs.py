"""Tables of counts and percentages: axes and labels of every cell."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import CellFigures, Printed
from divulge.readers.handed_in.candidates.statistic_names import column_word, is_total, statistic_word
from divulge.readers.handed_in.candidates.structure import Structure
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary

_CELLS = {
    "count": "count",
    "row %": "percentage",
    "column %": "percentage",
    "total %": "percentage",
    "n": "count",
    "% within row": "percentage",
    "% of total": "percentage",
    "expected": "expected",
    "expected count": "expected",
    "frequency": "count",
    "percent": "percentage",
    "row percentage": "percentage",
    "column percentage": "percentage",
    "cell percentage": "percentage",
    "percentage": "percentage",
}


def cell_word(text: str) -> str | None:
    """What a row of a crosstab shows where the stub says it: Count, Row %, % within sex."""
    bare = text.strip().casefold()
    return _CELLS.get(bare) or ("percentage" if bare.startswith("% within") else None)


def read(table: Structure, words: Vocabulary, columns: list[int]) -> list[Candidate]:
    """One crosstab, or frequencies where there is one axis only."""
    table = _under_one_heading(table)
    levels = _column_levels(table, columns)
    shown = [j for j in columns if column_word(levels[j][2] or "") != "p-value"]
    names, statistic_at = _row_axes(table)
    column_names = _column_axes(table, shown, levels)
    figures: list[Figure] = []
    for body in table.body:
        if body.is_heading:
            continue
        path = body.path
        what = None
        if statistic_at is not None and statistic_at < len(path):
            what = cell_word(path[statistic_at])
            path = path[:statistic_at] + path[statistic_at + 1 :]
        at_row = tuple(_row_at(path, names))
        for j in shown:
            cell = body.cells[j]
            if cell is None:
                continue
            labels, word, _ = levels[j]
            at = (*at_row, *((n, text) for n, text in zip(column_names, labels, strict=False)))
            figures += _cell(cell, what or word, at, body.line)
    if not figures:
        return []
    figures = _shares(_sized(figures, words))
    shares = all(f.what in ("percentage", "n", "count", "valid percentage", "cumulative percentage") for f in figures)
    kind = "crosstab" if column_names or len(names) > 1 else "frequencies"
    given = tuple(n for n in names if not n.startswith("row"))
    others = tuple(n for n in column_names if not n.startswith("column"))
    statistic = _described(figures) if shares else None
    return [Candidate("cells", kind, table.lines, tuple(figures), variables=given, by=others, statistic=statistic)]


def _under_one_heading(table: Structure) -> Structure:
    """A table whose rows all stand under the same heading: the heading names their variable."""
    under = {b.path[0] for b in table.body if not b.is_heading and len(b.path) == 2}
    alone = [b for b in table.body if not b.is_heading and len(b.path) == 1 and not is_total(b.path[0])]
    if len(table.stubs) != 1 or table.stubs[0] or len(under) != 1 or alone:
        return table
    body = tuple(replace(b, path=b.path[-1:]) for b in table.body if not b.is_heading)
    return replace(table, body=body, stubs=(under.pop(),))


def _sized(figures: list[Figure], words: Vocabulary) -> list[Figure]:
    """A row or column `n` beside figures with decimals counts everybody: it is a total, unless it is a value."""
    if not any(f.printed.decimals for f in figures):
        return figures
    return [
        replace(
            f,
            at=tuple(
                (k, "Total" if t.strip() in ("n", "N") and t not in words.texts(words.variable(k) or k) else t)
                for k, t in f.at
            ),
        )
        for f in figures
    ]


def _shares(figures: list[Figure]) -> list[Figure]:
    """Figures without a sign that add to 100 along some axis are percentages."""
    counts = [f for f in figures if f.what == "count" and f.printed.value is not None]
    if (
        len(counts) < 4
        or not any(f.printed.decimals for f in counts)
        or any(float(f.printed.value or 0) > 100.05 and not any(is_total(t) for _, t in f.at) for f in counts)
    ):
        return figures
    keys = list(dict.fromkeys(k for f in counts for k, _ in f.at))
    for key in keys:
        sums: dict[tuple[tuple[str, str], ...], float] = {}
        for f in counts:
            if not any(k == key and is_total(t) for k, t in f.at):
                rest = tuple(a for a in f.at if a[0] != key)
                sums[rest] = sums.get(rest, 0.0) + float(f.printed.value or 0.0)
        if sums and sum(abs(s - 100) < 1.0 or abs(s - 1) < 0.01 for s in sums.values()) >= 0.6 * len(sums):
            return [replace(f, what="percentage") if f.what == "count" and not _is_size(f) else f for f in figures]
    return figures


def _is_size(figure: Figure) -> bool:
    """Whether a figure in a margin of percentages counts people: it has no decimals and is not 100."""
    printed = figure.printed
    return any(is_total(t) for _, t in figure.at) and not printed.decimals and printed.value not in (1.0, 100.0)


def _described(figures: list[Figure]) -> str:
    kinds = {f.what for f in figures}
    return "counts and percentages" if len(kinds) > 1 else "counts" if "count" in kinds else "percentages"


def _cell(cell: CellFigures, word: str | None, at: tuple[tuple[str, str], ...], line: int) -> list[Figure]:
    label = " × ".join(text for _, text in at if text)
    out = []
    if cell.main is not None:
        main = word if word not in (None, "n") else "count"
        if cell.main.is_percent:
            main = word if word in ("valid percentage", "cumulative percentage") else "percentage"
        out.append(Figure(label, str(main), cell.main, line, None, at))
    for inner in cell.inner[:1]:
        out.append(Figure(label, "percentage" if _is_share(inner) else "count", inner, line, None, at))
    return out


def _is_share(number: Printed) -> bool:
    return number.is_percent or number.value is None or number.value <= 100


def _column_levels(table: Structure, columns: list[int]) -> dict[int, tuple[tuple[str, ...], str | None, str | None]]:
    """For each column the labels of its axes, its statistic (percentage …), and its last header."""
    out = {}
    for j in columns:
        path = table.columns[j]
        label, word = table.statistic(j)
        labels = tuple(p.strip() for p in label.split(" / ") if p.strip())
        out[j] = (labels, word, path[-1] if path else None)
    return _beside(out, columns)


def _beside(
    levels: dict[int, tuple[tuple[str, ...], str | None, str | None]], columns: list[int]
) -> dict[int, tuple[tuple[str, ...], str | None, str | None]]:
    """Columns headed by nothing but %, each to the right of the group that it is of."""
    lone = [j for j in columns if not levels[j][0] and levels[j][1] == "percentage"]
    left = {j: levels[j - 1][0] for j in lone if j - 1 in levels and levels[j - 1][0] and levels[j - 1][1] is None}
    if len(lone) < 2 or len(left) < len(lone) or len(set(left.values())) < len(left):
        return levels
    return {j: (left[j], *v[1:]) if j in left else v for j, v in levels.items()}


def _column_axes(
    table: Structure, shown: list[int], levels: dict[int, tuple[tuple[str, ...], str | None, str | None]]
) -> list[str]:
    """The names of the column axes. A header row that says the same over all columns names the axis below it."""
    depth = max((len(levels[j][0]) for j in shown if not is_total(" ".join(levels[j][0]))), default=0)
    axes = list(table.axes)
    if depth > 1:
        tops = {levels[j][0][0] for j in shown if len(levels[j][0]) == depth}
        if len(tops) == 1:
            name = tops.pop()
            for j in shown:
                labels, word, last = levels[j]
                if len(labels) == depth:
                    levels[j] = (labels[1:], word, last)
            axes = [name, *[a for a in axes[1:] if a]]
            depth -= 1
    for j in shown:
        labels, word, last = levels[j]
        if is_total(" ".join(labels)):
            levels[j] = (("Total",) * max(depth, 1), word, last) if depth else levels[j]
    if depth and len(shown) > 1:
        # R leaves the name of a level empty where the file of data leaves the field empty.
        bare = [j for j in shown if not levels[j][0] and levels[j][1] is None and not levels[j][2]]
        for j in bare[:1]:
            levels[j] = (("",) * depth, levels[j][1], levels[j][2])
    names = []
    for k in range(depth):
        name = axes[k] if k < len(axes) and axes[k] else ""
        if not name and k == depth - 1 and len(axes) == 1 and axes[0]:
            name = axes[0]
        names.append(name or f"column{k}")
    return names


def _row_axes(table: Structure) -> tuple[list[str], int | None]:
    """The names of the row axes, and which part of the path says what a row shows."""
    width = max((len(b.path) for b in table.body if not b.is_heading), default=1)
    statistic_at = None
    for k in range(width):
        texts = {b.path[k] for b in table.body if not b.is_heading and k < len(b.path)}
        if texts and all(cell_word(t) for t in texts):
            statistic_at = k
    names = []
    for k in range(width):
        if k == statistic_at:
            continue
        name = table.stubs[k] if k < len(table.stubs) and len(table.stubs) == width else ""
        if width == 1 and table.stubs:
            name = table.stubs[0]
        names.append(name if name and not statistic_word(name) else f"row{k}")
    return names, statistic_at


def _row_at(path: tuple[str, ...], names: list[str]) -> list[tuple[str, str]]:
    """Labels of a row. A total that stands in the first column counts for the others as well."""
    out = []
    total = False
    for k, name in enumerate(names):
        text = path[k] if k < len(path) else ""
        total = total or is_total(text)
        out.append((name, "Total" if total and not text else re.sub(r"\s+", " ", text)))
    return out
