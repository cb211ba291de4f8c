"""Which columns point at people: identifiers, free text, postcodes, values that nearly every row has for itself.

Decided from the values, how often each occurs, and the column's name. It changes nothing that is computed. It decides
what is told: no message, table or schema lists the values of such a column.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from divulge.kernels.arrays import Codes, Integers
from divulge.table.dates import as_date, has_short_years
from divulge.table.occurrences import Occurrences
from divulge.table.variable import Holds, Variable

_ENOUGH_ROWS = 20  # with fewer rows nearly every column is distinct
_DISTINCT = 0.98
"""A column with at least this share of distinct values names rows. Measured amounts repeat more often than that."""
_NEAR_UNIQUE = 10
"""Texts that fewer rows than this share on average point at people: the least that most settings release as a cell."""
_FEW_LEVELS = 100  # so many levels or fewer are levels, however few rows there are
_LOOKED_AT = 500  # texts looked at for a pattern; they are spread over all of them
_MOST = 0.9  # the share of the texts that must fit a pattern: some are always mistyped

_WORD = r"(?:^|[^a-z])"
_END = r"(?:[^a-z]|$)"
_PERSONAL = re.compile(
    rf"{_WORD}(?:(?:sur|fore|first|last|full|family|given|middle|maiden|patient|person|client|pupil|child|mother|father)"
    rf"[ _.-]?)?(?:names?){_END}|surname|forename|firstname|lastname|fullname|e-?mail|(?:tele)?phone"
    rf"|{_WORD}mobile{_END}|{_WORD}nhs[ _.-]?(?:no|number|num)?{_END}|{_WORD}ssn{_END}|{_WORD}nino{_END}|passport"
    rf"|address|{_WORD}iban{_END}|licen[cs]e[ _.-]?(?:no|num|plate)|{_WORD}nom{_END}|{_WORD}vorname|nachname|apellido",
    re.IGNORECASE,
)
_POSTAL = re.compile(
    r"post(?:al)?[ _.-]?code|zip[ _.-]?(?:code)?|\bplz\b|c[oó]digo[ _.-]?postal|code[ _.-]?postal", re.I
)
_POSTCODES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}",  # United Kingdom
        r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]",  # Canada
        r"[0-9]{4} ?[A-Z]{2}",  # Netherlands
        r"[0-9]{5}-[0-9]{4}",  # United States, nine digits
        r"[0-9]{4}-[0-9]{3}",  # Portugal
        r"[0-9]{2}-[0-9]{3}",  # Poland
    )
)
_CONTACTS = tuple(
    re.compile(pattern) for pattern in (r"[^@\s]+@[^@\s]+\.[^@\s]+", r"\+?[0-9][0-9 ()/.-]{7,}[0-9]", r"https?://\S+")
)


def recognised(variable: Variable, codes: Codes, people: Integers | None = None) -> Variable:
    """The variable with what its values are. people: how many each row stands for; one where None."""
    if variable.holds != "levels" or variable.labels:
        # Labels are a code book: whoever wrote it has told the levels.
        return variable
    seen = Occurrences.of(variable, codes, people)
    if seen.is_text and seen.n_distinct and all(as_date(t, "%Y-%m-%d") for t in seen.texts):
        return replace(variable, holds="date", is_ordered=True, date_format="%Y-%m-%d")
    holds = _text_holds(seen) if seen.is_text else _number_holds(seen)
    return variable if holds == "levels" else replace(variable, holds=holds)


def _number_holds(seen: Occurrences) -> Holds:
    name = seen.variable.name
    if _POSTAL.search(name) and seen.n_distinct > _FEW_LEVELS:
        return "postcode"
    if seen.variable.values.dtype.kind == "f" or seen.n_valid < _ENOUGH_ROWS:
        return "levels"
    if seen.n_distinct >= _DISTINCT * seen.n_valid or (_PERSONAL.search(name) and seen.n_distinct > _FEW_LEVELS):
        return "identifier"
    return "levels"


def _text_holds(seen: Occurrences) -> Holds:
    if seen.is_free_text:
        return "text"
    if seen.n_distinct < 2:
        return "levels"
    shown = _some(seen.texts)
    if has_short_years(shown):
        return "near-unique"
    if _fits(shown, _POSTCODES) or (_POSTAL.search(seen.variable.name) and seen.n_distinct > _FEW_LEVELS):
        return "postcode"
    if seen.n_valid < _ENOUGH_ROWS:
        return "identifier" if _fits(shown, _CONTACTS) else "levels"
    if seen.n_distinct >= _DISTINCT * seen.n_valid or _fits(shown, _CONTACTS):
        return "identifier"
    if _PERSONAL.search(seen.variable.name) and seen.n_distinct > _FEW_LEVELS:
        return "identifier"
    is_many = seen.n_distinct > _FEW_LEVELS or seen.n_distinct > seen.n_valid / 2
    if is_many and seen.n_valid < _NEAR_UNIQUE * seen.n_distinct:
        return "near-unique"
    return "levels"


def _some(texts: list[str]) -> list[str]:
    step = max(1, len(texts) // _LOOKED_AT)
    return texts[::step]


def _fits(texts: list[str], patterns: tuple[re.Pattern[str], ...]) -> bool:
    """Whether nearly all texts have one of these forms, all the same one."""
    return any(np.mean([bool(p.fullmatch(t.strip())) for t in texts]) >= _MOST for p in patterns)
