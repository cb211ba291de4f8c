"""Stata's estimates and tests of means, and its correlations: mean, proportion, total, ttest, correlate, pwcorr."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_lines import RULE, bar_rows, is_near, lines_above, numbers_in, table_of
from divulge.readers.handed_in.candidates.stata_models import restricted
from divulge.readers.handed_in.candidates.stata_summaries import arguments
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None


def estimated(block: Lines, i: int, command: str, session: Session) -> _Found:
    """`mean x, over(g)`, `proportion g` and `total x`: an estimate with its error and interval a row."""
    head = re.match(
        r"^\s*(\S.*?)?\s*\|\s*(Mean|Proportion|Total|Ratio)\s+(?:Std\. [Ee]rr\.|std\. err\.)", block.texts[i]
    )
    if head is None:
        return None
    over = re.search(r"\bover\((\w+)", command)
    named = [n for n in arguments(command) if n]
    what = {"Mean": "mean", "Total": "sum", "Proportion": "percentage"}.get(head[2], "ratio")
    rows, j = bar_rows(block, i + 1)
    heading = ""
    figures: list[Figure] = []
    lines = {line: label for label, _, line in rows}
    for k in range(i + 1, j):
        label, _, rest = block.texts[k].partition("|")
        label = label.strip()
        if label and not rest.strip(" |") and not RULE.match(block.texts[k]):
            heading = label
        if block.line(k) not in lines or not label:
            continue
        texts = numbers_in(rest)
        made = re.match(r"^(?:c\.)?(\w+)@?", heading)
        of = made[1] if made is not None else named[0] if named else label
        group = ((of, label),) if what == "percentage" else ((over[1], label),) if over and heading else ()
        of = of if group else label
        for w, t in zip((what, "standard error", "lower 95%", "upper 95%"), texts, strict=False):
            number = parse_number(t)
            if number is not None:
                named_of = None if what == "percentage" else of
                figures.append(Figure(f"{label}: {w}", w, number, block.line(k), named_of, group))
    if not figures:
        return None
    lines_read = (block.line(i), block.line(j - 1))
    if what == "percentage":
        shown = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
        return table_of("frequencies", lines_read, figures, command, shown), j
    shown = tuple(dict.fromkeys(f.of or "" for f in figures))
    by = (over[1],) if over and any(f.at for f in figures) else ()
    found = table_of("totals" if what == "sum" else "means", lines_read, figures, command, shown, by)
    # Groups are parts of one sample, as in a survey.
    return [replace(c, errors="one sample") for c in found] if by and what == "mean" else found, j


def correlate(block: Lines, i: int, command: str, session: Session) -> _Found:
    match = re.match(r"^\s*\|((?:\s+[A-Za-z_~][\w~.]*)+)\s*$", block.texts[i])
    if match is None or i + 1 >= len(block.texts) or not RULE.match(block.texts[i + 1]):
        return None
    if not (re.match(r"\s*(?:corr|pwcorr|spearman)", command) or is_near(block, i, r"\(obs=[\d,]+\)")):
        return None
    heads = match[1].split()
    figures: list[Figure] = []
    names = []
    options = command.partition(",")[2]
    asked = ("correlation", "n") if re.search(r"\bo(?:bs?)?\b", options) else ("correlation", "p-value", "n")
    whats = asked if not re.search(r"\bsig\b", options) else ("correlation", "p-value", "n")
    j, name, k = i + 2, "", 0
    while j < len(block.texts) and ("|" in block.texts[j] or RULE.match(block.texts[j])):
        label, _, rest = block.texts[j].partition("|")
        if label.strip():
            name, k = label.strip(), 0
            names.append(name)
        what = whats[min(k, len(whats) - 1)]
        k += 1
        for head, text in zip(heads, numbers_in(rest), strict=False):
            number = parse_number(text)
            if number is not None:
                figures.append(Figure(f"{name} × {head}", what, number, block.line(j), name, (("column", head),)))
        j += 1
    if not figures:
        return None
    for k in range(max(i - 3, 0), i):
        counted = re.fullmatch(r"\s*\(obs=([\d,]+)\)\s*", block.texts[k])
        if counted is not None and (number := parse_number(counted[1])) is not None:
            figures.append(Figure("n", "n", number, block.line(k)))
            i = k
    weights, where = restricted(command)
    lines = (block.line(i), block.line(j - 1))
    return [
        Candidate(
            "correlation", "correlation", lines, tuple(figures), variables=tuple(names), where=where, weights=weights
        )
    ], j


def ttest(block: Lines, i: int, command: str, session: Session) -> _Found:
    if not re.match(r"^\s*(?:Group|Variable)\s*\|\s*Obs\s+Mean\s+Std\. [Ee]rr\.\s+Std\. [Dd]ev\.", block.texts[i]):
        return None
    words = ("n", "mean", "standard error", "sd", "lower 95%", "upper 95%")
    rows, j = bar_rows(block, i + 1)
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
            (r"[Dd]egrees of freedom =\s*([\d.]+)", "df"),
            (r"Pr\(\|T\| > \|t\|\) =\s*([\d.]+)", "p-value"),
            (r"Pr\(T < t\) =\s*([\d.]+)", "p-value below"),
            (r"Pr\(T > t\) =\s*([\d.]+)", "p-value above"),
        ):
            found = re.search(pattern, block.texts[k])
            number = parse_number(found[1]) if found else None
            if number is not None:
                figures.append(Figure(what, what, number, block.line(k)))
                j = k + 1
    weights, where = restricted(command)
    equal = "unequal" not in lines_above(block, i)
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
