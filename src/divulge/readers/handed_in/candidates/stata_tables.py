"""Stata's descriptive tables: summaries, tabulate, tabstat, correlate, ttest, and what tabulate tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_models import _restricted
from divulge.readers.handed_in.candidates.stata_summaries import arguments, chi_squared, detail, modern
from divulge.readers.handed_in.candidates.stata_survival import life_table, log_rank, summary_by, variance
from divulge.readers.handed_in.candidates.words import statistic_word
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_RULE = re.compile(r"^[\s\-+|]*-{3,}[\s\-+|]*$")
_SUMMARY = ("n", "mean", "sd", "minimum", "maximum")


def read_at(block: Lines, i: int, command: str, session: Session) -> _Found:
    """The table that begins on a line, or None."""
    for read in _READERS:
        found = read(block, i, command, session)
        if found is not None:
            return found
    return None


def _candidate(
    kind: str,
    lines: tuple[int, int],
    figures: list[Figure],
    command: str,
    variables: tuple[str, ...],
    by: tuple[str, ...] = (),
) -> list[Candidate]:
    weights, where = _restricted(command)
    return [
        Candidate(
            "cells",
            kind,
            lines,
            tuple(figures),
            variables=variables,
            by=by,
            where=where,
            weights=weights,
            command=command or None,
        )
    ]


def _numbers(text: str) -> list[str]:
    return re.findall(r"(?<![\w.])-?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]\d+)?(?![\w])|(?<=\s)\.(?=\s|$)", text)


def _summary(block: Lines, i: int, command: str, session: Session) -> _Found:
    if not re.match(r"^\s*Variable\s*\|\s*Obs\s+(?:Weight\s+)?Mean\s+Std\. [Dd]ev\.\s+Min\s+Max", block.texts[i]):
        return None
    weighted = "Weight" in block.texts[i]
    figures: list[Figure] = []
    group = None
    j = i + 1
    while j < len(block.texts):
        text = block.texts[j]
        if _RULE.match(text):
            j += 1
            continue
        if "|" not in text:
            break
        label, _, rest = text.partition("|")
        label, texts = label.strip(), _numbers(rest)
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
    return _candidate("means", (block.line(i), block.line(j - 1)), figures, command, names), j


def _tabulate_one(block: Lines, i: int, command: str, session: Session) -> _Found:
    match = re.match(r"^\s*(\S.*?)?\s*\|\s*Freq\.\s+Percent\s+Cum\.", block.texts[i])
    if match is None:
        return None
    named = arguments(command)
    above = block.texts[i - 1].partition("|")[0].strip() if i and "|" in block.texts[i - 1] else ""
    name = named[0] if named else " ".join(w for w in (above, match[1] or "") if w)
    figures: list[Figure] = []
    j = i + 1
    while j < len(block.texts) and ("|" in block.texts[j] or _RULE.match(block.texts[j])):
        label, _, rest = block.texts[j].partition("|")
        texts = _numbers(rest)
        shown = label.strip() if label.strip() not in ("", ".") else "Missing"
        for what, text in zip(("count", "percentage", "cumulative percentage"), texts, strict=False):
            number = parse_number(text)
            if number is not None:
                figures.append(Figure(f"{shown}: {what}", what, number, block.line(j), None, ((name, shown),)))
        j += 1
    return _candidate("frequencies", (block.line(i), block.line(j - 1)), figures, command, (name,)), j


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
    if i + 1 >= len(block.texts) or not _RULE.match(block.texts[i + 1]):
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
    figures: list[Figure] = []
    j, label, k = i + 2, "", 0
    while j < len(block.texts) and ("|" in block.texts[j] or _RULE.match(block.texts[j])):
        text = block.texts[j]
        if not _RULE.match(text):
            cells = text.split("|")
            if cells[0].strip():
                label, k = cells[0].strip(), 0
            texts = _numbers(" ".join(cells[1:]))
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
    return _candidate("crosstab", (block.line(i - 1), block.line(j - 1)), figures, command, (row,), by=(column,)), j


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
        (i and _near(block, i, "Summary for variables|Summary statistics")) or re.match(r"\s*tabstat", command)
    ):
        return None
    heads = match[2].replace("|", " ").split()
    words = [statistic_word(h) for h in heads]
    label = (match[1] or "").strip()
    by_match = re.search(r"by\((\w+)\)", command) or re.search(
        r"(?:Group|by categories of|by)\s+variable:?\s*(\w+)", _joined(block, i)
    )
    names = arguments(command) or re.findall(
        r"\w+", (re.search(r"variables:\s*(.*)", _joined(block, i)) or ["", ""])[1]
    )
    rows, j = _bar_rows(block, i + 1)
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
    return _candidate(kind, (block.line(i), block.line(j - 1)), figures, command, shown, by), j


def _stated(block: Lines, i: int, command: str) -> list[str]:
    """The statistics of a table whose rows do not name them, from the line above it or from the command."""
    above = re.search(r"Summary statistics:\s*(.+)", _joined(block, i))
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


def _bar_rows(block: Lines, i: int) -> tuple[list[tuple[str, list[str], int]], int]:
    rows = []
    while i < len(block.texts) and ("|" in block.texts[i] or _RULE.match(block.texts[i])):
        if not _RULE.match(block.texts[i]):
            label, _, rest = block.texts[i].partition("|")
            texts = _numbers(rest.replace("|", " "))
            if texts:
                rows.append((label.strip(), texts, block.line(i)))
        i += 1
    return rows, i


def _joined(block: Lines, i: int) -> str:
    return "\n".join(block.texts[max(i - 6, 0) : i])


def _near(block: Lines, i: int, pattern: str) -> bool:
    return re.search(pattern, _joined(block, i)) is not None


def _correlate(block: Lines, i: int, command: str, session: Session) -> _Found:
    match = re.match(r"^\s*\|((?:\s+[A-Za-z_~][\w~.]*)+)\s*$", block.texts[i])
    if match is None or i + 1 >= len(block.texts) or not _RULE.match(block.texts[i + 1]):
        return None
    if not (re.match(r"\s*(?:corr|pwcorr|spearman)", command) or _near(block, i, r"\(obs=[\d,]+\)")):
        return None
    heads = match[1].split()
    figures: list[Figure] = []
    names = []
    j, name, k = i + 2, "", 0
    while j < len(block.texts) and ("|" in block.texts[j] or _RULE.match(block.texts[j])):
        label, _, rest = block.texts[j].partition("|")
        if label.strip():
            name, k = label.strip(), 0
            names.append(name)
        what = ("correlation", "p-value", "n")[min(k, 2)]
        k += 1
        for head, text in zip(heads, _numbers(rest), strict=False):
            number = parse_number(text)
            if number is not None:
                figures.append(Figure(f"{name} × {head}", what, number, block.line(j), name, (("column", head),)))
        j += 1
    if not figures:
        return None
    weights, where = _restricted(command)
    lines = (block.line(i), block.line(j - 1))
    return [
        Candidate(
            "correlation", "correlation", lines, tuple(figures), variables=tuple(names), where=where, weights=weights
        )
    ], j


def _ttest(block: Lines, i: int, command: str, session: Session) -> _Found:
    if not re.match(r"^\s*(?:Group|Variable)\s*\|\s*Obs\s+Mean\s+Std\. [Ee]rr\.\s+Std\. [Dd]ev\.", block.texts[i]):
        return None
    words = ("n", "mean", "standard error", "sd", "lower 95%", "upper 95%")
    rows, j = _bar_rows(block, i + 1)
    match = re.match(r"\s*ttest\s+(\w+).*by\((\w+)\)", command)
    figures = []
    for label, texts, line in rows:
        named = (
            words if len(texts) == 6 else ("mean difference", "standard error of difference", "lower 95%", "upper 95%")
        )
        pooled = label.casefold() in ("combined", "diff", "difference")
        at = () if pooled else ((match[2] if match else "row0", label),)
        figures += [
            Figure(f"{label}: {w}", w, n, line, None, at)
            for w, t in zip(named, texts, strict=False)
            if (n := parse_number(t)) is not None
        ]
    for k in range(j, min(j + 8, len(block.texts))):
        for pattern, what in (
            (r"\bt =\s*(-?[\d.]+)", "t"),
            (r"degrees of freedom =\s*([\d.]+)", "df"),
            (r"Pr\(\|T\| > \|t\|\) =\s*([\d.]+)", "p-value"),
        ):
            found = re.search(pattern, block.texts[k])
            number = parse_number(found[1]) if found else None
            if number is not None:
                figures.append(Figure(what, what, number, block.line(k)))
                j = k + 1
    weights, where = _restricted(command)
    equal = "unequal" not in _joined(block, i)
    candidate = Candidate(
        "test",
        "t-test",
        (block.line(i), block.line(j - 1)),
        tuple(figures),
        variables=(match[1],) if match else (),
        by=(match[2],) if match else (),
        where=where,
        weights=weights,
        statistic="t-test, equal variances" if equal else "Welch t-test",
    )
    return [candidate], j


_READERS: tuple[Callable[[Lines, int, str, Session], _Found], ...] = (
    _summary,
    _tabulate_one,
    _tabulate_two,
    _ttest,
    _correlate,
    _tabstat,
    detail,
    chi_squared,
    life_table,
    log_rank,
    summary_by,
    variance,
    modern,
)
