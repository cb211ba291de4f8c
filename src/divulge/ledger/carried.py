"""Numbers of an author's own in the words of an output: they leave in its labels, and could carry rows out.

A term `I(AGE + 47111970.0101)` is printed as it was written. What people write in earnest is short: a year, a cut, a
quarter. Values of variables are not an author's own: an output with one that the data do not have is never assessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from divulge.errors import SpecError

_DIGITS = 6  # that count, of one number
_MOST = 200  # numbers of one output: a histogram has some tens of breaks
_MOST_IN_TEXT = 20  # numbers of one formula, or of the leaves of a tree
_LARGEST_POWER = 15

_NOT_PRINTED = frozenset({"name", "where", "released", "suppressed", "decimals", "se_decimals", "weight", "threshold"})
_VALUES = frozenset({"merge", "event", "observed", "reference", "order"})
"""Fields that name values of variables."""

_WRITTEN = frozenset({"formula", "leaves", "instruments", "strata", "entry"})
"""Fields whose texts are printed as they are written."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\bTreatment\([^()]*\)")
_NUMBER = re.compile(r"(?<![\w.])(?:\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\.\d\w*(?:(?<=[eE])[+-]\d+)?)")
"""Whatever begins as a number does, in other notations too: `0x47`, `47_11`."""

_DECIMAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_SIGNS = re.compile(r"[-+~]\s*[-+~]")  # two in a row mean what one or none does
_LONGEST_FACTOR = 80  # characters of a transformed variable, `I(…)`
_PART = (
    r"(?:`[^`]+`|[^\s(){},<>=!\"'`]+) (?:=|!=|<=|>=|<|>) (?:\"[^\"]*\"|'[^']*'|(?!\+)[^\s(){},<>=!\"'`]+)"  # a leaf's
)
_LEAF = re.compile(rf"{_PART}(?: and {_PART})*")
_LONGEST_LEAF = 400


def check_numbers(document: Mapping[str, Any]) -> None:
    """Raise where the numbers in an output's own words have more digits, or are more, than people write."""
    count = 0
    _check_writing(document)
    for name, value in document.items():
        if name in _NOT_PRINTED:
            continue
        found = list(_numbers(name, value))
        count += len(found)
        if any(not _is_short(text) for text in found):
            raise SpecError(
                f"a number here has more than {_DIGITS} digits, and would leave as it is written.",
                where=name,
                hint="Round it: what is printed beside figures is not assessed.",
            )
        if count > _MOST or (name in _WRITTEN and len(found) > _MOST_IN_TEXT):
            raise SpecError(
                "so many numbers of your own would leave with the figures.", where=name, hint="Write it with fewer."
            )


def _check_writing(document: Mapping[str, Any]) -> None:
    """Raise where the same could be written in many ways, of which one was chosen: the choice would leave with it."""
    formula = str(document.get("formula", ""))
    factors = list(_factors(formula))
    if any(_SIGNS.search(_QUOTED.sub(" ", part)) for part in factors):
        raise SpecError("two signs stand in a row, and would leave as they are written.", where="formula")
    if any(len(part) > _LONGEST_FACTOR for part in factors):
        raise SpecError(
            f"a transformed variable is longer than {_LONGEST_FACTOR} characters, and would leave as it is written.",
            where="formula",
            hint="Write it shorter, or make a variable of it.",
        )
    for leaf in map(str, document.get("leaves") or ()):
        parts = leaf.split(" and ")
        written = [text for part in parts for text in _NUMBER.findall(part.rpartition(" ")[2])]
        plain = all(_shortest(text) == text for text in written) and len(set(parts)) == len(parts)
        if not plain or len(leaf) > _LONGEST_LEAF or _LEAF.fullmatch(leaf) is None:
            raise SpecError(
                "a leaf is written in one way alone: it would leave as it is written.",
                where="leaves",
                hint="Write `AGE <= 35.5 and SEX = F`: single blanks, no brackets, no zeros at the end.",
            )


def _factors(formula: str) -> Iterator[str]:
    """The transformed variables of a formula: each with its brackets."""
    depth, start = 0, 0
    for at, sign in enumerate(formula):
        if sign == "(":
            start = start if depth else at
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
            if depth == 0:
                yield formula[start : at + 1]


def _shortest(text: str) -> str:
    return format(Decimal(text).normalize(), "f") if _DECIMAL.fullmatch(text) else ""


def _numbers(name: str, value: Any) -> Iterator[str]:
    if name in _VALUES or value is None or isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield repr(value)
    elif isinstance(value, str):
        yield from _NUMBER.findall(_QUOTED.sub(" ", value)) if name in _WRITTEN else ()
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _numbers(key if key in _VALUES else name, one)
    else:
        for one in value:
            yield from _numbers(name, one)


def _is_short(text: str) -> bool:
    try:
        number = Decimal(text.replace("_", "-"))
    except InvalidOperation:
        return False
    if not number.is_finite():
        return True
    digits = number.normalize().as_tuple()
    return len(digits.digits) <= _DIGITS and abs(number.adjusted()) <= _LARGEST_POWER
