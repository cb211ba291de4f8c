"""A figure that agrees only because some room is left for how programs stop iterating, and that no other one needs.

Programs differ in the last digits of an estimate, but then in most of them alike. One figure that is off by far more
than all others of its output was changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from divulge.readers.handed_in.matching.reading import Checked

_FAR = 20.0
"""How many times further off than the next one a figure is that was changed."""

_FLOOR = 4e-8
"""Where numbers are kept in four bytes, or summed in another order, everything may be off by that much."""

_STOPPED = 2e-4
"""Standard errors by which estimates of programs differ that stop iterating at different points."""

_FEWEST = 3
"""Figures that must show how much room an output needs before another is said to need too much."""


def without_outliers(checked: Sequence[Checked], errors: Mapping[int, float] | None = None) -> tuple[Checked, ...]:
    """The figures, with one said to disagree that needs far more room than the others.

    errors: by the place of a figure, the standard error in which its distance is measured; else in its own size.
    """
    scales = {i: (abs(c.computed or 0.0) if errors is None else errors.get(i, 0.0)) for i, c in enumerate(checked)}
    room = {i: _room(c, scales[i]) for i, c in enumerate(checked) if c.agrees and _is_telling(c) and scales[i] > 0}
    if not room:
        return tuple(checked)
    worst = max(room, key=lambda i: room[i])
    first = room[worst]
    if first <= (_FLOOR if errors is None else _STOPPED):
        return tuple(checked)
    # Others tell something where they are printed precisely enough to show as much.
    fine = [i for i in room if i != worst and checked[i].figure.printed.unit <= first * scales[i]]
    if len(fine) < _FEWEST or any(first <= _FAR * room[i] for i in fine):
        return tuple(checked)
    return tuple(replace(c, agrees=False) if i == worst else c for i, c in enumerate(checked))


_FEW = 2


def without_few(checked: Sequence[Checked]) -> tuple[Checked, ...]:
    """The figures, with one or two said to disagree that alone need more room than rounding."""
    room = {i: _room(c, _size(c)) for i, c in enumerate(checked) if c.agrees}
    far = {
        i
        for i, off in room.items()
        if _is_telling(checked[i]) and off > max(1e-9, 0.1 * checked[i].figure.printed.unit / _size(checked[i]))
    }
    if not 0 < len(far) <= _FEW or len(room) < 2 * _FEWEST:
        return tuple(checked)
    return tuple(replace(c, agrees=False) if i in far else c for i, c in enumerate(checked))


def _size(checked: Checked) -> float:
    return max(abs(checked.computed or 0.0), checked.figure.printed.unit)


def _is_telling(checked: Checked) -> bool:
    printed = checked.figure.printed
    if checked.figure.what == "Wald":
        return False  # the square of what is off already: in the row of the largest it is off by far the most
    return printed.value is not None and checked.computed is not None and not (printed.below or printed.above)


def _room(checked: Checked, scale: float) -> float:
    """How far beyond rounding a figure is from the data."""
    value, computed = checked.figure.printed.value, checked.computed
    if value is None or computed is None:
        return 0.0
    beyond = abs(value - computed) - 0.5001 * checked.figure.printed.unit - 1e-12 * abs(computed)
    return max(beyond, 0.0) / scale
