"""Dates as people write them, read into one form that sorts: 2011-03-27, with the time of day where there is one.

A column holds dates where every text of it is a real day in one and the same format. 27/03/2011 and 03/27/2011 are told
apart by days above 12; where no row has one, the day is taken to come first, and `inspect` says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

_MONTHS = {
    month: i + 1
    for i, month in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"))
}
_TIME = r"(?:[T ](?P<time>[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(?:Z|[+-]\d\d:?\d\d)?)?"
_DAY, _MONTH, _YEAR = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", r"(?P<y>\d{4})"
_NAME = r"(?P<b>[A-Za-z]{3})"
_FORMATS: dict[str, re.Pattern[str]] = {
    "%Y-%m-%d": re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)" + _TIME),
    "%Y/%m/%d": re.compile(f"{_YEAR}/{_MONTH}/{_DAY}{_TIME}"),
    "%d/%m/%Y": re.compile(f"{_DAY}/{_MONTH}/{_YEAR}{_TIME}"),
    "%m/%d/%Y": re.compile(f"{_MONTH}/{_DAY}/{_YEAR}{_TIME}"),
    "%d.%m.%Y": re.compile(rf"{_DAY}\.{_MONTH}\.{_YEAR}{_TIME}"),
    "%d-%m-%Y": re.compile(f"{_DAY}-{_MONTH}-{_YEAR}{_TIME}"),
    "%m-%d-%Y": re.compile(f"{_MONTH}-{_DAY}-{_YEAR}{_TIME}"),
    "%d%b%Y": re.compile(f"{_DAY}{_NAME}{_YEAR}"),
    "%d-%b-%Y": re.compile(f"{_DAY}-{_NAME}-{_YEAR}"),
    "%d %b %Y": re.compile(f"{_DAY} {_NAME} {_YEAR}"),
    "%Y%m%d": re.compile(r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)"),
}
_MONTH_FIRST = {"%d/%m/%Y": "%m/%d/%Y", "%d-%m-%Y": "%m-%d-%Y"}  # what looks the same with the month first
_EARLIEST, _LATEST = 1800, 2199  # years of people and of what happens to them
_FEWEST_PACKED = 5
"""20110327 is a number too. Five different ones that are all real days are no accident: one number in 25 is one."""


@dataclass(frozen=True)
class Dates:
    """Texts read as dates, each as 2011-03-27, and the format that they were written in."""

    format: str
    plain: list[str]


def as_date(text: str, written: str) -> str | None:
    """A text of this format as 2011-03-27; None where it is no such date."""
    pattern = _FORMATS.get(written)
    found = None if pattern is None else pattern.fullmatch(text.strip())
    if found is None:
        return None
    parts = found.groupdict()
    month = _MONTHS.get(parts["b"].casefold(), 0) if "b" in parts else int(parts["m"])
    try:
        day = date(int(parts["y"]), month, int(parts["d"]))
    except ValueError:
        return None
    if not _EARLIEST <= day.year <= _LATEST:
        return None
    return f"{day} {parts['time']}" if parts.get("time") else str(day)


def is_format(written: object) -> bool:
    """Whether dates of this format can be read."""
    return isinstance(written, str) and written in _FORMATS


def known_formats() -> tuple[str, ...]:
    return tuple(_FORMATS)


def read_dates(texts: Sequence[str]) -> Dates | None:
    """All texts as dates of one format; None where one of them is no date in any."""
    for written in _FORMATS:
        if not texts or (as_date(texts[0], written) is None and as_date(texts[-1], written) is None):
            continue
        plain = _all_dates(texts, written)
        if plain is None or (written == "%Y%m%d" and len(set(plain)) < _FEWEST_PACKED):
            continue
        return Dates(written, plain)
    return None


def may_be_month_first(plain: Sequence[str], written: str | None) -> bool:
    """Whether dates read with the day first could as well have the month first: no day is above 12."""
    return written in _MONTH_FIRST and all(int(text[8:10]) <= 12 for text in plain)


def month_first(written: str | None) -> str:
    """The format that looks the same, with the month first."""
    return _MONTH_FIRST[str(written)]


def _all_dates(texts: Sequence[str], written: str) -> list[str] | None:
    plain = []
    for text in texts:
        found = as_date(text, written)
        if found is None:
            return None
        plain.append(found)
    return plain
