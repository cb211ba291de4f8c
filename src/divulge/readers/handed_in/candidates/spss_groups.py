"""Statistics of one variable, alone or by groups, as EXAMINE and ONEWAY of SPSS and PSPP lay them out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Grid

_BOUNDS = {
    "Lower Bound": "lower 95% of the mean",
    "Upper Bound": "upper 95% of the mean",
    "5% Trimmed Mean": "trimmed mean",
    "Std. Error": "standard error",
    "Std. Error Mean": "standard error",
}


def descriptives(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Statistics in rows (EXAMINE) or in columns (ONEWAY); stubs hold the variable, then the group."""
    # Codes of groups are numbers too: figures begin below the first header that is a statistic.
    named = (
        j for row in grid.rows[:4] for j, c in enumerate(row.cells) if j and (c.strip() == "Statistic" or _word(c))
    )
    start = next(named, 1)
    first = next((i for i, row in enumerate(grid.rows) if any(j >= start for j in _numbers(row.cells))), None)
    if first is None:
        return
    n_stub = min(j for row in grid.rows[first:] for j in _numbers(row.cells) if j >= start)
    heads = [" ".join(t for i in range(first) if (t := grid.rows[i].cells[j].strip())) for j in range(grid.width)]
    by = next((h for h in heads[1:n_stub] if h and _word(h) is None), None) or heads[0]
    in_rows = any(h == "Statistic" for h in heads[n_stub:])
    figures: list[Figure] = []
    held = [""] * n_stub
    whole = _whole_names(grid, first, n_stub) if not in_rows else {}
    for i, row in enumerate(grid.rows[first:], first):
        stub = [c.strip() for c in row.cells[:n_stub]]
        start = next((j for j, c in enumerate(stub) if c), n_stub)
        held = [held[j] if j < start else stub[j] for j in range(n_stub)]
        held[0] = whole.get(i, held[0])
        texts = [t for t in held if t]
        for j in range(n_stub, grid.width):
            number = parse_number(row.cells[j])
            if number is None or not texts:
                continue
            what = _row_word(texts, heads[j]) if in_rows else _word(heads[j].rsplit("  ", 1)[-1])
            names = [t for t in texts if _word(t) is None and "Confidence Interval" not in t]
            if what is None or not names:
                continue
            at = ((by or "row0", names[1]),) if len(names) > 1 else ()
            label = ", ".join(names[:2])
            figures.append(Figure(f"{label}: {what}", what, number, row.line, names[0], at))
    lines = (grid.rows[0].line, grid.rows[-1].line)
    if figures:
        shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
        groups = tuple(dict.fromkeys(k for f in figures for k, _ in f.at))
        yield Candidate("cells", kind_of({f.what for f in figures}), lines, tuple(figures), variables=shown, by=groups)


def statistics(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """The statistics above frequencies: variables in columns; N, mean and percentiles in rows."""
    first = next((i for i, row in enumerate(grid.rows) if _numbers(row.cells)), None)
    if not first:
        return
    n_stub = min(j for row in grid.rows[first:] for j in _numbers(row.cells))
    heads = [" ".join(t for i in range(first) if (t := grid.rows[i].cells[j].strip())) for j in range(grid.width)]
    figures: list[Figure] = []
    above = ""
    for row in grid.rows[first:]:
        stub = [c.strip() for c in row.cells[:n_stub] if c.strip()]
        stub = re.split(r"\s{2,}|(?<=^N)\s+|(?<=^Percentiles)\s+", " ".join(stub)) if len(stub) == 1 else stub
        above = stub[0] if len(stub) > 1 or (stub and stub[0] in ("N", "Percentiles")) else above
        last = stub[-1] if stub else ""
        what = {"Valid": "n", "Missing": "missing"}.get(last) or statistic_word(
            f"{last}%" if above == "Percentiles" and re.fullmatch(r"[\d.]+", last) else last
        )
        for j in range(n_stub, grid.width):
            number = parse_number(row.cells[j])
            if what is not None and number is not None and heads[j]:
                figures.append(Figure(f"{heads[j]}: {what}", what, number, row.line, heads[j]))
    if figures:
        shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
        lines = (grid.rows[0].line, grid.rows[-1].line)
        yield Candidate("cells", kind_of({f.what for f in figures}), lines, tuple(figures), variables=shown)


def _whole_names(grid: Grid, first: int, n_stub: int) -> dict[int, str]:
    """The variable of each row, where a long label goes on beside the rows of its groups."""
    if n_stub < 2:
        return {}
    names: list[tuple[str, list[int], set[str]]] = []
    for i in range(first, len(grid.rows)):
        text, group = (grid.rows[i].cells[j].strip() for j in (0, 1))
        if not names or (text and (not group or group in names[-1][2])):
            names.append((text, [i], {group}))
            continue
        name, rows, groups = names[-1]
        names[-1] = (f"{name} {text}".strip(), [*rows, i], groups | {group})
    return {i: name for name, rows, _ in names for i in rows}


def percentiles(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """EXAMINE: percentiles in columns; stubs hold the variable, the group and how they were computed."""
    first = next((i for i, r in enumerate(grid.rows) if any("Weighted Average" in c for c in r.cells)), None)
    if not first:
        return
    heads = [c.strip() for c in grid.rows[first - 1].cells]
    shown = [j for j, h in enumerate(heads) if re.fullmatch(r"\d+(?:\.\d+)?", h)]
    if not shown:
        return
    by = next((h for row in grid.rows[:first] for h in row.cells[: shown[0]] if h.strip()), "").strip() or "row0"
    held = [""] * shown[0]
    figures: list[Figure] = []
    for row in grid.rows[first:]:
        stub = [c.strip() for c in row.cells[: shown[0]]]
        start = next((j for j, c in enumerate(stub) if c), len(stub))
        held = [held[j] if j < start else stub[j] for j in range(len(stub))]
        texts = [t for t in re.split(r"\s{2,}|\s(?=Weighted Average|Tukey)", "  ".join(t for t in held if t)) if t]
        is_hinge = texts[-1:] == ["Tukey's Hinges"]
        at = ((by, texts[1]),) if len(texts) > 2 else ()
        for j in shown:
            number = parse_number(row.cells[j])
            if number is not None and texts:
                what = "hinge" if is_hinge else statistic_word(f"{heads[j]}%") or "percentile"
                label = ", ".join(texts[:-1])
                figures.append(Figure(f"{label}: {what} {heads[j]}", what, number, row.line, texts[0], at))
    names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    groups = tuple(dict.fromkeys(k for f in figures for k, _ in f.at))
    lines = (grid.rows[0].line, grid.rows[-1].line)
    yield Candidate("cells", "position", lines, tuple(figures), variables=names, by=groups)


def correlations(grid: Grid) -> Iterator[Candidate]:
    """CORRELATIONS of one variable WITH another: below one another the correlation, its p-value and N."""
    words = {"Pearson Correlation": "correlation", "Sig. (2-tailed)": "p-value", "N": "n"}
    heads = [c.strip() for c in grid.rows[0].cells]
    figures: list[Figure] = []
    of = ""
    for row in grid.rows[1:]:
        stub = [c.strip() for c in row.cells if c.strip() and parse_number(c) is None]
        what = words.get(stub[-1]) if stub else None
        of = stub[0] if len(stub) > 1 else of
        for head, text in zip(heads, row.cells, strict=True):
            number = parse_number(text)
            if number is not None and what is not None and of and head:
                label = f"{of} × {head}" + ("" if what == "correlation" else f": {what}")
                figures.append(Figure(label, what, number, row.line, of, (("column", head),)))
    if figures:
        names = tuple(dict.fromkeys([f.of or "" for f in figures] + [t for f in figures for _, t in f.at]))
        lines = (grid.rows[0].line, grid.rows[-1].line)
        yield Candidate("correlation", "correlation", lines, tuple(figures), variables=names)


def listed(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """LIST: rows of data, which are no output."""
    return iter(())


def ranks(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Ranks, rank tests and analyses of variance by groups: read and named, no kind of output yet."""
    figures = [
        Figure(row.cells[0].strip(), "other", number, row.line)
        for row in grid.rows
        for c in row.cells[1:]
        if (number := parse_number(c)) is not None
    ]
    lines = (grid.rows[0].line, grid.rows[-1].line)
    texts = [c.strip() for row in grid.rows for c in row.cells if c.strip()]
    found = list(dict.fromkeys(n for t in texts if (n := session.vocabulary.variable(t)) is not None))
    pairs = [p.split("|") for p in session.objects.get("spss groups", "").split(";") if p]
    of = found[0] if found else None
    by = next((p[1] for p in pairs if of is not None and session.vocabulary.variable(p[0]) == of), None)
    variables, groups = (of,) if of else (), (by,) if by else ()
    yield Candidate("other", "other", lines, tuple(figures), variables=variables, by=groups, statistic=title)


def _numbers(cells: tuple[str, ...]) -> list[int]:
    return [j for j, c in enumerate(cells) if j > 0 and parse_number(c) is not None]


def _word(text: str) -> str | None:
    return _BOUNDS.get(text) or next((w for t, w in _BOUNDS.items() if text.endswith(t)), None) or statistic_word(text)


def _row_word(texts: list[str], head: str) -> str | None:
    word = _word(texts[-1])
    if head == "Statistic" or word is None:
        return word
    return "standard error" if word == "mean" else f"standard error of {word}"


def means_side_by_side(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """MEANS of several variables: a column each, and Mean, N and Std. Deviation below one another in each group."""
    heads = [c.strip() for c in grid.rows[0].cells]
    first = next((j for j, c in enumerate(grid.rows[1].cells) if parse_number(c) is not None), len(heads))
    by, group = heads[0], ""
    figures: list[Figure] = []
    for row in grid.rows[1:]:
        stub = [c.strip() for c in row.cells[:first] if c.strip()]
        # The last text says what the row shows; a group before it may be called M or N.
        what = _word(stub[-1]) if stub else None
        group = stub[-2] if len(stub) > 1 else group
        for j in range(first, grid.width):
            number = parse_number(row.cells[j])
            if number is not None and what is not None and group:
                figures.append(Figure(f"{heads[j]}, {group}: {what}", what, number, row.line, heads[j], ((by, group),)))
    if figures:
        lines = (grid.rows[0].line, grid.rows[-1].line)
        shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
        yield Candidate("cells", kind_of({f.what for f in figures}), lines, tuple(figures), variables=shown, by=(by,))
