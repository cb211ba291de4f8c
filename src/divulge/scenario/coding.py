"""Key combinations as integers: mixed-radix codes over the keys' codes, dense where 64 bits would not hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.errors import MeasureError
from divulge.kernels.arrays import Integers

_Columns = Sequence[NDArray[np.integer]]

ROOM = 1 << 62
"""Codes stay below this; one bit short of what int64 holds, so that no intermediate sum overflows."""


@dataclass(frozen=True, eq=False)
class KeyCoding:
    """How combinations of key codes become one code below `radix`, and back.

    cards: how many codes each key has. ranks: before key j is appended, a partial code is replaced by its place in
    ranks[j] where that is not None. This happens only where the combinations would outgrow 64 bits: what is ranked
    are the partial combinations that rows have, so the codes always fit, whatever the number of possible ones.
    """

    cards: tuple[int, ...]
    ranks: tuple[Integers | None, ...]
    radix: int

    @classmethod
    def fit(cls, tables: Sequence[_Columns], cards: Sequence[int], width: int) -> KeyCoding:
        """A coding that every row of `tables` fits, with room to append a target of `width` codes."""
        ranks: list[Integers | None] = []
        radix = 1
        for j, card in enumerate([*cards, width]):
            if radix * card < ROOM:
                ranks.append(None)
            else:
                so_far = cls(tuple(cards[:j]), tuple(ranks), radix)
                found = np.unique(np.concatenate([so_far.encode(columns[:j]) for columns in tables]))
                ranks.append(found)
                radix = max(found.size, 1)
            if radix * card >= ROOM:
                raise MeasureError(
                    f"{radix:,} key combinations times {card:,} values do not fit 64 bits.",
                    hint="Use fewer keys, or group the one with the most values.",
                )
            radix *= card if j < len(cards) else 1
        return cls(tuple(cards), tuple(ranks), radix)

    def encode(self, columns: _Columns) -> Integers:
        """The code of every row, given the key codes column by column."""
        codes: Integers = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
        for column, card, rank in zip(columns, self.cards, self.ranks, strict=False):
            if rank is not None:
                codes = np.searchsorted(rank, codes)
            codes *= card
            codes += column
        if len(self.ranks) > len(self.cards) and (rank := self.ranks[-1]) is not None:
            codes = np.searchsorted(rank, codes)
        return codes

    def unit(self, place: int) -> int | None:
        """Divide a code by this, and its last digit is the code of the key. None where codes are ranks."""
        if any(rank is not None for rank in self.ranks):
            return None
        unit = 1
        for card in self.cards[place + 1 :]:
            unit *= card
        return unit

    def decode(self, codes: Integers) -> list[Integers]:
        """The key codes behind combination codes, column by column."""
        columns: list[Integers] = []
        if len(self.ranks) > len(self.cards) and (last := self.ranks[-1]) is not None:
            codes = last[codes]
        for card, rank in zip(reversed(self.cards), reversed(self.ranks[: len(self.cards)]), strict=True):
            codes, column = np.divmod(codes, max(card, 1))
            columns.append(column)
            if rank is not None:
                codes = rank[codes]
        return columns[::-1]
