"""Shares and means over people as estimates, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from divulge.measures.estimate import Estimate, calibrated, ratio
from divulge.measures.intervals import normal, ratio_standard_error, wilson


def share(name: str, hits: float, of: float, undefined: str, **rest: Any) -> Estimate:
    """hits of so many rows, with Wilson's interval. undefined: why there is no figure where there are no rows."""
    return ratio(name, hits, of, undefined=undefined, n=of, interval=wilson(hits, of), **rest)


def mean(
    name: str,
    total: float,
    squares: float,
    n: int,
    base: float,
    undefined: str,
    details: Mapping[str, Any] | None = None,
    **rest: Any,
) -> Estimate:
    """The mean of a probability over n rows, from its sum and its sum of squares, with a normal interval."""
    error = ratio_standard_error(n, squares, total, n, total, n)
    value = total / n if n else math.nan
    return ratio(
        name,
        total,
        n,
        undefined=undefined,
        baseline=base,
        n=n,
        interval=normal(value, error),
        details={"calibrated": calibrated(value, base), **(details or {}), "standard_error": error},
        **rest,
    )
