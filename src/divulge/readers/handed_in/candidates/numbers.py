"""Figures as they were printed: the text, its number, and the interval that rounds to it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

Decimal = Literal[".", ","]

_DOT = r"(?:\d{1,3}(?:[, '\u2009\u202f]\d{3})+|\d+)?(?:\.\d*)?"
_COMMA = r"(?:\d{1,3}(?:[. '\u2009\u202f]\d{3})+|\d+)?(?:,\d*)?"
_BODY = {".": _DOT, ",": _COMMA}
_SIGN = r"[-−–+]?\s?"
_EXPONENT = r"(?:[eE][-−+]?\d+|\s?[×x]\s?10\^?[-−]?\d+)?"
SUPPRESSED = re.compile(
    r"^(?:[*†‡xXcC]|\.\.+|…|--+|[-–—]|[<≤]\s?\d+|n/?a|NaN|supp(?:ressed|r)?\.?|\[[a-z]\]|:|#|s|z|\(\.\))$"
)
REFERENCE = re.compile(
    r"^\(?(?:(?:1|1\.0+|0|0\.0+)\s*)?\(?(?:ref(?:erence|\.)?|base(?:line)?|\(base\)|Referenz)\.?\)?\)?$", re.I
)


ROUNDED = 0.5 + 1e-6
"""Units of the last place by which a figure is off that was rounded, and nothing else."""


@dataclass(frozen=True)
class Printed:
    """A figure in a file. value: None where it is withheld. below, above: it is less, or more, than the value."""

    text: str
    value: float | None
    unit: float = 0.0
    stars: str = ""
    is_percent: bool = False
    below: bool = False
    above: bool = False

    @property
    def is_suppressed(self) -> bool:
        return self.value is None

    @property
    def decimals(self) -> int:
        return max(0, -round(math.log10(self.unit))) if self.unit else 0

    @property
    def plain(self) -> str:
        """The figure as a spec has it: without separators and signs of a unit; `<10` and `*` as they are."""
        if self.value is None:
            return self.text if re.fullmatch(r"<\s*\d+", self.text) else "suppressed"
        return f"{'<' if self.below else '>' if self.above else ''}{self.value:.{self.decimals}f}"

    def agrees(self, value: float, units: float = ROUNDED, relative: float = 1e-9) -> bool:
        """Whether a value from the data rounds to what was printed; units: how many of the last place are allowed."""
        if self.value is None or math.isnan(value):
            return False
        if self.below:
            return value < self.value * (1 + 1e-9)
        if self.above:
            return value > self.value * (1 - 1e-9)
        return abs(value - self.value) <= units * self.unit + relative * abs(value)


def parse_number(text: str, decimal: Decimal = ".") -> Printed | None:
    """A single figure, or None where the text is none."""
    bare = text.strip()
    stars = ""
    match = re.search(r"\s*([*†‡§+]{1,3}|[a-d])$", bare)
    if match and re.search(r"\d", bare[: match.start()]) and not (match[1] in "abcd" and "e" in bare):
        stars, bare = match[1], bare[: match.start()]
    below, above = bool(re.match(r"^[<≤]", bare)), bool(re.match(r"^[>≥]", bare))
    bare = re.sub(r"^[<≤>≥=]\s*", "", bare)
    percent = bare.endswith("%")
    bare = bare.removesuffix("%").strip()
    if not re.fullmatch(_SIGN + _BODY[decimal] + _EXPONENT, bare) or not re.search(r"\d", bare):
        return None
    value, unit = _valued(bare, decimal)
    return Printed(
        text.strip()[: len(text.strip())] if not stars else text.strip()[: -len(stars)].strip(),
        value,
        unit,
        stars,
        percent,
        below,
        above,
    )


def _valued(bare: str, decimal: Decimal) -> tuple[float, float]:
    plain = (
        bare.replace("−", "-")
        .replace("–", "-")
        .replace(" ", "")
        .replace("\u2009", "")
        .replace("\u202f", "")
        .replace("'", "")
    )
    thousands = "," if decimal == "." else "."
    head, _, power = re.sub(r"[×x]10\^?", "e", plain).replace("E", "e").partition("e")
    head = head.replace(thousands, "").replace(decimal, ".")
    digits = head.partition(".")[2]
    exponent = int(power) if power else 0
    try:
        return float(f"{head}e{exponent}"), 10.0 ** (exponent - len(digits))
    except (ValueError, OverflowError):
        return math.nan, 0.0


@dataclass(frozen=True)
class CellFigures:
    """What one cell holds: its figure, and those in brackets after it."""

    main: Printed | None
    inner: tuple[Printed, ...] = ()
    bracket: str = ""
    is_reference: bool = False
    alone: bool = False
    """Whether the cell holds a bracket and nothing before it: a standard error under its coefficient."""


_PAIR = re.compile(r"^(?P<main>[^()\[\]]*?)\s*(?P<open>[(\[])(?P<inner>[^()\[\]]*)[)\]](?P<rest>.*)$")


def parse_cell(text: str, decimal: Decimal = ".") -> CellFigures | None:
    """The figures of a cell such as 0.12***, (0.03), 98 (49%), 64 [57, 70] or 2.80 (1.06–7.43); None: a text."""
    bare = text.strip()
    if not bare:
        return None
    if REFERENCE.match(bare) and re.search(r"[a-z]", bare, re.I):
        return CellFigures(None, is_reference=True)
    if SUPPRESSED.match(bare):
        return CellFigures(Printed(bare, None))
    spread = re.match(r"^([^±()\[\]]+?)\s*(?:±|\+/-|\+-)\s*([^±()\[\]]+)$", bare)
    if spread is not None and (main := parse_number(spread[1], decimal)) is not None:
        return CellFigures(main, _inner(spread[2], decimal), "±")
    match = _PAIR.match(bare)
    if match is None:
        number = parse_number(bare, decimal)
        if number is None and re.match(r"^-?[\d.,]+(?:\s*[-–—/;]\s*|,\s+|\s+to\s+)[-−]?[\d.,]+$", bare):
            parts = _inner(bare, decimal)
            return CellFigures(None, parts, "") if len(parts) == 2 else None
        return None if number is None else CellFigures(number)
    main = parse_number(match["main"] + match["rest"].strip(), decimal) if match["main"].strip() else None
    inside = match["inner"].strip()
    if match["main"].strip() and main is None:
        if SUPPRESSED.match(match["main"].strip()):
            return CellFigures(Printed(match["main"].strip(), None), _inner(inside, decimal), match["open"])
        return None
    if REFERENCE.match(inside):
        return CellFigures(main, is_reference=True)
    inner = _inner(inside, decimal)
    if not inner and main is None:
        return None
    return CellFigures(main, inner, match["open"], alone=main is None)


def _inner(text: str, decimal: Decimal) -> tuple[Printed, ...]:
    """The figures in a bracket: one, or two ends of an interval."""
    bare = re.sub(r"^(?:95\s?%\s*(?:CI|KI)[:,]?|IQR[:,]?|SD[:=]?|SE[:=]?|p\s*=?)\s*", "", text.strip(), flags=re.I)
    whole = parse_number(bare, decimal)
    if whole is not None:
        return (whole,)
    if SUPPRESSED.match(bare):
        return (Printed(bare, None),)
    for split in (
        r"\s+(?:to|bis|à|and|und)\s+",
        r"\s*;\s*",
        r",\s+",
        r"\s+[-–—]\s+",
        r"(?<=[\d%])\s*[–—]\s*",
        r"(?<=[\d%])-(?=[\d.])",
        r"(?<=\.\d{3})\s*/\s*(?=-?[01]?\.\d{3})",
        r"\s*,\s*" if decimal == "." else r"\s{2,}",
    ):
        parts = re.split(split, bare)
        if len(parts) == 2:
            numbers = [parse_number(p, decimal) for p in parts]
            if all(n is not None for n in numbers):
                return tuple(n for n in numbers if n is not None)
    return ()


def decimal_of(cells: list[str]) -> Decimal:
    """Whether the cells of a table have decimal commas: some cannot be read otherwise, none cannot be read so."""
    comma = sum(bool(re.search(r"(?<![\d.])(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))(?!\d)", c)) for c in cells)
    grouped = sum(bool(re.search(r"\d{1,3}(?:\.\d{3})+,\d", c)) for c in cells)
    dot = sum(bool(re.search(r"\d*\.\d{1,2}(?!\d)|\d+\.\d{4,}", c)) for c in cells)
    return "," if comma + grouped > 0 and dot == 0 else "."
