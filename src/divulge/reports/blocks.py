"""What a report consists of, whatever its format: sections of lines, tables and plots, made of words and figures.

A `Figure` is fetched from the record and keeps the place that it was fetched from, so that no format can show a figure
that the record does not hold. A `Name` is text of the data or the spec, which every format escapes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Control characters, breaks of lines, marks that turn the direction of text, halves of characters: never shown."""

UNDEFINED = "undefined"


@dataclass(frozen=True)
class Figure:
    """A number of the record as printed. source: where it stands in the record, as a JSON pointer (RFC 6901)."""

    text: str
    source: str


@dataclass(frozen=True, init=False)
class Name:
    """Words that come from the data or the spec: a stranger's."""

    text: str

    def __init__(self, text: object) -> None:
        object.__setattr__(self, "text", UNSEEN.sub(" ", str(text)).strip())


Piece = str | Name | Figure
Line = tuple[Piece, ...]


@dataclass(frozen=True)
class Points:
    """A list of short lines."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Caveat:
    """A line that must not be overlooked."""

    line: Line


@dataclass(frozen=True)
class Grid:
    """A table. numbers: the columns that hold figures. heads: how many columns name the row.

    over: what the columns of figures are the values of (the variable across a crosstab).
    risky: cells (row, column) that give somebody away: 2 mostly, 1 in part.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    numbers: frozenset[int] = frozenset()
    heads: int = 1
    over: str = ""
    risky: Mapping[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True)
class Plot:
    """A drawing of `grid`, which is the table behind it. draw: a name of `charts.CHARTS`; data: what it is called with.

    says: what the plot shows, for those who cannot see it. is_open: whether the table is seen at once.
    """

    title: Line
    says: Line
    draw: str
    grid: Grid
    data: Mapping[str, Any] = field(default_factory=dict)
    is_open: bool = False


@dataclass(frozen=True)
class Fold:
    """Blocks that are at hand, but closed at first."""

    title: Line
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Beside:
    """Blocks of one sort, beside each other where there is room."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Heading:
    line: Line
    badge: str | None = None


@dataclass(frozen=True, init=False)
class Code:
    """Text as it was written, line by line: the spec."""

    text: str

    def __init__(self, text: str) -> None:
        shown = "\n".join(UNSEEN.sub(" ", line.expandtabs()).rstrip() for line in text.splitlines())
        object.__setattr__(self, "text", shown)


@dataclass(frozen=True)
class Terms:
    """Words and what they mean."""

    pairs: tuple[tuple[str, str], ...]


Block = Line | Points | Caveat | Grid | Plot | Fold | Beside | Heading | Code | Terms


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    blocks: tuple[Block, ...]


class Source:
    """A record to take figures from. What is not there is None, since records grow."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record

    def get(self, *path: str | int) -> Any:
        value: Any = self.record
        for step in path:
            if isinstance(value, Mapping):
                value = value.get(str(step))
            elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def many(self, *path: str | int) -> list[tuple[str | int, ...]]:
        """The paths of the entries of a list or a mapping."""
        value = self.get(*path)
        if isinstance(value, Mapping):
            return [(*path, str(key)) for key in value]
        return [(*path, i) for i in range(len(value or ()))]

    def name(self, *path: str | int) -> Name:
        value = self.get(*path)
        return Name("" if value is None else value)

    def four(self, *path: str | int) -> Figure:
        """With four decimals: shares, risks, measures."""
        return self.decimals(4, *path)

    def decimals(self, n: int, *path: str | int) -> Figure:
        value = self.get(*path)
        text = UNDEFINED if value is None else f"{value:.{n}f}"
        # What rounds to nothing has no sign.
        return Figure(text.removeprefix("-") if text.strip("-0.") == "" else text, _pointer(path))

    def short(self, *path: str | int) -> Figure:
        """With as many digits as matter: errors, thresholds, figures of unknown precision."""
        value = self.get(*path)
        if value is None:
            return Figure(UNDEFINED, _pointer(path))
        if value and abs(value) < 0.001:
            # Two digits, and no exponent that a reader has to decode.
            return self.decimals(1 - math.floor(math.log10(abs(value))), *path)
        return Figure(f"{value:.6g}" if abs(value) < 1e6 else f"{value:,.0f}", _pointer(path))

    def whole(self, *path: str | int) -> Figure:
        value = self.get(*path)
        return Figure(UNDEFINED if value is None else f"{round(value):,}", _pointer(path))

    def whole_plain(self, *path: str | int) -> Figure:
        """A number that is a name rather than an amount: a seed."""
        return Figure(str(self.get(*path)), _pointer(path))

    def percent(self, *path: str | int) -> Figure:
        value = self.get(*path)
        return Figure(UNDEFINED if value is None else f"{value:.1%}", _pointer(path))

    def interval(self, *path: str | int) -> Line:
        """ "low to high", or nothing where there is no interval."""
        low, high = self.get(*path, 0), self.get(*path, 1)
        return () if low is None or high is None else (self.four(*path, 0), " to ", self.four(*path, 1))


def _pointer(path: tuple[str | int, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def plain(line: Line) -> str:
    """A line as text alone."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in line)
