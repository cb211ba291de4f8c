"""Coefficient tables of consoles: a header that names the columns, and rows that end in as many figures."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Figure, Term
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.statistic_names import column_words
from divulge.readers.handed_in.sheets import Lines

_MAIN = {"coefficient", "odds ratio", "hazard ratio", "rate ratio", "relative risk ratio", "exp(-coefficient)"}


def header_words(text: str) -> list[str] | None:
    """The columns of a header line, or None where it is none."""
    if re.search(r"\d{2,}\.\d{3}|[:;]\s", text) and "95%" not in text:
        return None
    words = column_words(text)
    if len(words) < 2 or not set(words) & (_MAIN | {"standard error"}):
        return None
    left = re.sub(r"[\W\d_]+", "", text)
    return words if len(left) <= 120 else None


def rows_at(block: Lines, i: int, end: int, words: list[str], prefix: str = "") -> tuple[list[Figure], list[Term], int]:
    """The rows from line i: until a line that has not as many figures."""
    figures: list[Figure] = []
    terms: list[Term] = []
    while i < end:
        text = block.texts[i]
        if re.match(r"^\s*[-=]{4,}\s*$", text) and not figures:
            i += 1
            continue
        row = split_row(text, len(words))
        if row is None or not row[0]:
            if not figures and text.strip() and not re.search(r"\d", text) and len(text.split()) <= 2:
                i += 1  # the name of the index on a line of its own, as pandas prints it
                continue
            break
        label, texts, stars = row
        if terms and parse_number(label) is not None and parse_number(terms[-1].text) is None:
            break  # a line of figures that belongs to something else
        running = f"{len(terms) + 1} "
        label = label.removeprefix(running).strip() if text.lstrip().startswith(running) else label
        key = f"{prefix}: {label}" if prefix else label
        terms.append(Term(label, prefix or None))
        for what, shown in zip(words, texts, strict=True):
            number = parse_number(re.sub(r"\s+", " ", shown))
            if number is not None:
                figures.append(Figure(f"{key}: {what}", what, number, block.line(i), key))
        del stars
        i += 1
    return figures, terms, i
