"""Stata's descriptive tables: summaries, tabulate, tabstat, correlate, ttest, and what tabulate tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_estimates import correlate, estimated, ttest
from divulge.readers.handed_in.candidates.stata_lines import RULE, bar_rows, is_near, lines_above, numbers_in, table_of
from divulge.readers.handed_in.candidates.stata_summaries import arguments, chi_squared, detail, modern
from divulge.readers.handed_in.candidates.stata_survival import (
    declared_table,
    life_table,
    log_rank,
    summary_by,
    variance,
)
from divulge.readers.handed_in.candidates.stata_tests import hypotheses_tested, ranks
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_SUMMARY = ("n", "mean", "sd", "minimum", "maximum")


def read_at(block: Lines, i: int, command: str, session: Session) -> _Found:
    """The table that begins on a line, or None."""
    for read in _READERS:
        found = read(block, i, command, session)
        if found is not None:
            return found
    return None


def _summary(block: Lines, i: int, command: str, session: Session) -> _Found:
    if not re.match(r"^\s*Variable\s*\|\s*Obs\s+(?:Weight\s+)?Mean\s+Std\. [Dd]ev\.\s+Min\s+Max", block.texts[i]):
        return None
    weighted = "Weight" in block.texts[i]
    figures: list[Figure] = []
    group = None
    j = i + 1
    while j < len(block.texts):
        text = block.texts[j]
        if RULE.match(text):
            j += 1
            continue
        if "|" not in text:
            break
        label, _, rest = text.partition("|")
        label, texts = label.strip(), numbers_in(rest)
        if weighted and len(texts) == 6:
            texts = [texts[0], *texts[2:]]
        if not texts:
            group = label or None
        elif label:
            of = f"{group}: {label}" if group else label
            figures += [
                Figure(f"{of}: {w}", w, n, block.line(j), of)
                for w, t in zip(_SUMMARY, texts, strict=False)
                if (n := parse_number(t)) is not None
            ]
        j += 1
    empty = {f.of for f in figures if f.what == "n" and f.printed.value == 0}  # texts have no mean
    figures = [f for f in figures if f.of not in empty]
    names = tuple(dict.fromkeys(f.of for f in figures if f.of and ": " not in f.of))
    return table_of("means", (block.line(i), block.line(j - 1)), figures, command, names), j


def _tabulate_one(block: Lines, i: int, command: str, session: Session) -> _Found:
    match = re.match(r"^\s*(\S.*?)?\s*\|\s*Freq\.\s+Percent\s+Cum\.", block.texts[i])
    if match is None:
        return None
    named = arguments(command)
    told = next((t for t in reversed(block.texts[max(i - 3, 0) : i]) if t.startswith("-> tabulation of")), "")
    named = told.split()[3:4] or named
    above = block.texts[i - 1].partition("|")[0].strip() if i and "|" in block.texts[i - 1] else ""
    name = named[0] if named else " ".join(w for w in (above, match[1] or "") if w)
    figures: list[Figure] = []
    j = i + 1
    while j < len(block.texts) and ("|" in block.texts[j] or RULE.match(block.texts[j])):
        label, _, rest = block.texts[j].partition("|")
        texts = numbers_in(rest)
        shown = label.strip() if label.strip() not in ("", ".") else "Missing"
        for what, text in zip(("count", "percentage", "cumulative percentage"), texts, strict=False):
            number = parse_number(text)
            if number is not None:
                figures.append(Figure(f"{shown}: {what}", what, number, block.line(j), None, ((name, shown),)))
        j += 1
    return table_of("frequencies", (block.line(i), block.line(j - 1)), figures, command, (name,)), j


_CELLS = {
    "frequency": "count",
    "row percentage": "percentage",
    "column percentage": "percentage",
    "cell percentage": "percentage",
}


def _tabulate_two(block: Lines, i: int, command: str, session: Session) -> _Found:
    parts = block.texts[i].split("|")
    if len(parts) < 3 or (parts[-1].strip() not in ("Total", "Totals") and parts[-2].strip() != "Total"):
        return None
    if i + 1 >= len(block.texts) or not RULE.match(block.texts[i + 1]):
        return None
    named = arguments(command)
    above = block.texts[i - 1].partition("|") if i else ("", "", "")
    row = (
        named[0]
        if len(named) > 1
        else " ".join(w for w in (above[0].strip() if above[1] else "", parts[0].strip()) if w)
    )
    column = named[1] if len(named) > 1 else above[2].strip(" |") or "column0"
    heads = [*re.split(r"\s{2,}", parts[1].strip()), "Total"]
    whats = _legend(block, i)
    if whats == ["count"] and re.search(r"\bnof(?:req)?\b", command):
        whats = ["percentage"]
    figures: list[Figure] = []
    j, label, k = i + 2, "", 0
    while j < len(block.texts) and ("|" in block.texts[j] or RULE.match(block.texts[j])):
        text = block.texts[j]
        if not RULE.match(text):
            cells = text.split("|")
            if cells[0].strip():
                label, k = cells[0].strip(), 0
            texts = numbers_in(" ".join(cells[1:]))
            what = whats[k] if k < len(whats) else "percentage"
            k += 1
            if len(texts) == len(heads):
                for head, t in zip(heads, texts, strict=True):
                    number = parse_number(t)
                    if number is not None:
                        figures.append(
                            Figure(
                                f"{label} × {head}", what, number, block.line(j), None, ((row, label), (column, head))
                            )
                        )
        j += 1
    if not figures:
        return None
    return table_of("crosstab", (block.line(i - 1), block.line(j - 1)), figures, command, (row,), by=(column,)), j


def _legend(block: Lines, i: int) -> list[str]:
    """What the lines of a cell are, from the key that Stata draws above the table."""
    found = []
    for text in block.texts[max(i - 12, 0) : i]:
        bare = text.replace("*", " ").strip(" |")
        word = _CELLS.get(re.sub(r"\s+", " ", re.sub(r"[-+|]+$", "", bare)).strip())
        if word is not None:
            found.append(word)
    return found or ["count"]


def _tabstat(block: Lines, i: int, command: str, session: Session) -> _Found:
    match = re.match(r"^\s*(\S.*?)?\s*\|(.*)$", block.texts[i])
    if match is None or not (
        (i and is_near(block, i, "Summary for variables|Summary statistics")) or re.match(r"\s*tabstat", command)
    ):
        return None
    heads = match[2].replace("|", " ").split()
    words = [statistic_word(h) for h in heads]
    label = (match[1] or "").strip()
    by_match = re.search(r"by\((\w+)\)", command) or re.search(
        r"(?:Group|by categories of|by)\s+variable:?\s*(\w+)", lines_above(block, i)
    )
    names = arguments(command) or re.findall(
        r"\w+", (re.search(r"variables:\s*(.*)", lines_above(block, i)) or ["", ""])[1]
    )
    rows, j = bar_rows(block, i + 1)
    figures: list[Figure] = []
    if heads and all(words):
        figures = _statistics_across(
            block, rows, [w for w in words if w], by_match[1] if by_match else None, names, label
        )
    elif label in ("stats", "Stats"):
        figures = [
            Figure(f"{h}: {w}", w, n, line, h)
            for text, texts, line in rows
            if (w := statistic_word(text)) is not None
            for h, t in zip(heads, texts, strict=False)
            if (n := parse_number(t)) is not None
        ]
    elif by_match is not None:
        figures = _stacked(rows, heads, _stated(block, i, command), by_match[1])
    if not figures:
        return None
    by = (by_match[1],) if by_match else ()
    kind = kind_of({f.what for f in figures})
    shown = tuple(dict.fromkeys(f.of or "" for f in figures))
    return table_of(kind, (block.line(i), block.line(j - 1)), figures, command, shown, by), j


def _stated(block: Lines, i: int, command: str) -> list[str]:
    """The statistics of a table whose rows do not name them, from the line above it or from the command."""
    above = re.search(r"Summary statistics:\s*(.+)", lines_above(block, i))
    asked = re.search(r"\bs(?:tat(?:s|istics)?)?\(([^)]*)\)", command)
    listed = re.split(r"[,\s]+", above[1].strip()) if above else asked[1].split() if asked else ["mean"]
    return [statistic_word(w) or w for w in listed]


def _stacked(rows: list[tuple[str, list[str], int]], heads: list[str], words: list[str], by: str) -> list[Figure]:
    """Variables in columns, and for each group a row a statistic."""
    figures = []
    group, k = "", 0
    for text, texts, line in rows:
        group, k = (text, 0) if text else (group, k + 1)
        for head, shown in zip(heads, texts, strict=False):
            number = parse_number(shown)
            if number is not None and k < len(words):
                figures.append(Figure(f"{group}, {head}: {words[k]}", words[k], number, line, head, ((by, group),)))
    return figures


def _statistics_across(
    block: Lines, rows: list[tuple[str, list[str], int]], words: list[str], by: str | None, names: list[str], label: str
) -> list[Figure]:
    figures = []
    group, k = "", 0
    for text, texts, line in rows:
        at: tuple[tuple[str, str], ...] = ()
        if by is None:
            of = text
        else:
            if text:
                group, k = text, 0
            of = names[k] if k < len(names) else f"variable {k + 1}"
            at = ((by, group),)
            k += 1
        shown = ", ".join([*(t for _, t in at), of])
        for w, t in zip(words, texts, strict=False):
            number = parse_number(t)
            if number is not None:
                figures.append(Figure(f"{shown}: {w}", w, number, line, of, at))
    return figures


_READERS: tuple[Callable[[Lines, int, str, Session], _Found], ...] = (
    _summary,
    _tabulate_one,
    _tabulate_two,
    ttest,
    correlate,
    estimated,
    _tabstat,
    detail,
    chi_squared,
    declared_table,
    life_table,
    log_rank,
    summary_by,
    variance,
    modern,
    ranks,
    hypotheses_tested,
)
