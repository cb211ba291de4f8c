"""A figure for the people who were in the data beside the same figure for people who were not.

What is learnt about both alike is statistics; what is learnt more about those who were in is disclosure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from scipy.special import stdtr

from divulge.measures.estimate import Estimate, Interval
from divulge.measures.families.family import Measure
from divulge.measures.intervals import difference


@dataclass(frozen=True)
class _Welch:
    """Welch's (1947) t test of two means. Taub (2018) calls data differentially confidential where it finds nothing."""

    t: float
    degrees_of_freedom: float
    p: float


@dataclass(frozen=True)
class Contrast:
    """Original minus holdout.

    interval: unpaired, from the intervals of the two figures (Newcombe 1998, method 10).
    anonymeter: (r_original − r_holdout)/(1 − r_holdout) (Giomi 2023), not clipped: negative is as good as zero.
    welch: for figures that are means over people.
    """

    name: str
    value: float
    original: float
    holdout: float
    interval: Interval | None = None
    anonymeter: float = math.nan
    welch: _Welch | None = None
    caveats: tuple[str, ...] = field(default=())


def contrast(measure: Measure, original: Estimate, holdout: Estimate, n_original: int, n_holdout: int) -> Contrast:
    """The difference of one measure between original and holdout of so many people."""
    a, b = original.value, holdout.value
    of_people = measure.of == "people"
    caveats: tuple[str, ...] = ()
    if not of_people:
        caveats = ("It speaks of the synthetic data alone, so original and holdout cannot differ.",)
    elif math.isnan(a - b):
        caveats = ("It is undefined for the original or for the holdout.",)
    elif measure.moves_with_size and n_original != n_holdout:
        caveats = (f"It moves with the number of people, and {n_original:,} are compared with {n_holdout:,}.",)
    return Contrast(
        original.name,
        a - b,
        a,
        b,
        interval=difference(a, original.interval, b, holdout.interval) if of_people else None,
        anonymeter=(a - b) / (1 - b) if measure.is_share and b < 1 else math.nan,
        welch=_welch(original, holdout) if of_people else None,
        caveats=caveats,
    )


def _welch(a: Estimate, b: Estimate) -> _Welch | None:
    """Welch's test, where both figures are means with a standard error."""
    se_a, se_b = a.details.get("standard_error"), b.details.get("standard_error")
    if se_a is None or se_b is None or a.n is None or b.n is None:
        return None
    squares = se_a**2 + se_b**2
    if not squares > 0:
        return None
    t = (a.value - b.value) / math.sqrt(squares)
    freedom = squares**2 / (se_a**4 / (a.n - 1) + se_b**4 / (b.n - 1))
    return _Welch(t, freedom, float(2 * stdtr(freedom, -abs(t))))
