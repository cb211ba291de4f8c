"""R's flat tables (`ftable`), and analyses of variance and deviance: figures belong to the head they stand under."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.sheets import Lines

_HEADS = {
    "Df": "df",
    "df": "df",
    "npar": "df",
    "Sum Sq": "sum of squares",
    "Mean Sq": "mean square",
    "F value": "F",
    "F": "F",
    "Pr(>F)": "p-value",
    "Deviance": "deviance",
    "Resid. Df": "residual df",
    "Resid. Dev": "residual deviance",
    "Resid. df": "residual df",
    "Pr(>Chi)": "p-value",
    "Pr(>|Chi|)": "p-value",
    "Pr(>Chisq)": "p-value",
    "Pr(Chi)": "p-value",
    "Res.Df": "residual df",
    "RSS": "residual sum of squares",
    "Sum of Sq": "sum of squares",
    "AIC": "AIC",
    "BIC": "BIC",
    "logLik": "log-likelihood",
    "loglik": "log-likelihood",
    "deviance": "deviance",
    "-2*log(L)": "deviance",
    "Chisq": "chi-squared",
    "LR Chisq": "chi-squared",
    "LR stat.": "chi-squared",
    "NumDF": "numerator df",
    "DenDF": "denominator df",
    "Chi Df": "df",
}
_HEAD = re.compile(r"(?<!\S)(?:" + "|".join(re.escape(h) for h in sorted(_HEADS, key=len, reverse=True)) + r")(?!\S)")
_NUMBER = re.compile(r"(?<!\S)(?:< ?)?-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?!\S)")


def variance_table(block: Lines, i: int, end: int) -> tuple[list[Figure], list[Term], int] | None:
    """The rows of an analysis of variance or deviance, or of AIC() of several models."""
    text = block.texts[i]
    heads = [(m.end(), _HEADS[m[0]]) for m in _HEAD.finditer(text)]
    first = next((m.start() for m in _HEAD.finditer(text)), 0)
    if len(heads) < 2 or _HEAD.sub("", text).strip():
        return None
    figures: list[Figure] = []
    terms: list[Term] = []
    j = i + 1
    while j < end and block.texts[j].strip() and not block.texts[j].startswith(("---", "Signif", ">")):
        row = re.sub(r"\s(?:\*{1,3}|\.)\s*$", "", block.texts[j])
        numbers = [(m.end(), m[0]) for m in _NUMBER.finditer(row)]
        while numbers and numbers[0][0] <= first:
            numbers.pop(0)  # a number within the label
        label = row[: _start(row, numbers)].strip() if numbers else row.strip()
        if not label or not (numbers or terms):
            break
        for at, shown in numbers:
            what = min(heads, key=lambda h: abs(h[0] - at))[1]
            number = parse_number(shown)
            if number is not None:
                figures.append(Figure(f"{label}: {what}", what, number, block.line(j), label))
        terms.append(Term(label))
        j += 1
    return (figures, terms, j) if len(figures) > 1 else None


def _start(row: str, numbers: list[tuple[int, str]]) -> int:
    at, text = numbers[0]
    return at - len(text)


def flat_table(block: Lines, i: int, end: int) -> tuple[Candidate, int] | None:
    """`ftable`: on the first line the column variable and its levels, on the second the row variables."""
    if i + 2 >= end:
        return None
    top, names = block.texts[i], block.texts[i + 1]
    rows = [(m.start(), m[0]) for m in re.finditer(r"[A-Za-z][\w.]*", names)]
    if len(rows) < 2 or rows[0][0] != 0 or re.search(r"\d", names) or not top.startswith(" " * rows[-1][0]):
        return None
    heads = [(m.end(), m[0]) for m in re.finditer(r"\S+(?: \S+)*?(?=\s{1,}|$)", top)]
    if len(heads) < 2:
        return None
    column, levels = heads[0][1], heads[1:]
    held = [""] * len(rows)
    figures: list[Figure] = []
    j = i + 2
    while j < end and block.texts[j].strip():
        text = block.texts[j]
        ends = [(m.end(), m[0]) for m in re.finditer(r"(?<!\S)\S+", text)][-len(levels) :]
        if len(ends) < len(levels) or any(abs(a - b) > 1 for (a, _), (b, _) in zip(ends, levels, strict=True)):
            break
        limit = ends[0][0] - len(ends[0][1])
        for k, (at, _) in enumerate(rows):
            until = rows[k + 1][0] if k + 1 < len(rows) else limit
            shown = text[at:until].strip()
            if shown:
                held[k:] = [shown, *[""] * (len(rows) - k - 1)]
        at_row = tuple((name, label) for (_, name), label in zip(rows, held, strict=True))
        for (_, level), (_, shown) in zip(levels, ends, strict=True):
            number = parse_number(shown)
            if number is not None:
                label = " × ".join([*held, level])
                figures.append(Figure(label, "count", number, block.line(j), None, (*at_row, (column, level))))
        j += 1
    if not figures:
        return None
    variables = tuple(name for _, name in rows)
    return Candidate(
        "cells", "crosstab", (block.line(i), block.line(j - 1)), tuple(figures), variables=variables, by=(column,)
    ), j
