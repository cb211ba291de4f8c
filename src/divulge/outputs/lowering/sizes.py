"""Sizes of groups that can carry the figures printed of them: 66.7 % needs a group of 3, 6, 9 … rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.released.precision import SLACK
from divulge.table import Table

GroupKey = tuple[str | None, frozenset[str], frozenset[tuple[str, int]]]
"""Which rows are in a group: the condition, the variables that may not be missing, and the levels."""


_FEW = 8
"""Sizes of groups up to which it is looked whether values with gaps have such a sum; more of them have nearly any."""

_MOST_SUMS = 50_000
"""Sums that are looked through for one size, at most: a millisecond."""


class Moments(NamedTuple):
    """Between what the mean and the variance of a group's numbers lie. In steps the numbers are whole.

    The sum of squares around the mean is (n − less) · variance.
    """

    mean: tuple[float, float] = (-np.inf, np.inf)
    variance: tuple[float, float] = (0.0, np.inf)
    less: int = 0

    def in_steps(self, origin: float, step: float) -> Moments:
        """The same of numbers less the origin, counted in steps."""
        (low, high), (least, most), less = self
        return Moments(((low - origin) / step, (high - origin) / step), (least / step**2, most / step**2), less)

    def beside(self, other: Moments) -> Moments:
        """What both say, where only one of them speaks of the variance."""
        spread = self if np.isfinite(self.variance[1]) else other
        return Moments(
            (max(self.mean[0], other.mean[0]), min(self.mean[1], other.mean[1])), spread.variance, spread.less
        )


MomentsByGroup = Mapping[tuple[GroupKey, str], Moments]
"""What is printed of a variable in a group."""

LARGEST_SIZE = 20_000
"""Sizes of groups up to which it is worked out which of them can carry the released figures; larger ones carry all."""

_SHOWN = 10
"""People to each value from which on data show all values that there are: of ten people each has nobody by a chance of
less than 1 in 20,000, if all are alike common."""

_MICRO = 1_000_000
"""Values with up to six decimals are looked at as whole numbers."""

FINEST = 1 / _MICRO
"""The step of numbers that have none."""

FARTHEST = 60
"""Rows by which a group may grow or shrink to reach a size that can carry its figures, where all have to add up."""


def nearest_sizes(now: Floats, possible: Sequence[Integers], add_up: bool, most: float = np.inf) -> list[int]:
    """For each group the size nearest to its own that can carry its figures; its own where none can, or any.

    most: how many rows there are. add_up: together they stay as many as they are, and are nearest in all; where no such
    sizes are near, each for itself. Sizes above the largest listed can carry any figures.
    """
    alone = [_nearest(int(size), p, most) for size, p in zip(now, possible, strict=True)]
    if not add_up or sum(alone) == now.sum():
        return alone
    # The least cost of every sum of steps, group by group; a sum of 0 is wanted in the end.
    steps = np.arange(-FARTHEST, FARTHEST + 1)
    middle = FARTHEST * len(possible)
    cost = np.full(2 * middle + 1, np.inf)
    cost[middle] = 0.0
    taken = []
    for size, p in zip(now, possible, strict=True):
        there = size + steps
        own = steps[(there >= 0) & ((not len(p)) | np.isin(there, p) | (there > (p[-1] if len(p) else 0)))]
        best = np.full_like(cost, np.inf)
        way = np.zeros(len(cost), dtype=np.int64)
        for step in own:
            shifted = np.full_like(cost, np.inf)
            shifted[max(step, 0) : len(cost) + min(step, 0)] = cost[max(-step, 0) : len(cost) - max(step, 0)]
            better = shifted + abs(step) < best
            best[better], way[better] = (shifted + abs(step))[better], step
        cost = best
        taken.append(way)
    if not np.isfinite(cost[middle]):
        return alone
    found, at = [0] * len(possible), middle
    for g in range(len(possible) - 1, -1, -1):
        step = int(taken[g][at])
        found[g] = int(now[g]) + step
        at -= step
    return found


def _nearest(size: int, possible: Integers, most: float) -> int:
    if not len(possible) or size > possible[-1]:
        return size
    there = possible[possible <= most]
    return int(there[np.argmin(np.abs(there - size))]) if len(there) else size


def possible_sizes(group: Integers, low: Floats, high: Floats, cells: Mask | None = None) -> tuple[Integers, ...]:
    """For each group, the sizes n for which every figure has a whole number between n · low and n · high.

    low, high: between which each figure lies, in the unit of which a row adds whole numbers. cells: the figures of a
    group that every row is in one of, whose numbers therefore add to n; None where there are none.
    """
    found = []
    for g in range(int(group.max(initial=-1)) + 1):
        chosen = group == g
        least, most = low[chosen], high[chosen]
        widths = (most - least)[np.isfinite(most - least)]
        # Above 1 / width every interval holds a whole number.
        largest = min(LARGEST_SIZE, int(1 / max(widths.min(initial=1.0), 1e-9)) + 1)
        n = np.arange(1, largest + 1)[:, None]
        # Slack as in `agrees`: relative to the figures, which are of the size of their bounds.
        slack = SLACK * n * np.maximum(np.nan_to_num(np.abs(most), posinf=0.0), 1.0)
        first, last = np.ceil(least * n - slack), np.floor(most * n + slack)
        fits = (first <= last).all(axis=1)
        if cells is not None:
            inside = cells[chosen]
            fits &= (first[:, inside].sum(axis=1) <= n[:, 0]) & (last[:, inside].sum(axis=1) >= n[:, 0])
        found.append(n[fits, 0])
    return tuple(found)


def sizes_of_values(possible: Sequence[Integers], low: Floats, high: Floats, values: Integers) -> tuple[Integers, ...]:
    """Of each group's small sizes those of which some values have a mean within low … high: 10 is not the mean of one
    square number.

    values: the possible ones, as whole numbers from 0.
    """
    found, sums = list(possible), np.unique(values)
    if len(sums) > sums[-1]:  # without gaps any sum will do
        return tuple(found)
    once = sums
    for n in range(1, _FEW + 1):
        slack = SLACK * n * np.maximum(np.nan_to_num(np.abs(high), posinf=0.0), 1.0)
        is_met = np.searchsorted(sums, low * n - slack) < np.searchsorted(sums, high * n + slack, side="right")
        found = [own if met else own[own != n] for own, met in zip(found, is_met, strict=True)]
        if len(sums) * len(once) > _MOST_SUMS:
            break
        sums = np.unique(sums[:, None] + once)
    return tuple(found)


def sizes_with(moments: Moments) -> Integers:
    """The sizes n for which whole numbers have such a mean and such a variance; above the largest, all have.

    The total T and the sum of squares Q are whole numbers, Q is odd where T is, and Q − T²/n is the sum of squares
    around the mean (Brown & Heathers 2017 for means, Anaya 2016 for standard deviations). Nothing where not both are
    given.
    """
    (low, high), (least, most), less = moments
    if not np.isfinite([low, high, least, most]).all() or high <= low or most <= least:
        return np.zeros(0, dtype=np.int64)
    # Above both, the interval of the mean holds a total, and that of the squares two whole numbers.
    largest = max(int(1 / (high - low)), int(2 / (most - least)) + less) + 1
    n = np.arange(max(1, less + 1), min(LARGEST_SIZE, largest) + 1)
    # Around a whole number near the mean totals and squares are small, and lose no digits.
    middle = np.round((low + high) / 2)
    slack = SLACK * n * max(abs(low), abs(high), 1.0)
    first, last = np.ceil((low - middle) * n - slack), np.floor((high - middle) * n + slack)
    fits = np.zeros(len(n), dtype=bool)
    for more in range(int((last - first).max(initial=-1)) + 1):
        left = np.flatnonzero(~fits & (first + more <= last))
        if not len(left):  # of numbers with six decimals a mean leaves room for thousands of totals
            break
        total, rows = first[left] + more, n[left]
        around = total**2 / rows
        slack = SLACK * np.maximum((rows - less) * most + around, 1.0)
        # As even as can be, |T| of the numbers are 1 from the middle.
        squares = np.ceil(np.maximum((rows - less) * least + around, np.abs(total)) - slack)
        squares += (squares - total) % 2
        fits[left] = squares <= (rows - less) * most + around + slack
    return n[fits]


def sizes_of_means(values: Floats, low: Floats, high: Floats) -> tuple[Integers, ...]:
    """The sizes of each group that can carry its mean: of ages, 33.33 needs 3, 6, 9 … people.

    values: the possible ones. low, high: between which the mean of each group lies.
    """
    step, groups = spacing(values), np.arange(len(low))
    if step is None:
        return possible_sizes(groups, np.full(len(low), -np.inf), np.full(len(low), np.inf))
    low, high = (low - values.min()) / step, (high - values.min()) / step
    whole = np.round((values - values.min()) / step).astype(np.int64)
    return sizes_of_values(possible_sizes(groups, low, high), low, high, whole)


def spacing(values: Floats) -> float | None:
    """The largest number of which all differences of the values are multiples; None where it is below a millionth."""
    if len(values) < 2:
        return None
    whole = np.round((values - values.min()) * _MICRO)
    if np.abs(whole / _MICRO - (values - values.min())).max() > 1e-9 or whole.max() > 2**53:
        return None
    return float(np.gcd.reduce(whole.astype(np.int64))) / _MICRO


def possible_step(table: Table, name: str, values: Floats | None = None) -> float | None:
    """The step of the numbers that anybody may have, where the data do not show them all; None where they do.

    A value that nobody has shows where there are many people to each; else any multiple of the step may be had. 0:
    there is no step. values: what the numbers are made into (logarithms); None: they are taken as they are.
    """
    variable = table.schema[name]
    numbers = variable.numbers[: variable.n_values]
    if not np.isfinite(numbers).all() or variable.kind == "categorical" or table.n_people >= _SHOWN * len(numbers):
        return None
    return spacing(numbers if values is None else values) or 0.0


def least_step(table: Table, name: str, own: Floats, inside: Mask) -> float:
    """The least distance of two values that people inside may have of a variable, or of what it is made into.

    own: what each row has of it.
    """
    step, steps = possible_step(table, name, own[np.isfinite(own)]), np.diff(np.unique(own[inside]))
    if step is None or not len(steps):
        return float(steps.min()) if len(steps) else 0.0
    return step


def n_possible(table: Table, name: str) -> float:
    """How many different values of a variable anybody may have, as far as the data show."""
    variable, step = table.schema[name], possible_step(table, name)
    if step is None:
        return float(variable.n_values)
    numbers = variable.numbers[: variable.n_values]
    return float(np.ptp(numbers) / (step or FINEST) + 1.0) if len(numbers) else 0.0


def common_sizes(possible: Sequence[Integers]) -> Integers:
    """The sizes that are in every list; sizes above the largest of a list can carry anything."""
    asked = [p for p in possible if len(p)]
    n = np.arange(1, max((int(p[-1]) for p in asked), default=0) + 1)
    fits = np.ones(len(n), dtype=bool)
    for p in asked:
        fits &= np.isin(n, p) | (n > p[-1])
    return n[fits]


def agreed_sizes(
    possible: Sequence[Mapping[GroupKey, Integers]], moments: Sequence[MomentsByGroup] = ()
) -> dict[GroupKey, Integers]:
    """The sizes that all outputs on the same people can have; nothing of people for whom there are none.

    moments: what each output says of groups' numbers. A mean and a standard deviation may be printed in two outputs.
    """
    by_key: dict[GroupKey, list[Integers]] = {}
    for of_output in possible:
        for key, sizes in of_output.items():
            by_key.setdefault(key, []).append(sizes)
    together: dict[tuple[GroupKey, str], Moments] = {}
    for of_group in moments:
        for at, own in of_group.items():
            together[at] = together.get(at, Moments()).beside(own)
    for (key, _), own in together.items():
        if key in by_key:
            by_key[key].append(sizes_with(own))
    found = {key: common_sizes(sizes) for key, sizes in by_key.items()}
    return {key: sizes for key, sizes in found.items() if len(sizes)}
