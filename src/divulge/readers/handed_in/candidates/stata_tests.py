"""Stata's tests that print neither a table of means nor one of coefficients: ranksum, kwallis, test."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_lines import bar_rows
from divulge.readers.handed_in.candidates.stata_models import of_model, restricted
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_RANKS = re.compile(r"^\s*(\S+)\s*\|\s*Obs\s*(\|)?\s*[Rr]ank sum\s*(?:\|\s*)?(?:Expected)?\s*\|?\s*$")
_AFTER = (
    (r"^\s*[Uu]nadjusted variance\s+([\d.]+)", "variance without ties"),
    (r"^\s*[Aa]djustment for ties\s+(-?[\d.]+)", "adjustment for ties"),
    (r"^\s*[Aa]djusted variance\s+([\d.]+)", "variance"),
    (r"^\s*z\s*=\s*(-?[\d.]+)", "z"),
    (r"^\s*[Pp]rob > \|z\|\s*=\s*([\d.]+)", "p-value"),
    (r"^\s*[Ee]xact [Pp]rob\s*=\s*([\d.]+)", "exact p-value"),
    (r"^\s*chi2?\(\s*\d+\)\s*=\s*([\d.]+)", "chi-squared"),
    (r"^\s*chi-squared(?: with ties)?\s*=\s*([\d.]+) with \d+ d\.f\.", "chi-squared"),
    (r"^\s*Prob\s*=\s*([\d.]+)", "p-value"),
)


def ranks(block: Lines, i: int, command: str, session: Session) -> _Found:
    """`ranksum y, by(g)` and `kwallis y, by(g)`: sums of ranks by groups, and the test of them."""
    head = _RANKS.match(block.texts[i])
    if head is None:
        return None
    rows, j = bar_rows(block, i + 1)
    by = re.search(r"\bby\((\w+)\)", command)
    tested = re.match(r"^\s*(?:ranksum|kwallis)\s+(\w+)", command)
    group = by[1] if by is not None else head[1]
    words = ("n", "rank sum", "expected rank sum")
    figures = [
        Figure(f"{label}: {w}", w, n, line, None, ((group, label),))
        for label, texts, line in rows
        for w, t in zip(words, texts, strict=False)
        if (n := parse_number(t)) is not None
    ]
    after, j = _beside(block, j)
    _, where = restricted(command)
    found = Candidate(
        "other",
        "other",
        (block.line(i), block.line(j - 1)),
        (*figures, *after),
        variables=(tested[1],) if tested is not None else (),
        by=(group,),
        where=where,
        statistic="test of ranks",
    )
    return [found], j


def _beside(block: Lines, j: int) -> tuple[list[Figure], int]:
    figures: list[Figure] = []
    for k in range(j, min(j + 14, len(block.texts))):
        if re.match(r"^\s*\.\s", block.texts[k]):
            break
        for pattern, what in _AFTER:
            found = re.match(pattern, block.texts[k])
            number = parse_number(found[1]) if found is not None else None
            if number is not None:
                figures.append(Figure(what, what, number, block.line(k)))
                j = k + 1
                break
    return figures, j


_TESTED = re.compile(r"^\s*(F|chi2)\(\s*(\d+)(?:,\s*(\d+))?\)\s*=\s*([\d.]+)\s*$")


def hypotheses_tested(block: Lines, i: int, command: str, session: Session) -> _Found:
    """`test a b`: the hypotheses in brackets, then F or chi-squared and its probability."""
    if not re.match(r"^\s*\(\s*1\)\s+\S.*=", block.texts[i]):
        return None
    for k in range(i + 1, min(i + 40, len(block.texts))):
        shown = _TESTED.match(block.texts[k])
        if shown is None:
            if re.match(r"^\s*\.\s|.*\|", block.texts[k]):
                return None
            continue
        last = block.texts[k + 1] if k + 1 < len(block.texts) else ""
        likely = re.match(r"^\s*Prob > (?:F|chi2)\s*=\s*([\d.]+)", last)
        parts = ((shown[1], shown[4], k), ("df1", shown[2], k), ("df2", shown[3], k))
        found = [*parts, ("p-value", likely[1] if likely is not None else None, k + 1)]
        figures = [
            Figure(w, "chi-squared" if w == "chi2" else w, n, block.line(at))
            for w, t, at in found
            if t and (n := parse_number(t)) is not None
        ]
        end = figures[-1].line
        return [of_model("test of coefficients", figures, (block.line(i), end), session)], k + 1 + (likely is not None)
    return None
