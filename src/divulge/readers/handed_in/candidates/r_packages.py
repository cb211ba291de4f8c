"""What packages of R print: crosstabs between bars (gmodels), statistics by groups (psych), weighted means (survey)."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_tables import survey_weights, variables_in
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_CONTENTS = {"N": "count", "Count": "count", "Expected N": "expected", "Expected Values": "expected"}


def cross_table(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """CrossTable(): a key of what the lines of a cell are, then cells between bars."""
    if not re.match(r"^\s*Cell Contents\s*$", block.texts[i]):
        return None
    key = [
        m[1].strip() for k in range(i + 1, min(i + 10, end)) if (m := re.match(r"^\|\s+(\S.*?)\s*\|$", block.texts[k]))
    ]
    whats = [_CONTENTS.get(t) or ("percentage" if "/" in t or "Percent" in t else "contribution") for t in key]
    head = next((k for k in range(i, min(i + 25, end)) if re.search(r"\|\s*Row Total\s*\|", block.texts[k])), None)
    if head is None or not whats:
        return None
    names = variables_in(command, session)
    parts = [p.strip() for p in block.texts[head].split("|")]
    row = names[0] if names else re.sub(r"^.*\$", "", parts[0]) or "row0"
    above = re.sub(r"^.*\$", "", block.texts[head - 1].partition("|")[2].strip(" |"))
    column = names[1] if len(names) > 1 else above or "column0"
    heads = ["Total" if h == "Row Total" else h for h in parts[1:]]
    heads = heads[:-1] if heads and not heads[-1] else heads
    figures: list[Figure] = []
    label, line_of, last = "", 0, head
    for k in range(head + 1, end):
        text = block.texts[k]
        if re.match(r"^\s*[-|]+\s*$", text) and "-" in text:
            label, line_of = "", 0
            continue
        if "|" not in text:
            break
        cells = [c.strip() for c in text.split("|")]
        if line_of == 0 or cells[0]:
            label, line_of = "Total" if cells[0] in ("Column Total", "Total") else cells[0], 0
        what = whats[line_of] if line_of < len(whats) else "percentage"
        for place, (name, shown) in enumerate(zip(heads, cells[1:], strict=False)):
            number = parse_number(shown)
            if number is not None:
                is_edge = place == len(heads) - 1 or label == "Total"
                at: tuple[tuple[str, str], ...] = ((row, label), (column, name))
                word = "percentage" if is_edge and line_of else what
                if word == "percentage" and is_edge:
                    at = tuple(a for a in at if a[1] != "Total")  # of everybody, whatever the others are of
                figures.append(Figure(f"{label} × {name}", word, number, block.line(k), None, at))
        line_of += 1
        last = k
    if not figures:
        return None
    lines = (block.line(i), block.line(last))
    return [Candidate("cells", "crosstab", lines, tuple(figures), variables=(row,), by=(column,))], last + 1


def described_by(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """describeBy(): the statistics of every group below its name."""
    if not re.match(r"^\s*Descriptive statistics by group", block.texts[i]):
        return None
    names = variables_in(command, session)
    figures: list[Figure] = []
    group, heads, last = "", [], i
    for k in range(i + 1, end):
        text = block.texts[k]
        named = re.match(r"^(?:group|[\w.]+): (.+?)\s*$", text)
        words = text.split()
        if named is not None:
            group = named[1]
        elif words and words[0] == "vars":
            heads = words
        elif heads and re.match(r"^-{5,}", text):
            heads = []
        elif heads and len(words) == len(heads) + 1 and len(names) > 1:
            of = names[0] if words[0] in ("X1", "1") else words[0]
            for name, shown in zip(heads, words[1:], strict=True):
                what, number = statistic_word(name), parse_number(shown)
                if what not in (None, "place") and number is not None:
                    at = ((names[-1], group),)
                    figures.append(Figure(f"{group}, {of}: {what}", str(what), number, block.line(k), of, at))
            last = k
    if not figures:
        return None
    shown_names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    lines = (block.line(i), block.line(last))
    return [Candidate("cells", "position", lines, tuple(figures), variables=shown_names, by=(names[-1],))], last + 1


def survey_mean(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """svymean() and svytotal(): an estimate and its standard error a row."""
    head = re.match(r"^\s+(mean|total)\s+SE\s*$", block.texts[i])
    if head is None:
        return None
    what = "mean" if head[1] == "mean" else "sum"
    figures = []
    j = i + 1
    while j < end and (row := split_row(block.texts[j], 2)) is not None and row[0]:
        figures += [
            Figure(f"{row[0]}: {word}", word, number, block.line(j), row[0])
            for word, text in zip((what, "standard error"), row[1], strict=True)
            if (number := parse_number(text)) is not None
        ]
        j += 1
    names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    return [
        Candidate(
            "cells",
            "means" if what == "mean" else "totals",
            (block.line(i), block.line(j - 1)),
            tuple(figures),
            variables=names,
            weights=survey_weights(session),
            errors="design-based",
        )
    ], j
