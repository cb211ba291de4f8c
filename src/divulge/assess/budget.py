"""How long each search of an assessment may take, so that the whole ends in time.

Splits come first: they carry the verdict. The learning curve, the picture of risk against error and the outputs one by
one have what is left, a quarter or so, and are left out where there is nothing left.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from divulge.kernels.compiling import working_time

BUDGET = 60.0
"""Seconds for all searches of an assessment on two processors, where the spec gives none for a search."""

_AFTER = 4.0
"""Seconds kept for what comes after the passes: statistics, the verdict, the report."""

_LEAST = 0.05
"""Seconds that a search has though the time is over: enough for a start and single moves on some thousand rows."""

_TOGETHER = 0.75
"""Share of the time that the outputs together have, where each is assessed alone too."""

_USUAL_SPLITS = 50
"""Splits that the budget is for: thirty, and twenty more for whoever is exposed. Whoever asks for more waits longer."""

_WHOLE, _FOLLOWED, _SMALLER = 0.15, 0.05, 0.15
"""Shares of a pass: all rows, the search that is followed for the picture, the learning curve. Splits have the rest."""


@dataclass(frozen=True)
class Limits:
    """The longest that one search of a pass may take, in seconds, by what it is for."""

    whole: float
    split: float
    smaller: float
    followed: float


@dataclass(frozen=True)
class Clock:
    """When a pass, or all of them, are to end, on a clock that stands still while kernels are compiled."""

    ends: float = float("inf")

    @classmethod
    def of(cls, budget: float) -> Clock:
        """From now on; what comes after the passes is taken off."""
        return cls(working_time() + max(budget - _AFTER, budget / 2))

    @property
    def left(self) -> float:
        return max(0.0, self.ends - working_time())

    @property
    def is_over(self) -> bool:
        return self.left <= 0

    def part(self, share: float) -> Clock:
        """One that runs for this share of the time left."""
        return Clock(working_time() + share * self.left)

    def limit(self, most: float, n: int, is_shared: bool = False, beside: float = 0.0) -> float:
        """The longest that each of n searches may take: no longer than `most`, and so that all of them end in time.

        is_shared: whether several processes share them. beside: seconds that each takes for other things.
        """
        each = self.left * ((os.cpu_count() or 1) if is_shared else 1) / max(n, 1)
        return max(_LEAST, min(most, each - beside))

    def suffices(self, n: int, seconds: float) -> bool:
        """Whether there is time for n more splits that take so many seconds each."""
        return self.left >= n * seconds


def share_of(is_first: bool, n_passes: int) -> float:
    """The share of the budget that a pass has."""
    return 1.0 if n_passes == 1 else _TOGETHER if is_first else (1 - _TOGETHER) / (n_passes - 1)


def limits_of(is_first: bool, n_passes: int, n_splits: int, n_smaller: int, budget: float = BUDGET) -> Limits:
    """The limits of the searches of one pass. n_splits, n_smaller: how many splits it has, and parts on the curve."""
    seconds, cores = share_of(is_first, n_passes) * budget, os.cpu_count() or 1
    splits = seconds * (1 - _WHOLE - _FOLLOWED - _SMALLER)
    return Limits(
        seconds * _WHOLE,
        splits * cores / min(max(n_splits, 1), _USUAL_SPLITS),
        seconds * _SMALLER * cores / max(n_smaller, 1),
        seconds * _FOLLOWED,
    )
