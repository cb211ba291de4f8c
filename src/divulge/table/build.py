"""Columns as a reader found them become a table: inferred, or brought onto a schema, and checked by its rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from divulge.errors import MissingColumnsError, OutsideCategoriesError, suggest
from divulge.kernels.arrays import Codes, Integers
from divulge.table.column import RawColumn
from divulge.table.dates import as_date
from divulge.table.infer import NA_TEXTS, as_integers, infer, parse_number
from divulge.table.occurrences import Occurrences
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Holds, Value, Variable, value_text

_SHORT_YEAR = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2}")


def build_table(columns: Iterable[RawColumn], schema: Schema | None = None, people: Integers | None = None) -> Table:
    """A table of the columns: the schema's variables first, in its order, then the others as they come.

    people: how many people each row stands for, where that is not one.
    """
    built: dict[str, tuple[Variable, Codes]] = {}
    inferred: list[str] = []
    opened: list[str] = []
    for found in columns:
        known = schema[found.name] if schema is not None and found.name in schema else found.own
        variable, lookup = infer(found) if known is None else _conform(found, known, people)
        built[found.name] = variable, found.coded(lookup, variable.dtype)
        if known is None:
            inferred.append(found.name)
        elif known is found.own or known.is_open:
            opened.append(found.name)
    for name, variable in ((n, built[n][0]) for n in inferred):
        for text in _missing_elsewhere(variable, [built[n][0] for n in inferred]):
            built[name] = _without_level(*built[name], text)
    for name in (*inferred, *opened):
        # What a schema lists is told already; what only the data say may point at people.
        built[name] = _recognised(*built[name], people), built[name][1]
    order = list(built)
    if schema is not None:
        order = [*schema.names, *(n for n in order if n not in schema)]
    rules = () if schema is None else schema.rules
    table = Table(Schema(tuple(built[n][0] for n in order), rules), tuple(built[n][1] for n in order), people)
    table.check_rules()
    return table


def _missing_elsewhere(variable: Variable, others: Sequence[Variable]) -> list[str]:
    """Levels that mean "missing" in a column of numbers of the same file: R writes NA in both."""
    if variable.kind == "numeric":
        return []
    said = {m for v in others if v.kind == "numeric" for m in v.missing if m in NA_TEXTS}
    found = [t for t in variable.values.tolist() if t in said]
    return found if len(found) < variable.n_values else []


def _without_level(variable: Variable, codes: Codes, text: str) -> tuple[Variable, Codes]:
    """A variable with one level as a missing code, and its column."""
    place = variable.values.tolist().index(text)
    lookup = np.arange(variable.n_codes + 1)
    lookup[place + 1 :] -= 1
    lookup[place] = variable.n_codes - 1
    changed = replace(variable, values=np.delete(variable.values, place), missing=(*variable.missing, text))
    return changed, lookup.astype(changed.dtype)[codes]


def check_columns(names: Sequence[str], schema: Schema | None) -> None:
    """Raise where the schema names columns that the file does not have."""
    absent = [n for n in schema.names if n not in set(names)] if schema is not None else []
    if absent:
        raise MissingColumnsError(
            f"the schema names {', '.join(map(repr, absent))}, which the file does not have.",
            hint=suggest(absent[0], names) or f"The file has {len(names)} columns: {', '.join(names[:20])}.",
        )


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


def _recognised(variable: Variable, codes: Codes, people: Integers | None = None) -> Variable:
    """The variable with what its values are: identifiers, free text, postcodes, values nearly every row has alone.

    Decided from the values, how often each occurs, and the column's name. It changes nothing that is computed. It
    decides what is told: no message, table or schema lists the values of such a column. people: how many each row
    stands for; one where None.
    """
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
    if _has_short_years(shown):
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
    stripped = [t.strip() for t in texts]
    room = int((1 - _MOST) * len(texts) + 1e-9)  # one of ten, whatever floats make of 1 - 0.9
    for pattern in patterns:
        # Most columns have none of the forms, and the first few texts say so.
        others = (text for text in stripped if not pattern.fullmatch(text))
        if texts and sum(1 for _ in islice(others, room + 1)) <= room:
            return True
    return False


def _conform(found: RawColumn, variable: Variable, people: Integers | None = None) -> tuple[Variable, Integers]:
    """The variable (closed, where it was open) and the code of each id of the column.

    Values are matched by their text, so that 57, 57.0 and "57" agree; then by label. What does not match is an error
    with counts. An open variable takes its values from the data instead.
    """
    if variable.holds == "date" and variable.date_format is not None:
        found = _as_dates(found, variable.date_format)
    settled, lookup = variable, _matched(found, variable)
    if variable.is_open:
        settled = _opened(found, variable, lookup)
        lookup = _matched(found, settled)
    outside = lookup < 0
    if outside.any():
        counts = found.counts(people)[outside]
        if counts.any():
            raise _outside(found, variable, int(counts.sum()), int((counts > 0).sum()))
    return settled, lookup


def _as_dates(found: RawColumn, written: str) -> RawColumn:
    """The column with its dates as 2011-03-27; what is no date of that format stays as it is."""
    texts = [value_text(v) for v in found.values]
    return replace(found, texts=[as_date(t, written) or t for t in texts], numbers=None)


def _matched(found: RawColumn, variable: Variable) -> Integers:
    places = {value_text(v): i for i, v in enumerate([*variable.values.tolist(), *variable.missing]) if v is not None}
    empty = variable.n_values + variable.missing.index(None) if None in variable.missing else -1
    by_label = _unique_labels(variable)
    lookup = np.full(found.n_ids, -1, dtype=np.int64)
    lookup[0] = empty
    for i, value in enumerate(found.values, start=1):
        text = value_text(value)
        place = places.get(text)
        if place is None and isinstance(value, str):
            number = parse_number(value)
            if number is not None:
                place = places.get(value_text(number))
            if place is None:
                place = by_label.get(value)
            if place is None and value == "":
                place = empty
        lookup[i] = -1 if place is None else place
    return lookup


def _unique_labels(variable: Variable) -> dict[str, int]:
    """Codes by label, leaving out labels that two values share."""
    codes: dict[str, int] = {}
    shared: set[str] = set()
    for i, value in enumerate([*variable.values.tolist(), *variable.missing]):
        label = variable.labels.get(value)
        if label is not None:
            shared.update({label} if label in codes else ())
            codes[label] = i
    return {label: i for label, i in codes.items() if label not in shared}


def _opened(found: RawColumn, variable: Variable, lookup: Integers) -> Variable:
    """The variable with the values that the data add, as far as they are of its kind; no longer open."""
    known: list[Value] = variable.values.tolist()
    added: list[Value] = [v for i, v in enumerate(found.values, start=1) if lookup[i] < 0]
    missing = list(variable.missing)
    if variable.kind == "numeric":
        missing += [t for t in NA_TEXTS if t in added]
        numbers = np.array([*known, *_numbers(added)])
        values = (as_integers(numbers) if numbers.dtype.kind == "f" else numbers).tolist()
    else:
        if variable.holds == "date":
            missing += [t for t in NA_TEXTS if t in added]
            dates = [v for v in added if isinstance(v, str) and as_date(v, "%Y-%m-%d")]
            return replace(
                variable,
                values=np.array(sorted({*map(value_text, known), *dates}), dtype=object),
                missing=tuple([None, *missing] if None not in missing and found.has_empty else missing),
                frequencies=None,
                is_open=False,
            )
        if known and not any(isinstance(v, str) for v in known) and len(_numbers(added)) == len(added):
            added = _numbers(added)
        values = [*known, *sorted(added, key=lambda v: (isinstance(v, str), v))]
    if None not in missing and found.has_empty:
        missing.insert(0, None)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return replace(variable, values=array, missing=tuple(missing), frequencies=None, is_open=False)


def _numbers(values: list[Value]) -> list[Value]:
    """The distinct numbers among values and texts of numbers, sorted."""
    numbers = [parse_number(v) if isinstance(v, str) else v for v in values]
    return sorted({n for n in numbers if n is not None})


def _outside(found: RawColumn, variable: Variable, n_rows: int, n_values: int) -> OutsideCategoriesError:
    needed = "numbers" if variable.is_open else "among its values in the schema"
    if variable.is_open and variable.holds == "date":
        needed = f"dates of the format {variable.date_format}"
    distinct = "1 distinct value" if n_values == 1 else f"{n_values:,} distinct values"
    return OutsideCategoriesError(
        f"{n_rows:,} rows of {found.name!r} ({distinct}) are not {needed}.",
        hint="Add what is absent to the categories, constraints or missingValues of the schema, or mend the data.",
    )


def _has_short_years(texts: Sequence[str]) -> bool:
    """Whether these are dates with years of two digits, whose century nobody can know."""
    return bool(texts) and all(_SHORT_YEAR.fullmatch(t.strip()) for t in texts)
