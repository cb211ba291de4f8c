"""What a reader found in one column before anything is decided: its distinct values, and which row has which.

Readers make these; `infer` and `conform` say what the column is; `coded` turns it into codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Codes, Integers
from divulge.table.variable import Value, Variable

Numbers = NDArray[Any]
"""An array of int64 or float64."""


@dataclass
class RawColumn:
    """A column as ids: 0 is the empty field, then come the numbers, then the texts.

    numbers: distinct numbers, sorted, where the reader knows that they are numbers.
    texts: distinct texts; the only content where the file has no types (CSV).
    pieces: the ids of consecutive rows. They are used up by `coded`, so that memory is freed column by column.
    is_typed: the file itself says what is text, so texts that look like numbers stay texts.
    own: what the file itself says about the variable (labels, missing codes), where it says anything.
    """

    name: str
    texts: Sequence[str]
    pieces: list[Codes]
    numbers: Numbers | None = None
    is_typed: bool = False
    own: Variable | None = None

    @property
    def values(self) -> list[Value]:
        """Every distinct value but the empty field, in the order of the ids from 1."""
        numbers: list[Value] = [] if self.numbers is None else self.numbers.tolist()
        return [*numbers, *self.texts]

    @property
    def n_ids(self) -> int:
        """How many ids there are, the empty field's included."""
        return 1 + (0 if self.numbers is None else len(self.numbers)) + len(self.texts)

    @property
    def has_empty(self) -> bool:
        """Whether some row is empty."""
        return any(not piece.all() for piece in self.pieces)

    def counts(self, people: Integers | None = None) -> Integers:
        """How many people have each id. people: how many each row stands for; one where None."""
        total, start = np.zeros(self.n_ids, dtype=np.int64), 0
        for piece in self.pieces:
            weights = None if people is None else people[start : start + len(piece)]
            total += np.bincount(piece, weights, minlength=len(total)).astype(np.int64)
            start += len(piece)
        return total

    def coded(self, lookup: Integers, dtype: np.dtype[np.unsignedinteger]) -> Codes:
        """The column as codes. Uses up the pieces."""
        n_rows = sum(len(p) for p in self.pieces)
        codes = np.empty(n_rows, dtype=dtype)
        # An id without a code occurs in no row: whoever made the lookup has checked that.
        narrow = np.maximum(lookup, 0).astype(dtype)
        end = n_rows
        while self.pieces:
            piece = self.pieces.pop()
            # Ids lie within the lookup, so clipping changes nothing; it spares numpy a buffer as large as the piece.
            np.take(narrow, piece, out=codes[end - len(piece) : end], mode="clip")
            end -= len(piece)
        codes.setflags(write=False)
        return codes


def numeric_column(
    name: str, numbers: Numbers, special: NDArray[np.integer] | None = None, texts: Sequence[str] = ()
) -> RawColumn:
    """A column of numbers. special: 0 for a number, 1 for the empty field, 2 + k for texts[k] (a missing code)."""
    if special is None or not special.any():
        values, places = np.unique(numbers, return_inverse=True)
        ids = places.astype(np.min_scalar_type(len(values)))
        ids += 1
        return RawColumn(name, (), [ids], values, is_typed=True)
    is_number = special == 0
    values, places = np.unique(numbers[is_number], return_inverse=True)
    used = [k for k in range(len(texts)) if (special == k + 2).any()]
    place_of = np.zeros(len(texts) + 2, dtype=np.int64)
    for i, k in enumerate(used):
        place_of[k + 2] = 1 + len(values) + i
    ids = place_of[special].astype(np.min_scalar_type(len(values) + len(used)))
    ids[is_number] = places + 1
    return RawColumn(name, [texts[k] for k in used], [ids], values, is_typed=True)
