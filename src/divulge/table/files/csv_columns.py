"""Columns of a delimited file as they grow block by block: as distinct texts, or as numbers where nearly all differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from divulge.kernels.arrays import Codes, Integers32
from divulge.table.column import RawColumn, numeric_column
from divulge.table.infer import DECIMAL, EXACT, INTEGER, NA_TEXTS, as_integers, parse_numbers

_WIDE_ROWS = 1000  # fewer rows than this in the first block say nothing about how distinct a column is
_WIDE_SHARE = 0.5
"""A column with more distinct numbers per row than this is read as numbers: millions of texts would be slow."""
TEXTS = pa.dictionary(pa.int32(), pa.string())
NUMBERS = pa.string()
"""Numbers are taken as text and cast here: pyarrow's own reader takes 007 for 7."""


class NotNumbersError(Exception):
    """A column that began as distinct numbers goes on as something else, and is to be read anew as text."""

    def __init__(self, column: int) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True)
class TextPart:
    """A block's column: its distinct texts, and for every row which; one past the last is the empty field."""

    texts: list[str]
    indices: Integers32


@dataclass(frozen=True)
class NumberPart:
    """A block's column: a number for every row; `special` is 0 there, 1 for the empty field, 2 + k for NA_TEXTS[k]."""

    numbers: NDArray[Any]
    special: NDArray[np.uint8] | None


def text_part(column: pa.DictionaryArray) -> TextPart:
    indices, n_texts = column.indices, len(column.dictionary)
    places = np.frombuffer(indices.buffers()[1], dtype=np.int32, count=len(indices), offset=4 * indices.offset)
    if indices.null_count:
        places = np.where(_numbers(indices.is_null().cast(pa.uint8())), np.int32(n_texts), places)
    return TextPart(column.dictionary.to_pylist(), places)


def _numbers(column: pa.Array) -> NDArray[Any]:
    """Numbers without gaps as they lie in memory. pyarrow's own `to_numpy` imports pandas, as its `array`, `scalar` and
    `fill_null` do: longer than reading most files takes."""
    return np.from_dlpack(column)


def _strings(texts: Sequence[str]) -> pa.StringArray:
    """The same as pyarrow's `array`, without pandas."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(encoded)))


_NA = _strings(NA_TEXTS)


def number_part(column: pa.Array, number: int) -> NumberPart:
    """Texts as numbers, by the same rules as `infer`; NotNumbersError where one is not a number."""
    special = None
    marks = pc.index_in(column, value_set=_NA)
    if marks.null_count < len(column):
        special = pc.add(marks, 2).fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint8)
        column = pc.if_else(marks.is_valid(), pa.scalar(None, pa.string()), column)
    elif column.null_count:
        special = np.zeros(len(column), dtype=np.uint8)
    if special is not None:
        special[column.is_null().to_numpy(zero_copy_only=False) & (special == 0)] = 1
        column = column.fill_null("0")
    try:
        if pc.all(pc.match_substring_regex(column, f"^(?:{INTEGER.pattern})$")).as_py():
            return NumberPart(_numbers(column.cast(pa.int64())), special)
        if pc.all(pc.match_substring_regex(column, f"^(?:{DECIMAL.pattern})$")).as_py():
            numbers = _numbers(column.cast(pa.float64()))
            # Beyond 2^53 an integer is not exact as a float: such a column stays text.
            whole = _numbers(pc.match_substring_regex(column, f"^(?:{INTEGER.pattern})$").cast(pa.uint8()))
            if np.isfinite(numbers).all() and not (np.abs(numbers[whole == 1]) > EXACT).any():
                return NumberPart(numbers, special)
    except pa.ArrowInvalid:
        pass
    raise NotNumbersError(number)


@dataclass
class TextColumn:
    """Ids of distinct texts. Id 0 is the empty field."""

    name: str
    ids: dict[str, int] = field(default_factory=dict)
    pieces: list[Codes] = field(default_factory=list)

    def add(self, part: TextPart) -> None:
        known = self.ids
        lookup = np.zeros(len(part.texts) + 1, dtype=np.int64)
        for i, text in enumerate(part.texts):
            lookup[i] = known.setdefault(text, len(known) + 1)
        narrow = lookup.astype(np.min_scalar_type(len(known)))
        self.pieces.append(np.take(narrow, part.indices, mode="clip"))

    def drop_last_empty(self) -> None:
        """Forget empty rows at the end: in a file of one column they are empty lines."""
        while self.pieces:
            filled = np.flatnonzero(self.pieces[-1])
            if len(filled):
                self.pieces[-1] = self.pieces[-1][: filled[-1] + 1]
                return
            self.pieces.pop()

    def is_wide(self) -> bool:
        """Whether it holds numbers, nearly every row one of its own."""
        n_rows = sum(len(p) for p in self.pieces)
        is_distinct = n_rows >= _WIDE_ROWS and len(self.ids) > _WIDE_SHARE * n_rows
        return is_distinct and parse_numbers(list(self.ids)) is not None

    def found(self) -> RawColumn:
        return RawColumn(self.name, list(self.ids), self.pieces)


@dataclass
class NumberColumn:
    """Numbers as they come, sorted out at the end."""

    name: str
    number: int
    parts: list[NumberPart] = field(default_factory=list)

    def add(self, part: NumberPart) -> None:
        self.parts.append(part)

    def drop_last_empty(self) -> None:
        """Forget empty rows at the end: in a file of one column they are empty lines."""
        while self.parts:
            numbers, special = self.parts[-1].numbers, self.parts[-1].special
            filled = np.arange(len(numbers)) if special is None else np.flatnonzero(special != 1)
            if len(filled):
                end = filled[-1] + 1
                self.parts[-1] = NumberPart(numbers[:end], None if special is None else special[:end])
                return
            self.parts.pop()

    def found(self) -> RawColumn:
        whole = [p.numbers for p in self.parts if p.numbers.dtype.kind == "i"]
        is_mixed = len(whole) < len(self.parts)
        if is_mixed and any(len(n) and max(n.max(), -n.min()) > EXACT for n in whole):
            raise NotNumbersError(self.number)
        numbers = np.concatenate([p.numbers for p in self.parts])
        special = None
        if any(p.special is not None for p in self.parts):
            none = np.uint8
            special = np.concatenate(
                [np.zeros(len(p.numbers), none) if p.special is None else p.special for p in self.parts]
            )
        self.parts.clear()
        return numeric_column(self.name, as_integers(numbers) if is_mixed else numbers, special, NA_TEXTS)
