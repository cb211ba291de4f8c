"""What a column is, decided from its distinct texts or numbers alone: the order of the rows never matters.

Integers and decimal numbers make a numeric variable; days of one format make dates, in their order; everything else
(numbers with leading zeros too) is categorical. Nothing is guessed from the first rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.table.column import Numbers, RawColumn
from divulge.table.dates import Dates, read_dates
from divulge.table.variable import Value, Variable, value_text

INTEGER = re.compile(r"0|-?[1-9][0-9]*")
DECIMAL = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NA_TEXTS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".")
"""Texts that mean "missing" in a column of numbers. In a column of texts they are texts like any other, unless a column
of numbers in the same file has them (build.py)."""

_PACKED = len("20110327")

EXACT = 2**53
"""Integers beyond this are not exact as floats, so they are never mixed with decimals."""


@dataclass(frozen=True)
class _Parsed:
    """Texts as numbers: `numbers[i]` belongs to `texts[i]`; NaN-like texts have no number."""

    numbers: Numbers
    is_number: Mask


def parse_number(text: str) -> int | float | None:
    """The number that a text writes, or None: `007`, `+5`, `1e999` and dates are not numbers here."""
    if INTEGER.fullmatch(text):
        return int(text)
    if DECIMAL.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def parse_numbers(texts: Sequence[str]) -> _Parsed | None:
    """All texts as numbers of one type, NA_TEXTS aside; None where some are not numbers or none is."""
    na = set(NA_TEXTS)
    is_number = np.array([t not in na for t in texts], dtype=bool)
    listed = [t for t in texts if t not in na]
    if not listed:
        return None
    if all(INTEGER.fullmatch(t) for t in listed):
        whole = [int(t) for t in listed]
        if min(whole) < -(2**63) or max(whole) >= 2**63:
            return None
        return _Parsed(_spread(np.array(whole, dtype=np.int64), is_number), is_number)
    if not all(DECIMAL.fullmatch(t) for t in listed):
        return None
    if any(INTEGER.fullmatch(t) and abs(int(t)) > EXACT for t in listed):
        return None
    numbers = np.array([float(t) for t in listed])
    if not np.isfinite(numbers).all():
        return None
    return _Parsed(_spread(as_integers(numbers), is_number), is_number)


def _spread(numbers: Numbers, is_number: Mask) -> Numbers:
    spread: NDArray[Any] = np.zeros(len(is_number), dtype=numbers.dtype)
    spread[is_number] = numbers
    return spread


def as_integers(numbers: Floats) -> Numbers:
    """Floats that are all integers (57.0) as integers, so that 57.0 in one file is 57 in another; else as they are."""
    if (np.abs(numbers) < EXACT).all() and (numbers == np.floor(numbers)).all():
        return numbers.astype(np.int64)
    return numbers + 0.0  # −0.0 becomes 0.0


def infer(found: RawColumn) -> tuple[Variable, Integers]:
    """The variable that a column holds, and the code of each of its ids."""
    dates = _dates(found)
    if dates is not None:
        return _from_dates(found, dates)
    if found.numbers is not None:
        return _from_numbers(found)
    parsed = None if found.is_typed else parse_numbers(found.texts)
    if parsed is None:
        return _from_texts(found)
    values, places = np.unique(parsed.numbers[parsed.is_number], return_inverse=True)
    lookup = np.full(found.n_ids, len(values), dtype=np.int64)
    lookup[1:][parsed.is_number] = places
    missing: list[Value | None] = [None] if found.has_empty else []
    for i in sorted(np.flatnonzero(~parsed.is_number).tolist(), key=lambda i: NA_TEXTS.index(found.texts[i])):
        lookup[i + 1] = len(values) + len(missing)
        missing.append(found.texts[i])
    return Variable(found.name, "numeric", values, missing=tuple(missing)), lookup


def _dates(found: RawColumn) -> Dates | None:
    """What it holds as dates, NA_TEXTS aside; None where it holds anything else."""
    if found.numbers is None:
        return read_dates([t for t in found.texts if t not in NA_TEXTS])
    if found.numbers.dtype.kind != "i" or not len(found.numbers) or len(str(found.numbers[0])) != _PACKED:
        return None
    return read_dates([str(n) for n in found.numbers.tolist()])


def _from_dates(found: RawColumn, dates: Dates) -> tuple[Variable, Integers]:
    texts = [value_text(v) for v in found.values]
    plain = iter(dates.plain)
    read = [None if t in NA_TEXTS else next(plain) for t in texts]
    ordered = sorted({r for r in read if r is not None})
    place = {text: i for i, text in enumerate(ordered)}
    missing: list[Value | None] = [None] if found.has_empty else []
    missing += [t for t in NA_TEXTS if t in texts]
    code_of = {t: len(ordered) + i for i, t in enumerate(missing)}
    codes = [code_of[t] if r is None else place[r] for t, r in zip(texts, read, strict=True)]
    lookup = np.array([code_of.get(None, len(ordered)), *codes], dtype=np.int64)
    values = np.array(ordered, dtype=object)
    return (
        Variable(
            found.name,
            "categorical",
            values,
            missing=tuple(missing),
            is_ordered=True,
            holds="date",
            date_format=dates.format,
        ),
        lookup,
    )


def _from_texts(found: RawColumn) -> tuple[Variable, Integers]:
    order = _sorted_order(found.texts)
    lookup = np.full(found.n_ids, len(order), dtype=np.int64)
    lookup[1 + order] = np.arange(len(order))
    values = np.empty(len(order), dtype=object)
    values[:] = [found.texts[i] for i in order]
    return Variable(found.name, "categorical", values, missing=(None,) if found.has_empty else ()), lookup


def _sorted_order(texts: Sequence[str]) -> Integers:
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)


def _from_numbers(found: RawColumn) -> tuple[Variable, Integers]:
    """Numbers are sorted already; texts beside them are the missing codes."""
    assert found.numbers is not None
    missing: list[Value | None] = [None] if found.has_empty else []
    n = len(found.numbers)
    lookup = np.arange(found.n_ids, dtype=np.int64) - 1
    lookup[0] = n
    lookup[n + 1 :] += len(missing)
    return Variable(found.name, "numeric", found.numbers, missing=(*missing, *found.texts)), lookup
