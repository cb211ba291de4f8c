"""Which values a small group can have, given its size, mean, standard deviation, median and extremes as printed.

All samples are gone through in order, least value first; what a partial sample leaves possible for sum and sum of
squares ends most branches at once (as in the SPRITE and DRAGON reconstructions; Derrick, Green, Ritchie & White 2022).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, isfinite, sqrt

Interval = tuple[float, float]

MOST_STEPS = 2_000_000
"""So many values are tried after partial samples. Then the answer is 'at least so many'."""

_MOST_VALUES = 20_000
"""Samples of at most so many values are gone through. With more, even three people have too many samples."""

MOST_SAMPLES = 10_000
"""Samples that are kept; with more of them no single one is of interest."""


@dataclass(frozen=True)
class Known:
    """What is printed of a group: its size, and intervals of its statistics (None: not printed).

    sd: with n − 1, or with n where `sd_of_all`. values: the values that are possible, ascending; None: origin and
    whole multiples of a step beyond it, either way.
    """

    n: int
    mean: Interval | None = None
    sd: Interval | None = None
    median: Interval | None = None
    least: Interval | None = None
    greatest: Interval | None = None
    sd_of_all: bool = False
    values: Sequence[float] | None = None
    origin: float = 0.0
    step: float = 1.0

    def possible(self) -> _Samples:
        """Every sample that agrees with what is printed, in ascending order of its values."""
        if self.n < 1:
            raise ValueError("a group has at least one member")
        values = _possible_values(self)
        if values is None:
            return _Samples((), False)
        search = _Search(self, values)
        search.extend(0, 0, 0.0, 0.0)
        return _Samples(tuple(search.found), not search.is_cut)


@dataclass(frozen=True)
class _Samples:
    """The samples that agree. is_complete: False where there are more than could be gone through."""

    samples: tuple[tuple[float, ...], ...]
    is_complete: bool

    @property
    def shared(self) -> tuple[float, ...]:
        """The values that every sample has (as often as in all of them); nothing where not all are known."""
        if not self.samples or not self.is_complete:
            return ()
        common = Counter(self.samples[0])
        for sample in self.samples[1:]:
            common &= Counter(sample)
        return tuple(sorted(common.elements()))


def _possible_values(known: Known) -> list[float] | None:
    """The values that may occur; None where nothing bounds them."""
    low, high = -float("inf"), float("inf")
    if known.least is not None:
        low = known.least[0]
    if known.greatest is not None:
        high = known.greatest[1]
    if known.mean is not None and known.sd is not None:
        # No value is further from the mean than (n − 1)/√n standard deviations (Samuelson 1968).
        reach = known.sd[1] * ((known.n - 1) / sqrt(known.n) if not known.sd_of_all else sqrt(known.n - 1))
        low, high = max(low, known.mean[0] - reach), min(high, known.mean[1] + reach)
    slack = 1e-9 * (1.0 + max(abs(v) for v in (low, high) if isfinite(v))) if isfinite(low) or isfinite(high) else 0.0
    if known.values is not None:
        return [v for v in known.values if low - slack <= v <= high + slack]
    if not isfinite(low) or not isfinite(high) or high - low > _MOST_VALUES * known.step:
        return None
    first, last = (low - slack - known.origin) / known.step, (high + slack - known.origin) / known.step
    return [known.origin + known.step * k for k in range(ceil(first), floor(last) + 1)]


@dataclass
class _Search:
    known: Known
    values: list[float]
    found: list[tuple[float, ...]] = field(default_factory=list)
    is_cut: bool = False
    steps: int = 0
    sample: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        k = self.known
        # Sums around the middle of the mean, so that squares of large numbers do not swallow the differences.
        self.centre = sum(k.mean) / 2 if k.mean is not None else 0.0
        slack = 1e-9 * (1.0 + abs(self.centre)) * k.n
        self.total = (-float("inf"), float("inf"))
        if k.mean is not None:
            self.total = k.n * (k.mean[0] - self.centre) - slack, k.n * (k.mean[1] - self.centre) + slack
        self.deviance = (0.0, float("inf"))
        if k.sd is not None:
            freedom = k.n if k.sd_of_all else k.n - 1
            self.deviance = freedom * max(k.sd[0], 0.0) ** 2 - slack, freedom * k.sd[1] ** 2 + slack

    def extend(self, start: int, size: int, total: float, squares: float) -> None:
        """Go through every way to fill the sample up with values from `start` on. total, squares: around the centre."""
        if self.is_cut or self.steps > MOST_STEPS or len(self.found) >= MOST_SAMPLES:
            self.is_cut = True
            return
        k, left = self.known, self.known.n - size
        if not left:
            if self._agrees(total, squares):
                self.found.append(tuple(self.sample))
            return
        for i in range(start, len(self.values)):
            self.steps += 1
            if self.steps > MOST_STEPS:
                self.is_cut = True
                break
            value = self.values[i]
            shifted = value - self.centre
            # The rest are at least this value: where even that is too much, larger ones are as well.
            if total + left * shifted > self.total[1]:
                break
            if total + shifted + (left - 1) * (self.values[-1] - self.centre) < self.total[0]:
                continue
            if k.least is not None and size == 0 and not _inside(value, k.least):
                if value > k.least[1]:
                    break
                continue
            # The values ascend, so the next one would be further off still.
            if self._too_spread(squares + shifted * shifted, total + shifted, left - 1):
                break
            self.sample.append(value)
            self.extend(i, size + 1, total + shifted, squares + shifted * shifted)
            self.sample.pop()

    def _too_spread(self, squares: float, total: float, left: int) -> bool:
        """Whether the deviance is beyond what is printed, however the rest is chosen."""
        # The rest adds least where it is all at the mean of the others: Σ x² − (Σ x)²/n over what is there alone.
        size = self.known.n - left
        return squares - total * total / size > self.deviance[1]

    def _agrees(self, total: float, squares: float) -> bool:
        k = self.known
        if not self.total[0] <= total <= self.total[1]:
            return False
        if not self.deviance[0] <= squares - total * total / k.n <= self.deviance[1]:
            return False
        if k.greatest is not None and not _inside(self.sample[-1], k.greatest):
            return False
        half = k.n // 2
        median = self.sample[half] if k.n % 2 else (self.sample[half - 1] + self.sample[half]) / 2
        return k.median is None or _inside(median, k.median)


def _inside(value: float, interval: Interval) -> bool:
    slack = 1e-9 * (1.0 + abs(value))
    return interval[0] - slack <= value <= interval[1] + slack
