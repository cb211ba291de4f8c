"""Summaries by dplyr's steps: what a column of the printed frame holds stands in the statement that made it."""

from __future__ import annotations

import itertools
import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.columns import aligned
from divulge.readers.handed_in.candidates.descriptives import LEFT
from divulge.readers.handed_in.candidates.expressions import as_expression, split_arguments
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_tibbles import tibbles, unnumbered
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statements import STEPS, note_r
from divulge.readers.handed_in.sheets import Grid, Lines

_STATISTICS = {
    "mean": "mean",
    "sd": "sd",
    "var": "variance",
    "median": "median",
    "min": "minimum",
    "max": "maximum",
    "sum": "sum",
    "IQR": "interquartile range",
}
_KINDS = {"mean": "means", "sd": "means", "variance": "means", "minimum": "extremes", "maximum": "extremes"}
_PIPE = re.compile(r"\s*(?:%>%|\|>)\s*")
_STEP = re.compile(r"^(?:\w+::)?([\w.]+)\((.*)\)$", re.DOTALL)
_FRAME = "piped.frame"


def rows_piped(command: str, session: Session) -> str | None:
    """The rows that the first steps of a pipe keep for what comes after them; columns that they make are noted."""
    first, *rest = _PIPE.split(re.sub(r"^\s*[\w.]+\s*(?:<-|=(?!=))\s*", "", command).strip())
    made = list(itertools.takewhile(lambda t: (m := _STEP.match(t.strip())) is not None and m[1] in STEPS, rest))
    if not made or len(made) == len(rest) or not re.fullmatch(r"[A-Za-z][\w.]*", first):
        return None
    note_r(" %>% ".join([f"{_FRAME} <- {first}", *made]), session)
    return session.frames.pop(_FRAME, None)


def piped_summary(
    block: Lines, start: int, end: int, command: str, session: Session
) -> tuple[Candidate, int, int] | None:
    """The frame that `d %>% filter() %>% group_by() %>% summarise()` or `count()` prints, and its lines."""
    first, *rest = _PIPE.split(command.strip())
    steps = [(m[1], split_arguments(m[2])) for text in rest if (m := _STEP.match(text.strip())) is not None]
    at = next((i for i, (name, _) in enumerate(steps) if name in ("summarise", "summarize", "count", "tally")), None)
    if at is None or len(steps) != len(rest) or not re.fullmatch(r"[A-Za-z][\w.]*", first):
        return None
    groups, columns = _columns(steps[: at + 1], session)
    found = next(tibbles(block, start, end), None) or _plain(block, start, end)
    if found is None or not columns:
        return None
    i, j, grid = found
    before = [text for text, (name, _) in zip(rest, steps[:at], strict=False) if name not in ("group_by", "ungroup")]
    note_r(" %>% ".join([f"{_FRAME} <- {first}", *before]), session)
    where = session.frames.pop(_FRAME, None)
    candidate = _read(grid, groups, columns, where)
    return None if candidate is None else (candidate, i, j)


def _columns(
    steps: list[tuple[str, list[str]]], session: Session
) -> tuple[list[str], dict[str, tuple[str, str | None]]]:
    """The variables that make the groups; and for each column of the frame its statistic, and of what."""
    groups = [a for name, given in steps[:-1] if name == "group_by" for a in given if re.fullmatch(r"[\w.]+", a)]
    name, given = steps[-1]
    if name in ("count", "tally"):
        plain = [a for a in given if re.fullmatch(r"[\w.]+", a)]
        return [*groups, *plain], {} if any(a.startswith("wt") for a in given) else {"n": ("count", None)}
    columns: dict[str, tuple[str, str | None]] = {}
    for part in given:
        named = re.match(r"^`?([\w. ]+?)`?\s*=(?!=)\s*(.+)$", part, re.DOTALL)
        if named is None:
            continue
        if named[1] in (".by", "by"):
            groups += [w for w in re.findall(r"[A-Za-z][\w.]*", named[2]) if w != "c"]
        elif (said := _statistic(named[1], named[2].strip(), session)) is not None:
            columns[named[1]] = said
    return groups, columns


def _statistic(column: str, call: str, session: Session) -> tuple[str, str | None] | None:
    """What `mean(wage, na.rm = TRUE)` gives; an expression in it becomes a variable of the column's name."""
    if re.fullmatch(r"(?:dplyr::)?n\(\)", call):
        return "count", None
    match = re.match(r"^(?:stats::)?(\w+)\((.*)\)$", call, re.DOTALL)
    given = split_arguments(match[2]) if match is not None else []
    if match is None or not given:
        return None
    what = _STATISTICS.get(match[1])
    if match[1] == "quantile" and len(given) > 1:
        level = re.match(r"^(?:probs\s*=\s*)?(0?\.\d+)$", given[1])
        what = f"percentile {float(level[1]) * 100:g}" if level is not None else None
    if what is None:
        return None
    if not re.fullmatch(r"[\w.]+", given[0]):
        if column in session.words.names:
            return None
        session.derived[column] = as_expression(given[0])
        return what, column
    return what, given[0]


def _plain(block: Lines, start: int, end: int) -> tuple[int, int, Grid] | None:
    """A printed frame: a line of names, then numbered rows."""
    for i in range(start, end - 1):
        rows = i + 1
        while rows < end and re.match(rf"^\s*{rows - i}\s", block.texts[rows]):
            rows += 1
        if rows > i + 1 and re.match(r"^\s*[A-Za-z]", block.texts[i]):
            texts = (block.texts[i], *(unnumbered(t) for t in block.texts[i + 1 : rows]))
            grid = aligned(
                Lines(texts, block.first, tuple(block.line(k) for k in range(i, rows))), 0, len(texts), is_frame=True
            )
            return None if grid is None else (i, rows, grid)
    return None


def _read(
    grid: Grid, groups: list[str], columns: dict[str, tuple[str, str | None]], where: str | None
) -> Candidate | None:
    heads = [c.strip() for c in grid.rows[0].cells]
    if not all(g in heads for g in groups) or not any(c in heads for c in columns):
        return None
    figures = []
    for row in grid.rows[1:]:
        cells = dict(zip(heads, (c.strip() for c in row.cells), strict=False))
        at = tuple((g, cells[g] if cells[g] not in ("", "NA") else "<NA>") for g in groups)
        label = " × ".join(t for _, t in at)
        for name, (what, of) in columns.items():
            number = parse_number(cells.get(name, ""))
            if number is not None:
                figures.append(Figure(f"{label}: {name}".removeprefix(": "), what, number, row.line, of, at))
    if not figures:
        return None
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    whats = [f.what for f in figures if f.what != "count"]
    unknown = {h for h in heads if h} - set(groups) - set(columns)
    facts = {LEFT: "some"} if unknown else {}
    lines = (grid.rows[0].line, grid.rows[-1].line)
    if not whats:
        return Candidate(
            "cells",
            "crosstab",
            lines,
            tuple(figures),
            variables=tuple(groups[:1]),
            by=tuple(groups[1:]),
            where=where,
            facts=facts,
        )
    kind = "position" if any(w == "median" or w.startswith("percentile") for w in whats) else _KINDS.get(whats[0])
    return Candidate(
        "cells",
        kind or ("totals" if whats[0] == "sum" else "position"),
        lines,
        tuple(figures),
        variables=shown,
        by=tuple(groups),
        where=where,
        facts=facts,
    )
