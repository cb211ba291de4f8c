"""What every measure returns: one frozen shape, so that reports never learn a measure's name.

An undefined value is NaN with its numerator, denominator and a caveat that says why; it is never 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from divulge.kernels.arrays import Floats


@dataclass(frozen=True)
class Interval:
    """A confidence interval, and how it was made (`wilson`, `normal`, `newcombe`, `bootstrap`, …)."""

    low: float
    high: float
    method: str
    level: float = 0.95


@dataclass(frozen=True)
class Estimate:
    """One risk figure.

    value: the figure, NaN where it is undefined. Shares are fractions, never percentages.
    numerator, denominator: what was divided, where the figure is a ratio; both are shown even where it is undefined.
    baseline: what an intruder reaches who knows nothing but the target's distribution (or what the measure says).
    n: how many rows the figure rests on.
    details: further figures as plain data; never a row value of the data.
    caveats: sentences that must be read beside the figure.
    scores: the figure of every row, where the measure has one. For the assessment; never written to a record.
    """

    name: str
    value: float
    numerator: float | None = None
    denominator: float | None = None
    baseline: float | None = None
    interval: Interval | None = None
    n: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    scores: Floats | None = field(default=None, repr=False, compare=False, metadata={"recorded": False})
    """One number a row of the people scored (the original, or the holdout); NaN where the row has none."""

    @property
    def is_defined(self) -> bool:
        return not math.isnan(self.value)


def ratio(name: str, numerator: float, denominator: float, *, undefined: str, **rest: Any) -> Estimate:
    """numerator ÷ denominator as an Estimate; NaN with the caveat `undefined` where the denominator is 0."""
    if denominator:
        return Estimate(name, numerator / denominator, numerator, denominator, **rest)
    caveats = (*rest.pop("caveats", ()), undefined)
    return Estimate(name, math.nan, numerator, denominator, caveats=caveats, **rest)


def calibrated(value: float, base: float) -> float:
    """(x − base)/(1 − base): 0 at the baseline, 1 at certainty (Taub 2018; Little 2025). NaN where base is 1."""
    return (value - base) / (1.0 - base) if base < 1.0 else math.nan
