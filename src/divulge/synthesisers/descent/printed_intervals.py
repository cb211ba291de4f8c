"""What is left of the figures, in half units of the intervals that are aimed at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.objective.views import View

_REACH = 2.0
"""How wide an interval is aimed at, in changes: a coefficient printed as 0.00 that each change moves by a millionth may
be anywhere for all its digits say, but far from where it is now nothing adds up any more."""


@dataclass(frozen=True, eq=False)
class Box:
    """Figures that count, with how far each is from the middle of its interval: within ±1 it is as printed."""

    errors: Floats
    half: Floats
    counts: Integers  # their places among the residuals

    def part(self, chosen: Mask) -> Box:
        return Box(self.errors[chosen], self.half[chosen], self.counts[chosen])

    def widened(self, bend: float) -> Box:
        """The same with intervals wider by this share of how far figures are from their middles: by so much may
        what changes do be misjudged."""
        width = 1.0 + bend * np.abs(self.errors)
        return Box(self.errors / width, self.half * width, self.counts)

    def narrowed(self, shifts: Floats) -> Box:
        """The same with intervals no wider than a change or two reach, the nearest such part of each.

        shifts (changes, figures): what proposed changes do, in half units.
        """
        moving = np.count_nonzero(shifts, axis=0)
        size = np.sqrt((shifts**2).sum(axis=0) / np.maximum(moving, 1))
        width = np.where(moving > 0, np.clip(_REACH * size, 1e-12, 1.0), 1.0)  # of 0 nothing could be a share
        middle = np.clip(self.errors, width - 1.0, 1.0 - width)
        return Box((self.errors - middle) / width, self.half * width, self.counts)


def box_of(view: View, units: Sequence[Floats], n: int) -> Box:
    """The first n residuals. An open interval counts as far as its end is away."""
    low, high, now = view.goal.low[:n], view.goal.high[:n], view.residuals[:n]
    unit = np.concatenate([np.zeros(0), *units])[:n]
    closed = np.isfinite(low) & np.isfinite(high)
    has_low = np.isfinite(low)
    lows, highs = np.where(has_low, low, 0.0), np.where(np.isfinite(high), high, 0.0)
    away = np.where(has_low, now - lows, highs - now)
    half = np.where(closed, (highs - lows) / 2, away)
    half = np.where(half > 0, half, unit)
    inside = np.where(has_low, lows + unit, highs - unit)
    middle = np.where(closed, (lows + highs) / 2, np.where(away > 0, now, inside))
    counts = np.flatnonzero(has_low | np.isfinite(high))
    return Box(((now - middle) / half)[counts], half[counts], counts)
