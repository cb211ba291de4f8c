"""Ranges of numbers as they may be told: an end that only few people have is rounded outwards."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from numpy.typing import NDArray

from divulge.kernels.arrays import Integers

SMALLEST_GROUP = 10
"""So many people may share what is told: the policy's usual smallest group."""
_PARTS = 10  # an end moves by at most a tenth of the range
_COARSEST_WHOLE = 5  # whole numbers are rounded to fives at least: to ones would be not to round


def rounded_range(values: NDArray[Any], counts: Integers, least: int = SMALLEST_GROUP) -> tuple[Any, Any]:
    """The lowest and highest of sorted values that occur, rounded outwards where fewer than `least` rows have it."""
    used = counts > 0
    values, counts = values[used], counts[used]
    if not len(values):
        return 0, 0
    low, high = values[0].item(), values[-1].item()
    unit = _unit(float(high) - float(low) or abs(float(high)) or 1.0)
    if isinstance(low, int):
        unit = max(unit, Decimal(_COARSEST_WHOLE))
    if counts[0] < least:
        low = _outwards(low, unit, ROUND_FLOOR)
    if counts[-1] < least:
        high = _outwards(high, unit, ROUND_CEILING)
    return low, high


def _unit(span: float) -> Decimal:
    """1, 2 or 5 times a power of ten: the largest that is at most a tenth of the range."""
    power = Decimal(10) ** math.floor(math.log10(span / _PARTS))
    return max(power * m for m in (1, 2, 5) if float(power * m) <= span / _PARTS * (1 + 1e-9))


def _outwards(value: int | float, unit: Decimal, rounding: str) -> int | float:
    rounded = (Decimal(str(value)) / unit).to_integral_value(rounding) * unit
    return int(rounded) if isinstance(value, int) and rounded == int(rounded) else float(rounded)
