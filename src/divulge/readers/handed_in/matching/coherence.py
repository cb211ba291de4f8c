"""Figures of a regression that no fit gives, beside those of their own row: one that was mistyped shows there.

Standard errors of a survey's design, for instance, are not computed again. Yet t is b/se, p follows from t, and a
confidence interval is symmetric about its coefficient and as wide in every row, in standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from scipy.special import ndtr, stdtr

from divulge.readers.handed_in.candidates.numbers import Printed
from divulge.readers.handed_in.matching.reading import Checked

Range = tuple[float, float]
Row = dict[str, Checked]

_ROOM = 0.6
"""Units of the last place by which a printed figure may be off."""


def coherent(checked: Sequence[Checked]) -> tuple[Checked, ...]:
    """The figures, with those said to disagree that contradict their row."""
    is_hopeless = 2 * sum(c.agrees is False for c in checked) > len(checked)
    if is_hopeless or all(_is_sure(c) or c.figure.of is None for c in checked):
        return tuple(checked)
    rows: dict[str, Row] = {}
    for one in checked:
        if one.figure.of is not None and one.figure.printed.value is not None:
            rows.setdefault(one.figure.of, {})[_CALLED.get(one.figure.what, one.figure.what)] = one
    # A ratio of counts may be taken of one class; only rows with a coefficient of their own are compared.
    full = [row for row in rows.values() if "coefficient" in row]
    wrong = {id(row[what]) for row in full for what in _contradicted(row)}
    wrong |= {id(row["p-value"]) for row in _unlikely(full)}
    wrong |= {id(row[what]) for row in _as_wide(full) for what in ("standard error", "lower", "upper")}
    return tuple(replace(c, agrees=False) if id(c) in wrong and not _is_sure(c) else c for c in checked)


def _is_sure(checked: Checked) -> bool:
    """Whether a figure is what the data give to its last digit, or was said to disagree already."""
    printed = checked.figure.printed
    if not checked.agrees or checked.computed is None or printed.value is None or printed.below or printed.above:
        return checked.agrees is not None
    return abs(printed.value - checked.computed) <= 0.51 * printed.unit


_CALLED = {"z": "t", "lower 95%": "lower", "upper 95%": "upper"}


def _contradicted(row: Row) -> list[str]:
    b, se, t = (_range(row, what) for what in ("coefficient", "standard error", "t"))
    out = []
    if b and se and t and se[0] > 0 and not _meet(t, _ratio(b, se)):
        out += ["coefficient", "standard error", "t"]
    low, high = _range(row, "lower"), _range(row, "upper")
    if b and low and high and _is_symmetric(row) and not _meet(b, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)):
        out += ["coefficient", "lower", "upper"]
    return out


def _is_symmetric(row: Row) -> bool:
    """Whether an interval is one about the coefficient, as far as it was computed: not of ratios, nor by a profile."""
    b, low, high = (row[what].computed if what in row else None for what in ("coefficient", "lower", "upper"))
    if b is None or low is None or high is None:
        return True
    return abs((low + high) / 2 - b) <= 1e-3 * abs(high - low)


_DEGREES = (*map(float, range(1, 200)), 250.0, 500.0, 1000.0, math.inf)
"""Degrees of freedom that a p-value may rest on: a survey has its clusters less its strata."""


def _unlikely(rows: Sequence[Row]) -> list[Row]:
    """The rows whose p does not follow from t by the degrees of freedom by which it does in most of them."""
    sizes = []
    for row in rows:
        b, se, t = (_range(row, what) for what in ("coefficient", "standard error", "t"))
        size = _abs(t or (_ratio(b, se) if b and se and se[0] > 0 else None))
        if size and "p-value" in row:
            sizes.append((row, row["p-value"].figure.printed, size))
    wrong = min(([r for r, p, size in sizes if not _is_p(p, size, df)] for df in _DEGREES), key=len)
    return wrong if len(sizes) > 2 and 2 * len(wrong) < len(sizes) else []


def _is_p(p: Printed, size: Range, df: float) -> bool:
    likely, least = (2 * float(ndtr(-x) if math.isinf(df) else stdtr(df, -x)) for x in size)
    if p.below:
        return least < (p.value or 0.0)
    return p.agrees(likely, _ROOM, 1e-2) or p.agrees(least, _ROOM, 1e-2) or least <= (p.value or 0.0) <= likely


def _as_wide(rows: Sequence[Row]) -> list[Row]:
    """The rows whose interval is not as many standard errors wide as those of the others."""
    widths = []
    for row in rows:
        se, low, high = (_range(row, what) for what in ("standard error", "lower", "upper"))
        if se and low and high and se[0] > 0 and _is_symmetric(row):
            widths.append((row, ((high[0] - low[1]) / se[1], (high[1] - low[0]) / se[0])))
    if len(widths) < 3:
        return []
    ordered = sorted((width for _, width in widths), key=lambda w: w[0] + w[1])
    usual = ordered[len(ordered) // 2]
    return [row for row, width in widths if not _meet(width, usual)]


def _range(row: Row, what: str) -> Range | None:
    """The values that round to what was printed."""
    printed = row[what].figure.printed if what in row else None
    if printed is None or printed.value is None or printed.below or printed.above:
        return None
    off = _ROOM * printed.unit + 1e-6 * abs(printed.value)
    return printed.value - off, printed.value + off


def _ratio(a: Range, b: Range) -> Range:
    ends = [x / y for x in a for y in b]
    return min(ends), max(ends)


def _abs(a: Range | None) -> Range | None:
    if a is None:
        return None
    return (0.0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))), max(abs(a[0]), abs(a[1]))


def _meet(a: Range, b: Range) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]
