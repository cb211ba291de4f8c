"""Table 1: different variables below one another, each as mean (SD), median [IQR] or n (%), by groups side by side."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import CellFigures, parse_number
from divulge.readers.handed_in.candidates.statistic_names import column_word, statistic_word
from divulge.readers.handed_in.candidates.structure import Body, Structure
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary

_FORM = re.compile(
    r"(?:[,;:]\s*|\s+[-–—]?\s*\(?|\(|^)(mean\s*[(±]\s*s\.?d\.?\)?|median\s*[\[(](?:iqr|q1[^\])]*|p25[^\])]*|range|min[^\])]*)[\])]"
    r"|n\s*\(%\)|no\.\s*\(%\)|mean|median|%|n)\s*\)?\s*$",
    re.I,
)
_MISSING = re.compile(
    r"^(?:missing|unknown|none|nan|<na>|n-miss|n missing|fehlend|not (?:known|stated)|\(missing\))$", re.I
)


_EXPLAINED = re.compile(
    r"mean\s*\(\s*SD|means? \((?:and )?standard deviations?\)|median\s*[\[(]\s*IQR|n\s*\(%\)"
    r"|Mittelwerte?\s*\((?:SD|Standardabweichung)|moyennes?\s*\((?:ET|[ée]cart)",
    re.I,
)
"""What the cells of a table show, as its title or a note says it."""


def is_table_one(table: Structure, words: Vocabulary) -> bool:
    """Whether the rows are different variables."""
    rows = table.body
    said = " ".join([*table.grid.before, *table.grid.after])
    formed = sum(any((_FORM.search(p) and "(" in p) or "[" in p for p in b.path) for b in rows)
    paired = sum(any(c is not None and c.inner for c in b.cells) for b in rows if not b.is_heading)
    headings = [b.path[-1] for b in rows if b.is_heading]
    named = len({n for b in rows if (n := _named(b.path[0], words)) is not None})
    if paired == 0:
        return False
    spread = any(c is not None and len(c.inner) == 2 for b in rows for c in b.cells)
    shared = any(c is not None and any(n.is_percent for n in c.inner) for b in rows for c in b.cells)
    explained = bool(_EXPLAINED.search(said))
    return (
        formed >= 2
        or (explained and (len(headings) >= 1 or named >= 2))
        or (named >= 3 and paired >= 2)
        or (len(headings) >= 2 and paired >= 3)
        or (spread and shared and named >= 2)
    )


def _named(text: str, words: Vocabulary) -> str | None:
    bare = _FORM.sub("", text)
    return words.variable(bare) or next(iter(words.variables_like(bare)), None)


def read(table: Structure, words: Vocabulary) -> Candidate:
    """The figures of a table 1: `of` is the variable as the file calls it, `at` its level and the column's group."""
    figures: list[Figure] = []
    variables: list[str] = []
    last, left = "", ""
    for body in table.body:
        body = replace(body, path=tuple(p for p in body.path if p) or body.path[:1])
        text = body.path[-1]
        heading = body.path[0] if len(body.path) > 1 and body.path[0] != left and _is_under(body, words) else None
        if len(body.path) > 1 and heading is None and not _MISSING.match(text):
            left = body.path[0]  # what follows a row of its own belongs to the heading no more
        plain = _FORM.sub("", text).strip(" ,;:") or text
        form = _form_of(text) or (_form_of(heading) if heading else None)
        is_missing = bool(_MISSING.match(plain))
        if heading is not None and (part := _statistic_of(text)) is not None:
            # A row of its own for each statistic of the variable above.
            name, level, form = _FORM.sub("", heading).strip(" ,;:"), None, part
            variables.append(name)
            last = name
            for j, cell in enumerate(body.cells):
                figures += _cell(table, body, j, cell, name, level, form) if cell is not None else []
            continue
        name = _FORM.sub("", heading).strip(" ,;:") if heading else (last if is_missing and last else plain)
        level = None if is_missing else plain if heading is not None else None
        if statistic_word(plain) == "n" and heading is None and not is_missing:
            name, level, form = "", None, "n"
        elif name and not is_missing:
            variables.append(name)
            last = name
        for j, cell in enumerate(body.cells):
            if cell is not None:
                figures += _cell(table, body, j, cell, name, level, "missing" if is_missing else form)
    figures += _sizes(table)
    groups = [" ".join(c) for c in table.columns if c and column_word(c[-1]) != "p-value"]
    by = table.axes[0] if table.axes and table.axes[0] else ""
    return Candidate(
        "cells",
        "other",
        table.lines,
        tuple(figures),
        variables=tuple(dict.fromkeys(v for v in variables if v)),
        by=(by,) if by else ("column0",) if len(groups) > 1 else (),
        statistic="table 1",
    )


def _is_under(body: Body, words: Vocabulary) -> bool:
    """Whether a row belongs to the heading above it: indented, or a value of the heading's variable."""
    name = _named(body.path[0], words)
    text = body.path[-1]
    if _MISSING.match(text):
        return False
    if body.indent > 0:
        return True
    if name is None or not words.texts(name):
        return words.variable(text) is None and not any(c is not None and len(c.inner) == 2 for c in body.cells)
    return words.level(name, text) is not None


_STATISTICS = (
    (r"mean\s*[(±].*|mean", "mean"),
    (r"median\s*[\[(]\s*(?:min|range).*", "median of all"),
    (r"median\s*[\[(].*|median", "median"),
    (r"(?:min(?:imum)?\s*[-–,/]\s*max(?:imum)?|range)(?:\s*\(.*\))?", "range"),
    (r"q1,\s*q3|iqr|first quartile.*", "quartiles"),
)


def _statistic_of(text: str) -> str | None:
    """The statistics that a row shows of the variable above it, where it says nothing else."""
    return next((form for pattern, form in _STATISTICS if re.fullmatch(pattern, text.strip(), re.I)), None)


def _form_of(text: str | None) -> str | None:
    match = _FORM.search(text or "")
    if match is None:
        return None
    said = match[1].casefold()
    return "mean" if said.startswith("mean") else "median" if said.startswith("median") else "share"


def _sizes(table: Structure) -> list[Figure]:
    """`N = 200` in the header of a column."""
    out = []
    for path in table.columns:
        match = re.search(r"\b[Nn]\s*=\s*([\d,. ]+)", " ".join(path))
        if match is not None:
            from_text = parse_number(match[1].strip(" ,."))
            if from_text is not None:
                group = _group(path)
                out.append(
                    Figure(
                        f"N, {group}" if group else "N",
                        "n",
                        from_text,
                        table.lines[0],
                        None,
                        (("column0", group),) if group else (),
                    )
                )
    return out


def _group(path: tuple[str, ...]) -> str:
    """The group that a column is of: its header without the number of people in it."""
    text = re.sub(r"[,;]?\s*\(?\s*[Nn]\s*=\s*[\d,. ]+\)?", "", path[-1] if path else "").strip(" *")
    return "" if re.fullmatch(r"(?:overall|total|all|value|n \(%\)|)", text, re.I) else text


def _cell(
    table: Structure, body: Body, j: int, cell: CellFigures, name: str, level: str | None, form: str | None
) -> list[Figure]:
    path = table.columns[j]
    label = ", ".join(p for p in (name, level) if p)
    if path and column_word(path[-1]) == "p-value":
        return [Figure(f"{label}: p-value", "p-value", cell.main, body.line, name)] if cell.main is not None else []
    group = _group(path)
    if re.match(r"^SMD\b", group):
        return (
            [Figure(f"{label}: difference", "standardised difference", cell.main, body.line, name)] if cell.main else []
        )
    if _MISSING.match(group):
        group, form = "", "missing"
    at = (*(((name, level),) if level else ()), *((("column0", group),) if group else ()))
    shown = f"{label}, {group}" if group else label
    whats = _whats(cell, form, level is not None)
    numbers = [*([cell.main] if cell.main is not None else []), *cell.inner]
    return [
        Figure(f"{shown}: {what}", what, number, body.line, name or None, at)
        for what, number in zip(whats, numbers, strict=False)
    ]


def _whats(cell: CellFigures, form: str | None, is_level: bool) -> tuple[str, ...]:
    if form == "missing":
        return ("missing", "missing percentage")
    if form == "n":
        return ("n", "percentage")
    if form in ("range", "quartiles"):
        return ("minimum", "maximum") if form == "range" else ("first quartile", "third quartile")
    if form == "median of all":
        return ("median", "minimum", "maximum")
    percent = any(n.is_percent for n in cell.inner)
    if len(cell.inner) == 2 and not percent:
        return ("mean", "lower 95%", "upper 95%") if form == "mean" else ("median", "first quartile", "third quartile")
    if is_level or percent or form == "share":
        if cell.main is not None and cell.main.is_percent:
            return ("percentage",)
        return ("count", "percentage")
    if form == "median":
        return ("median", "interquartile range")
    return ("mean", "sd")
