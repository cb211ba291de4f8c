"""What a printed number says: the interval in which the figure behind it lies, and whether another agrees with it.

A figure printed as 0.3404 lies between 0.34035 and 0.34045; a count rounded to base 5 within 2.5; a suppressed one
below the threshold. Reading released values from files is in `released.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.settings import Range, check_settings

SLACK = 1e-9
"""Relative. Halves are rounded up by some programs and to even by others, and sums of floats depend on their order."""

MOST_DECIMALS = 15
"""A float holds no more digits than that."""


FAR = 30.0
"""What a coefficient without a finite value stands beyond: odds of e³⁰ need more people than there are."""

Decimals = Annotated[
    int | tuple[int, ...] | None,
    "How many decimals are printed; a list has one number for each figure.",
    Range(least=-MOST_DECIMALS, most=MOST_DECIMALS),
]
Significant = Annotated[int | None, "How many significant digits are printed.", Range(least=1, most=MOST_DECIMALS)]
Base = Annotated[float | None, "The figures are rounded to multiples of this.", Range(above=0)]


@dataclass(frozen=True)
class Precision:
    """How figures are printed: to so many decimals, to so many significant digits, or to multiples of a base.

    decimals: for all figures, or one number for each of them in their order.
    """

    decimals: Decimals = None
    significant: Significant = None
    base: Base = None

    def __post_init__(self) -> None:
        check_settings(self)
        given = [n for n in ("decimals", "significant", "base") if getattr(self, n) is not None]
        if len(given) > 1:
            raise OutputError(f"{' and '.join(given)} exclude each other.", where=given[1], hint="Give one of them.")

    def _listed_decimals(self) -> tuple[int, ...]:
        return self.decimals if isinstance(self.decimals, tuple) else (self.decimals or 0,)

    def _decimals_of(self, n_figures: int) -> Integers:
        """The decimals of each figure."""
        if isinstance(self.decimals, tuple) and len(self.decimals) != n_figures:
            raise OutputError(
                f"decimals for {n_figures:,} figures are needed, {len(self.decimals):,} are given.", where="decimals"
            )
        return np.broadcast_to(np.array(self._listed_decimals()), n_figures).astype(np.int64)

    def first(self, n: int) -> Precision:
        """Of the first n figures."""
        return replace(self, decimals=self.decimals[:n]) if isinstance(self.decimals, tuple) else self

    def half_units(self, values: Floats) -> Floats:
        """Half a unit of the last printed digit, for each value. A NaN counts as the smallest of the others."""
        values = np.asarray(values, dtype=float)
        if self.base is not None:
            return np.full(values.shape, self.base / 2)
        if self.significant is None:
            return 0.5 * 10.0 ** -self._decimals_of(len(values)).astype(float)
        with np.errstate(divide="ignore"):
            first = np.floor(np.log10(np.abs(values)))
        known = np.isfinite(first)
        # 0 has no first digit: it is as precise as the finest of the others, or as 0.1 where there are none.
        first = np.where(known, first, first[known].min() if known.any() else -1.0)
        return 0.5 * 10.0 ** (first + 1 - self.significant)

    def rounded(self, values: Floats) -> Floats:
        """The values as they are printed."""
        values = np.asarray(values, dtype=float)
        if self.base is not None:
            return np.round(values / self.base) * self.base
        if self.significant is None and not isinstance(self.decimals, tuple):
            return np.round(values, self.decimals or 0)
        places = -np.round(np.log10(2 * self.half_units(values))).astype(int)
        return np.array([round(v, int(p)) if np.isfinite(v) else v for v, p in zip(values, places, strict=True)])

    def texts(self, values: Floats) -> list[str | None]:
        """The values as they are printed, with all their digits; None where there is none."""
        shown: list[str | None] = []
        for value, half in zip(self.rounded(values), self.half_units(values), strict=True):
            # One unit of the last digit is 10^−places; a base may have digits of its own.
            places = max(0, -int(np.floor(np.log10(2 * half) + 1e-9)))
            digits = places if self.base is None else max(0, -int(Decimal(repr(self.base)).normalize().as_tuple()[2]))
            shown.append(f"{value:.{digits}f}" if np.isfinite(value) else None)
        return shown

    def describe(self) -> str:
        """In words: "4 decimals"."""
        if self.base is not None:
            return f"multiples of {self.base:g}"
        if self.significant is not None:
            return f"{self.significant} significant digit{'s' if self.significant != 1 else ''}"
        fewest, most = min(self._listed_decimals()), max(self._listed_decimals())
        if fewest != most:
            return f"{fewest} to {most} decimals"
        return f"{most} decimal{'s' if most != 1 else ''}"


@dataclass(frozen=True, eq=False)
class Released:
    """Released figures, in the order of the output's labels, with the interval in which each lies.

    values: as printed; NaN: suppressed, or not given; −∞ or ∞: an estimate without a finite value, beyond `FAR`.
    low, high: the figure before rounding lies between them; −∞ and ∞ where nothing is known.
    half: half a unit of the last printed digit, the unit of discrepancy of counts and others.
    se: released standard errors, where there are any (NaN: not given).
    se_precision: how these are printed; None: as the figures.
    """

    labels: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    half: Floats
    precision: Precision
    se: Floats | None = None
    se_precision: Precision | None = None

    @property
    def se_half(self) -> Floats:
        """Half a unit of the last printed digit of each standard error; NaN where none was released."""
        if self.se is None:
            return np.full(len(self.values), np.nan)
        return np.where(np.isnan(self.se), np.nan, self.precision_of_se.half_units(self.se))

    @property
    def precision_of_se(self) -> Precision:
        """How standard errors are printed: with decimals of their own, or as the figures are."""
        return self.se_precision or self.precision

    @property
    def is_given(self) -> Mask:
        """Which figures say anything: neither withheld altogether nor undefined."""
        return np.isfinite(self.low) | np.isfinite(self.high)

    @property
    def centre(self) -> Floats:
        """A number for every figure: as printed; else the middle of its interval; else its one bound; else 0."""
        low, high = np.isfinite(self.low), np.isfinite(self.high)
        bound = np.where(low, self.low, np.where(high, self.high, 0.0))
        both = low & high
        bound[both] = (self.low[both] + self.high[both]) / 2
        return np.where(np.isfinite(self.values), self.values, bound)

    @property
    def residual_low(self) -> Floats:
        """The least residual (figure − centre) that counts as reproduced."""
        return self.low - self.centre

    @property
    def residual_high(self) -> Floats:
        """The greatest residual (figure − centre) that counts as reproduced."""
        return self.high - self.centre

    @property
    def beyond(self) -> Floats:
        """For every figure a number that does not agree, for lowered forms to give where the figure is undefined."""
        return np.where(np.isfinite(self.high), self.high + 10 * self.half, 0.0)

    def within(self, below: Floats, above: Floats, possible: tuple[Floats, Floats]) -> Released:
        """The same where it is known how far below and above each printed number the figure may be."""
        given = np.isfinite(self.values)
        low = np.where(given, np.maximum(self.values - below, possible[0]), self.low)
        high = np.where(given, np.minimum(self.values + above, possible[1]), self.high)
        # What is not exact counts as rounded: half of how far apart the ends are.
        half = np.where(given, np.maximum((below + above) / 2, 0.5), self.half)
        return replace(self, low=low, high=high, half=half)

    def whole(self) -> tuple[Floats, Floats]:
        """The least and the greatest whole number in each interval, for figures that count rows."""
        return np.ceil(self.low - SLACK), np.floor(self.high + SLACK)

    def agrees(self, values: Floats) -> Mask:
        """Whether each recomputed figure may be what was printed. NaN agrees only where nothing was given."""
        slack = SLACK * np.maximum(np.abs(self.centre), self.half)
        with np.errstate(invalid="ignore"):
            inside = (values >= self.low - slack) & (values <= self.high + slack)
        return inside | ~self.is_given

    def agrees_se(self, se: Floats) -> Mask:
        """The same for standard errors; True where none was released."""
        if self.se is None:
            return np.ones(len(self.values), dtype=bool)
        half = self.se_half
        slack = SLACK * np.maximum(np.abs(np.nan_to_num(self.se)), np.nan_to_num(half))
        with np.errstate(invalid="ignore"):
            inside = np.abs(se - self.se) <= half + slack
        return inside | np.isnan(self.se)

    def settled(self, values: Floats, se: Floats | None) -> Released:
        """The same with the digits that nobody compared taken from the data. values, se: what these give.

        A figure is compared up to the last digits of a float. Whoever prints more of them could write anything there:
        26.000000000047 agrees with 26. Where the data give whole numbers alone, none is printed with decimals.
        """
        fine = self.half < 10 * SLACK * np.maximum(np.abs(self.centre), 1.0)
        known = np.isfinite(self.values) & np.isfinite(values) & self.agrees(values)
        found = np.where(fine & known, values, self.values)
        errors = self.se
        if errors is not None and se is not None:
            finer = self.se_half < 10 * SLACK * np.maximum(np.abs(np.nan_to_num(errors)), 1.0)
            errors = np.where(finer & np.isfinite(errors) & np.isfinite(se) & self.agrees_se(se), se, errors)
        given = values[np.isfinite(self.values)]
        is_whole = errors is None and len(given) > 0 and bool(known.any()) and bool(np.all(given == np.round(given)))
        has_decimals = self.precision.decimals is not None and max(self.precision._listed_decimals()) > 0
        precision = Precision(decimals=0) if is_whole and has_decimals else self.precision
        return replace(self, values=found, se=errors, precision=precision)


def printed(
    labels: tuple[str, ...],
    values: Floats,
    precision: Precision,
    *,
    suppressed: Mask | None = None,
    threshold: Floats | float | None = None,
    possible: tuple[Floats | float, Floats | float] = (-np.inf, np.inf),
    se: Floats | None = None,
    se_precision: Precision | None = None,
) -> Released:
    """Released figures from printed values: intervals from their precision, within what is possible at all.

    suppressed: cells whose value is withheld; they lie below the threshold (one, or one for each of them), or anywhere
        possible without one.
    """
    values = np.asarray(values, dtype=float)
    half = precision.half_units(values)
    least = np.broadcast_to(np.asarray(possible[0], dtype=float), values.shape)
    most = np.broadcast_to(np.asarray(possible[1], dtype=float), values.shape)
    is_number = np.isfinite(values)
    low = np.where(is_number, np.maximum(values - half, least), -np.inf)
    high = np.where(is_number, np.minimum(values + half, most), np.inf)
    low[np.isposinf(values)], high[np.isneginf(values)] = FAR, -FAR
    if suppressed is not None and suppressed.any():
        low[suppressed] = least[suppressed]
        # Below the threshold means at most one printed unit less: counts below 5 are at most 4.
        below = np.inf if threshold is None else threshold - 2 * half[suppressed]
        high[suppressed] = np.minimum(most[suppressed], below)
        values = np.where(suppressed, np.nan, values)
    return Released(labels, values, low, high, half, precision, se, se_precision)


def outside(low: Floats | float, high: Floats | float, least: Floats | float, most: Floats | float) -> int | None:
    """The first place where the intervals low … high and least … most have nothing in common; None where all have."""
    low, high, least, most = np.broadcast_arrays(*np.atleast_1d(low, high, least, most))
    finite = [np.abs(bound[np.isfinite(bound)]).max(initial=1.0) for bound in (low, high, least, most)]
    slack = SLACK * max(finite) * 10  # sums of many rounded bounds
    apart = np.flatnonzero((low > most + slack) | (high < least - slack))
    return int(apart[0]) if len(apart) else None
