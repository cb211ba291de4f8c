"""A grid taken apart: header rows, stub columns, and for every figure the path of labels above it and beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from divulge.readers.handed_in.candidates.numbers import CellFigures, Decimal, decimal_of, parse_cell
from divulge.readers.handed_in.candidates.statistic_names import (
    column_word,
    fit_word,
    is_total,
    split_statistic,
    statistic_word,
)
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.sheets import Grid


@dataclass(frozen=True)
class Body:
    """A row below the header. path: its stub texts, headings first. cells: one entry a data column."""

    path: tuple[str, ...]
    cells: tuple[CellFigures | None, ...]
    texts: tuple[str, ...]
    line: int
    indent: int = 0
    is_heading: bool = False


@dataclass(frozen=True)
class Structure:
    """columns: the header path of each data column. stubs: what the header calls the stub columns."""

    stubs: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    axes: tuple[str, ...]
    body: tuple[Body, ...]
    decimal: Decimal
    grid: Grid
    are_levels: bool = False
    """Whether the headers are the values of a variable of the data, whatever else they may mean: Freq, None, Some."""

    def statistic(self, j: int) -> tuple[str, str | None]:
        """What a column is of and which statistic it shows. Beside whole numbers, 0.5 is a level and no median."""
        path = self.columns[j]
        if self.are_levels:
            return " / ".join(path), None
        if path and re.fullmatch(r"0?\.\d+", path[-1]):
            last = [p[-1] for p in self.columns if p and re.fullmatch(r"-?\d*\.?\d+", p[-1])]
            if any(float(t) >= 1 or float(t) <= 0 for t in last):
                return " / ".join(path), None
        found = split_statistic(path)
        if found[1] is None and path and re.search(r"(?:^|\.)M$", path[-1]):
            of = " / ".join([*path[:-1], path[-1][:-2]]).removesuffix(" / ")
            # Beside SD, M is a mean.
            if (of, "sd") in (split_statistic(p) for p in self.columns if p):
                return of, "mean"
        return found

    @property
    def lines(self) -> tuple[int, int]:
        return self.grid.rows[0].line, self.grid.rows[-1].line


def take_apart(grid: Grid, words: Vocabulary) -> Structure | None:
    """The structure of a grid; None where it has no figures."""
    texts = [c for row in grid.rows for c in row.cells]
    decimal = decimal_of(texts)
    rows = list(range(len(grid.rows)))
    rows = [i for i in rows if any(c.strip() for c in grid.rows[i].cells)]
    if len(rows) < 2:
        return None
    # Titles inside the table: one text over the whole width.
    titles = []
    while len(rows) > 2 and _is_title(grid, rows[0]):
        titles.append(next(c.strip() for c in grid.rows[rows[0]].cells if c.strip()))
        rows.pop(0)
    while len(rows) > 2 and _is_title(grid, rows[-1]) and len(grid.rows[rows[-1]].cells) > 2:
        rows.pop()
    n_header = _header(grid, rows, decimal)
    if n_header >= len(rows):
        return None
    n_stub = _stub(grid, rows, n_header, decimal, words)
    columns = _columns(grid, rows[:n_header], n_stub)
    stubs, axes = _names(grid, rows[:n_header], n_stub)
    body = _body(grid, rows[n_header:], n_stub, decimal)
    if not any(c is not None for b in body for c in b.cells):
        return None
    before = (*grid.before, *titles)
    whole = Grid(grid.rows, grid.spans, before, grid.after, grid.sheet)
    return Structure(stubs, columns, axes, body, decimal, whole, _are_levels(columns, words))


def _are_levels(columns: tuple[tuple[str, ...], ...], words: Vocabulary) -> bool:
    last = [c[-1] for c in columns if c and not is_total(c[-1])]
    mixed = any(statistic_word(t) for t in last) and any(statistic_word(t) is None for t in last)
    return mixed and len(set(last)) == len(last) > 1 and any(set(last) <= set(words.texts(n)) for n in words.names)


def _is_title(grid: Grid, i: int) -> bool:
    filled = [j for j, c in enumerate(grid.rows[i].cells) if c.strip()]
    if len(filled) != 1 or grid.width < 3:
        return False
    text = grid.rows[i].cells[filled[0]].strip()
    return grid.span(i, filled[0]) >= grid.width - 1 and (grid.span(i, filled[0]) == grid.width or len(text) > 40)


def _figures(grid: Grid, i: int, decimal: Decimal, start: int = 1) -> int:
    return sum(parse_cell(c, decimal) is not None for c in grid.rows[i].cells[start:])


def _header(grid: Grid, rows: list[int], decimal: Decimal) -> int:
    """How many rows are header: the first, then those without figures, and those under a lone spanning text."""
    first = grid.rows[rows[0]].cells
    # A table whose first row already has a label and figures that are no labels has no header.
    n = _crossed_header(grid, rows)
    if first[0].strip() and fit_word(first[0]) and _figures(grid, rows[0], decimal):
        return 0
    spanning = [j for j, c in enumerate(first) if c.strip()]
    while n < len(rows):
        cells = grid.rows[rows[n]].cells
        filled = [c for c in cells[1:] if c.strip()]
        has_words = any(column_word(c) or statistic_word(c) or is_total(c) for c in filled)
        if (
            (not filled and n > 1 and not any(c.strip() for c in cells))
            or (not filled and cells[0].strip() and _follows_blank(grid, rows, n))
            or (filled and not _figures(grid, rows[n], decimal))
            or (
                filled
                and n == 1
                and len(spanning) == 1
                and grid.width > 2
                and (spanning[0] > 0 or len(filled) > 2)
                and (has_words or _looks_like_levels(filled))
            )
            or (filled and has_words and sum(parse_cell(c, decimal) is None for c in filled) >= len(filled) / 2)
            or (all(re.fullmatch(r"\(\d+\)|\[\d+\]|M\d|Model \d+", c.strip()) for c in filled) and filled)
        ):
            n += 1
        else:
            break
    return n


def _crossed_header(grid: Grid, rows: list[int]) -> int:
    """Header rows of columns by two or three variables, as pandas prints them: the last names the rows alone."""
    for k in (2, 3):
        if len(rows) <= k + 1:
            break
        cells = [[c.strip() for c in grid.rows[rows[i]].cells] for i in range(k + 1)]
        named = all(re.fullmatch(r"[A-Za-z_][\w.]*", c[0]) for c in cells)
        last = cells[k - 1][1:]
        if named and not any(cells[k][1:]) and all(last) and "" in cells[0][1:] and len(set(last)) < len(last):
            return k + 1
    return 1


def _looks_like_levels(filled: list[str]) -> bool:
    """Small whole numbers that differ, as codes above the columns of a table do."""
    return len(set(filled)) == len(filled) and all(
        re.fullmatch(r"-?\d{1,4}(?:\.\d)?|[A-Za-z].*", c.strip()) for c in filled
    )


def _follows_blank(grid: Grid, rows: list[int], n: int) -> bool:
    """pandas names the index in a row of its own; a heading of a section would be followed by indented rows."""
    if n + 1 >= len(rows) or (grid.spans and grid.span(rows[n], 0) >= grid.width):
        return False
    following = grid.rows[rows[n + 1]].cells
    here = grid.rows[rows[n]].cells[0]
    return (
        n <= 3
        and bool(following[0].strip())
        and not following[0].startswith(" ")
        and not here.startswith(" ")
        and (not grid.rows[rows[0]].cells[0].strip() or n > 1 or _all_filled(grid, rows[0]))
        and re.fullmatch(r"[\w.]+", here.strip()) is not None
    )


def _all_filled(grid: Grid, i: int) -> bool:
    return all(c.strip() for c in grid.rows[i].cells)


def _stub(grid: Grid, rows: list[int], n_header: int, decimal: Decimal, words: Vocabulary) -> int:
    """How many columns are stub: texts, or codes of the variable that the header names."""
    body = rows[n_header:]
    n = 0
    for j in range(grid.width - 1):
        cells = [grid.rows[i].cells[j].strip() for i in body]
        filled = [c for c in cells if c]
        header = next(
            (grid.rows[i].cells[j].strip() for i in reversed(rows[:n_header]) if grid.rows[i].cells[j].strip()), ""
        )
        figures = sum(parse_cell(c, decimal) is not None for c in filled)
        if j == 0:
            is_word = column_word(header) not in (None, "df") or fit_word(header) is not None
            if header and is_word and figures == len(filled) and not words.variable(header):
                return 0
            n = 1
            continue
        name = words.variable(header) or next(iter(words.variables_like(header)), None) if header else None
        coded = (
            name is not None
            and bool(filled)
            and statistic_word(header) is None
            and words.levels(name, sorted({c for c in filled if not is_total(c)})) is not None
        )
        if (
            (filled and (figures <= 0.25 * len(filled) or (coded and len(set(filled)) < max(2, len(filled)))))
            or (not filled and j == n and not header)
            or (not header and j == n and _goes_on_beside(grid, body, j) and figures < len(filled))
        ):
            n = j + 1
        else:
            break
    return n


def _goes_on_beside(grid: Grid, body: list[int], j: int) -> bool:
    """Whether a column holds the levels of variables that stand to its left once: codes beside texts."""
    bare = [i for i in body if not any(c.strip() for c in grid.rows[i].cells[:j])]
    return len(bare) > 1 and all(grid.rows[i].cells[j].strip() for i in bare)


def _columns(grid: Grid, header: list[int], n_stub: int) -> tuple[tuple[str, ...], ...]:
    """For each data column the texts above it, from the top down, with spanned ones carried to the right."""
    paths: list[list[str]] = [[] for _ in range(n_stub, grid.width)]
    for k, i in enumerate(header):
        held, until = "", -1
        cells = grid.rows[i].cells
        filled = [j for j in range(n_stub, grid.width) if cells[j].strip()]
        is_last = k == len(header) - 1
        is_merged = any(grid.span(i, j) > 1 for j in filled) or (bool(grid.spans) and grid.sheet is None)
        carry = not is_last and len(filled) < grid.width - n_stub and bool(filled)
        for j in range(n_stub, grid.width):
            text = cells[j].strip()
            if text:
                held = text
                span = grid.span(i, j)
                until = j + span - 1 if span > 1 else (grid.width if carry and not is_merged else j)
                if is_total(text):
                    until = j
            elif j > until:
                held = ""
            if held:
                paths[j - n_stub].append(held)
    return tuple(tuple(p) for p in paths)


def _names(grid: Grid, header: list[int], n_stub: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the header calls the stub columns, and the axes of the columns (pandas writes those into the stub)."""
    stubs = [""] * n_stub
    axes: list[str] = []
    for k, i in enumerate(header):
        cells = [grid.rows[i].cells[j].strip() for j in range(n_stub)]
        others = any(c.strip() for c in grid.rows[i].cells[n_stub:])
        is_last = k == len(header) - 1
        if is_last or not others:
            stubs = [c or s for c, s in zip(cells, stubs, strict=True)]
        if others and not is_last:
            axes.append(next((c for c in reversed(cells) if c), ""))
    if header and not any(c.strip() for c in grid.rows[header[-1]].cells[n_stub:]) and len(header) > 1:
        # The last header row names the stubs alone, so the one above it names an axis.
        pass
    elif len(header) > 1 and len(axes) == len(header) - 1:
        filled = [c.strip() for c in grid.rows[header[0]].cells[n_stub:] if c.strip()]
        if len(filled) == 1 and not axes[0]:
            axes[0] = filled[0]
    return tuple(stubs), tuple(axes)


def _body(grid: Grid, rows: list[int], n_stub: int, decimal: Decimal) -> tuple[Body, ...]:
    out: list[Body] = []
    held = [""] * n_stub
    heading: tuple[int, str] | None = None
    indents = [_indent(_unmarked(grid.rows[i].cells[0])) for i in rows] if n_stub == 1 else []
    for k, i in enumerate(rows):
        row = grid.rows[i]
        texts = tuple(c.strip() for c in row.cells[n_stub:])
        cells = tuple(parse_cell(c, decimal) for c in texts)
        stub = [c.strip() for c in row.cells[:n_stub]]
        if n_stub > 1:
            first = next((j for j, c in enumerate(stub) if c), n_stub)
            held = [held[j] if j < first else stub[j] for j in range(n_stub)]
            if any(c is not None for c in cells) or any(texts):
                out.append(Body(tuple(held), cells, texts, row.line))
            continue
        text = _unmarked(row.cells[0]).strip() if n_stub else ""
        indent = indents[k] if indents else 0
        empty = all(c is None or (c.is_reference and False) for c in cells) and not any(texts)
        follows = k + 1 < len(rows) and (indents[k + 1] > indent if indents else False)
        only_p = sum(c is not None for c in cells) == 1 and follows and len(cells) > 1
        if text and (empty or only_p):
            heading = (indent, text)
            out.append(Body((text,), cells, texts, row.line, indent, True))
            continue
        if (
            heading is not None
            and text
            and indent <= heading[0]
            and any(b.indent > heading[0] for b in out if len(b.path) > 1 and b.path[0] == heading[1])
        ):
            heading = None
        path = (heading[1], text) if heading is not None and text else (text,)
        out.append(Body(path, cells, texts, row.line, indent))
    return tuple(out)


def _unmarked(text: str) -> str:
    """A label with spaces for what sets it in: dashes, dots, entities of HTML."""
    spaced = text.replace("&nbsp;", "\xa0").replace("&emsp;", "\xa0\xa0")
    return re.sub(r"^(\s*)[-–•·*](\s{1,3})(?=\S)", r"\1  \2", spaced)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \xa0")) if text.strip() else 0
