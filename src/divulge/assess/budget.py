"""How long each search of an assessment may take, so that the whole ends in time.

Splits come first: they carry the verdict. The learning curve, the picture of risk against error and the outputs one by
one have what is left, a quarter or so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

BUDGET = 60.0
"""Seconds for all searches of an assessment on two processors, where the spec gives none for a search."""

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


def limits_of(is_first: bool, n_passes: int, n_splits: int, n_smaller: int, budget: float = BUDGET) -> Limits:
    """The limits of the searches of one pass. n_splits, n_smaller: how many splits it has, and parts on the curve."""
    share = 1.0 if n_passes == 1 else _TOGETHER if is_first else (1 - _TOGETHER) / (n_passes - 1)
    seconds, cores = share * budget, os.cpu_count() or 1
    splits = seconds * (1 - _WHOLE - _FOLLOWED - _SMALLER)
    return Limits(
        seconds * _WHOLE,
        splits * cores / min(max(n_splits, 1), _USUAL_SPLITS),
        seconds * _SMALLER * cores / max(n_smaller, 1),
        seconds * _FOLLOWED,
    )
