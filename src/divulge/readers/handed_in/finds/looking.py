"""Goes through the lines and cells of a document. What is found is named with its line; it is never repeated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.finds.numbers import has_health_number, has_insurance_number
from divulge.readers.handed_in.sheets import Document, Grid, Lines

ROWS = "rows of data, one line a person"

_MOST = 200
"""Finds of one file that are listed."""

_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]*[a-z]{2,}\b", re.I)
_MONTH = (
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
)
_BIRTH = re.compile(
    r"\b(?:d\.?o\.?b\.?|date of birth|birth[ _]?date|born(?: on)?|geburtsdatum|geb(?:oren)?)\b[^\n]{0,20}?"
    r"(?:\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\d{1,2}(?:st|nd|rd|th|\.)? (?:"
    + _MONTH
    + r") \d{4}|(?:"
    + _MONTH
    + r") \d{1,2}, \d{4})",
    re.I,
)
_PATH = re.compile(r"(?:[A-Z]:\\Users\\|/Users/|/home/|\\\\[\w-]+\\)[\w.$-]+")
_ANY_PATH = re.compile(r"(?<!\w)[A-Za-z]:[\\/]\w")
"""Beside tables there may be no path at all. In a log the program writes some itself."""

_WORD = r"[A-ZÀ-Þ][\w'’-]*"
_LAST = rf"(?:(?:d[aeiou]|de[lnr]|dos|l[ae]|v[ao]n|al|bin) )*{_WORD}"
_PERSON = re.compile(
    r"\b(?:Dr|Prof|Mr|Mrs|Ms|Miss)\.? [A-Z][\w.'-]*(?: [A-Z][\w'-]+)*"
    r"|\b(?:(?:Author|Analyst|Researcher|Contact|Patient(?: name)?|Supervisor|Name|[Ii]nvestigator)\s*[:=]"
    r"|(?:[Cc]reated|[Pp]repared|[Rr]un|[Ww]ritten) by)"
    rf"\s+(?:{_WORD}|[A-Z]\.) (?:[A-Z]\. ?)*{_LAST}"
    rf"|\b(?:Patient(?: name)?|Name)\s*[:=]\s+{_WORD}, {_WORD}(?![\w ]*:)"
)
_GREETING = re.compile(
    r"^\s*(?:kind|best|warm|many|with)?\s*(?:regards|wishes|thanks)|^\s*yours (?:sincerely|faithfully)", re.I
)
_SIGNED = re.compile(r"^\s*(?:[A-Z][a-z'-]+|(?:[A-Z]\. ?)+)(?: (?:[A-Z][a-z'-]+|[A-Z]\.)){1,3}\s*$")
_NAMING = re.compile(
    r"^(?:(?:first|last|full|patient|sur|given|family)[ _]?names?|surname|forename|nhs[ _]?(?:no|number|id)"
    r"|date[ _]?of[ _]?birth|dob|e-?mail|postcode|address)$",
    re.I,
)
_POSTCODE = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b")
_ANYTHING = re.compile(
    r"@|\\|/Users/|/home/|\b(?:Dr|Prof|Mr|Mrs|Ms|Miss)\b|Author|Name|Analyst"
    r"|Researcher|Contact|Patient|Supervisor|[Ii]nvestigator|(?:[Cc]reated|[Pp]repared|[Rr]un|[Ww]ritten) by"
    r"|[dD]\.?[oO]\.?[bB]|[bB]irth|[bB]orn|\b[gG]eb"
    r"|[A-Z]{2}\d{6}[A-D]|\d[A-Z]{2}\b|\d{3}[ -]\d|\d{10}|\d \d\d"
)
"""What every one of the patterns above needs: most lines have nothing of it."""

_LISTED = re.compile(r"^\s*\d+\.\s*\|")
_COMMAND = re.compile(
    r"^\s*(?:\.|>|>>>|\?)\s+(?:list\b|head\(|print\(\s*(?:df|data|head)|\w+\.(?:head|tail|sample)\(|str\("
    r"|View\(|tail\(|browse\b|print [a-z]\w* --byobs)"
)


_TYPES = re.compile(r"^\s*(?:<\w+>\s*){2,}$")
"""What a tibble prints below the names of its columns."""

_RESIDUALS = re.compile(r"^\s*Min\s+1Q\s+Median\s+3Q\s+Max\s*$")
"""What R prints above quantiles of residuals. With the coefficients, an extreme one tells a person's response."""


@dataclass(frozen=True)
class Find:
    """Something on a line of a file that a checker should look at."""

    what: str
    line: int


def find_in(document: Document, words: Vocabulary) -> tuple[Find, ...]:
    """Everything of that sort in a document, and what its format remarked on."""
    found = [Find(remark.what, remark.line) for remark in document.remarks]
    for find in _looked(document, words):
        if len(found) >= _MOST:
            found.append(Find("more of this sort, which is not listed", find.line))
            break
        if find not in found:
            found.append(find)
    return tuple(found)


def _looked(document: Document, words: Vocabulary) -> Iterator[Find]:
    for place, text in document.asides:
        finds = list(_in_text(text, 0))
        if _ANY_PATH.search(text) and not any("path" in f.what for f in finds):
            finds.append(Find("a path", 0))
        yield from (Find(f"{f.what}, in {place}", f.line) for f in finds)
    for block in document.blocks:
        if isinstance(block, Lines):
            yield from _in_lines(block, words)
        else:
            for row in block.rows:
                yield from _in_text("  ".join(row.cells), row.line)
            if any(_NAMING.match(c.strip()) for row in block.rows[:2] for c in row.cells):
                yield Find("a column that tells who people are", block.rows[0].line)
            numbered = sum(re.fullmatch(r"\d+\.", row.cells[0].strip()) is not None for row in block.rows)
            if rows_of_people(block, words) or "Data List" in block.before or numbered > 1:
                yield Find(ROWS, block.rows[0].line)


def _in_text(text: str, line: int) -> Iterator[Find]:
    if not _ANYTHING.search(text):
        return
    for pattern, what in (
        (_EMAIL, "an e-mail address"),
        (_BIRTH, "a date of birth"),
        (_PATH, "a path with the name of a user or a server"),
        (_PERSON, "the name of a person"),
        (_POSTCODE, "a postcode"),
    ):
        if pattern.search(text):
            yield Find(what, line)
    if has_health_number(text):
        yield Find("what may be an NHS number", line)
    if has_insurance_number(text):
        yield Find("what may be a social security or insurance number", line)


def _in_lines(block: Lines, words: Vocabulary) -> Iterator[Find]:
    listed = 0
    for i, text in enumerate(block.texts):
        yield from _in_text(text, block.line(i))
        if _GREETING.match(text) and any(_SIGNED.match(t) for t in block.texts[i + 1 : i + 3]):
            yield Find("the name of a person", block.line(i) + 1)
        if _RESIDUALS.match(text):
            yield Find("the least and the greatest residual, each of one person", block.line(i))
        if _COMMAND.match(text):
            yield Find("a command that prints rows of data", block.line(i))
        listed = listed + 1 if _LISTED.match(text) else 0
        if listed == 2:
            yield Find(ROWS, block.line(i - 1))
        if _is_header_of_rows(block, i, words):
            yield Find(ROWS, block.line(i))


def _is_header_of_rows(block: Lines, i: int, words: Vocabulary) -> bool:
    """Three or more names of variables, and lines below that begin with running numbers."""
    typed = i + 1 < len(block.texts) and _TYPES.match(block.texts[i + 1]) is not None
    first = i + 2 if typed else i + 1
    below = block.texts[first].split(maxsplit=1) if first < len(block.texts) else []
    if not below or not below[0].isdigit():
        return False
    names = block.texts[i].split()
    if len(names) < 3 or sum(words.variable(n) is not None for n in names) < 0.8 * len(names):
        return False
    starts = [t.split()[0] if t.split() else "" for t in block.texts[first : first + 3]]
    rows = []
    for text in block.texts[first : first + 200]:
        if not text.strip() or not text.split()[0].isdigit():
            break
        rows.append(text.split()[1:])
    if _is_summary(names, rows, words):
        return False
    if len(starts) < 3 or not all(s.isdigit() for s in starts):
        return False
    # Rows that were picked or drawn keep their numbers: one before a value of every variable.
    is_picked = len({int(s) for s in starts}) == 3 and all(len(r) == len(names) for r in rows)
    return int(starts[1]) == int(starts[0]) + 1 or is_picked


def rows_of_people(grid: Grid, words: Vocabulary) -> bool:
    """Whether a grid holds rows of data: its columns are variables, and its rows are numbered or hold no figures."""
    heads = [c.strip() for c in grid.rows[0].cells]
    filled = [h for h in heads if h]
    known = sum(words.variable(h) is not None for h in filled)
    if len(grid.rows) < 3 or known < max(3, 0.6 * len(filled)):
        return False
    below = [c for c in grid.rows[1].cells[1:] if c.strip()]
    if below and all(statistic_word(c) for c in below):
        return False  # names of variables above names of statistics
    first = [row.cells[0].strip() for row in grid.rows[1:]]
    rows = [[c.strip() for c, h in zip(row.cells, heads, strict=True) if h] for row in grid.rows[1:]]
    if _is_summary(filled, rows, words):
        return False
    if heads[0] == "":
        return all(n.isdigit() for n in first) and [int(n) for n in first] == list(
            range(int(first[0]), int(first[0]) + len(first))
        )
    return known == len(filled) and not any(words.variable(f) for f in first)


def _is_summary(names: list[str], rows: list[list[str]], words: Vocabulary) -> bool:
    """Whether rows are groups and not people: the first columns hold every combination of their levels once."""
    if not rows or any(len(r) != len(names) for r in rows):
        return False
    for k in range(1, len(names)):
        known = [words.variable(n) for n in names[:k]]
        if any(n is None or not words.texts(n) for n in known):
            return False
        groups = [tuple(r[:k]) for r in rows]
        levels = [{g[i] for g in groups} for i in range(k)]
        if all(words.level(str(n), t) is None for n, column in zip(known, levels, strict=True) for t in column):
            return False
        if len(set(groups)) == len(rows) and len(rows) > 1 and math.prod(map(len, levels)) == len(rows):
            # The level of a lone group is a value that a variable with few of them has.
            return k > 1 or len(words.texts(str(known[0]))) == len(rows)
    return False
