"""Quantiles of coded numbers, and the inequalities on counts that hold exactly where a quantile is as printed.

Unweighted quantiles interpolate as numpy, pandas and R do by default (type 7 of Hyndman & Fan 1996): with
h = (n − 1) p, k = ⌊h⌋ + 1 and f = h − ⌊h⌋, the quantile is (1 − f) x₍k₎ + f x₍k+1₎. Weighted ones are the smallest
value up to which at least the share p of the weight lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.lowering.grouped import Column
from divulge.outputs.lowering.sizes import FARTHEST, nearest_sizes
from divulge.outputs.output import Output
from divulge.outputs.released.precision import SLACK
from divulge.table import Table

MOST_RESIDUES = 100
"""Quantiles p = r/q with q up to this (all percentiles) have their interpolation worked out for every n modulo q."""


def _split_rank(n: float, p: float) -> tuple[int, float]:
    """(k, f) of type 7 for n rows."""
    h = max(n - 1, 0) * p
    # As floats, products such as 30 · 0.1 miss the integer by a rounding error.
    k = int(np.floor(h + 1e-9))
    f = max(h - k, 0.0)
    return k + 1, 0.0 if f < 1e-9 else f


def grouped_quantiles(column: Column, shares: Sequence[float], is_weighted: bool) -> Floats:
    """(shares, groups) quantiles of a variable; NaN for groups without rows or weight."""
    found = np.full((len(shares), column.n_groups), np.nan)
    if is_weighted:
        for group, rows in column.by_group():
            for i, p in enumerate(shares):
                found[i, group] = _weighted_quantile(column.numbers[rows], column.weights[rows], p)
        return found
    values, ranks = column.ranked()
    # One sort of whole numbers puts every group's rows in order, one group after the other.
    key, people = column.groups * len(values) + ranks, column.people
    if people is None:
        key = np.sort(key)
    else:
        order = np.argsort(key, kind="stable")
        key, up_to = key[order], np.concatenate([[0], np.cumsum(people[order])])
    starts = np.searchsorted(key, np.arange(column.n_groups + 1) * len(values))
    for group in np.flatnonzero(np.diff(starts)).tolist():
        # Whom the group begins with, of all people in this order, and how many it has.
        first, last = starts[group : group + 2] if people is None else up_to[starts[group : group + 2]]
        for i, p in enumerate(shares):
            k, f = _split_rank(last - first, p)
            at = first + np.array([k - 1, k if f > 0 else k - 1])
            if people is not None:
                at = np.searchsorted(up_to, at, side="right") - 1
            lower, upper = values[key[at] % len(values)]
            found[i, group] = lower + f * (upper - lower)
    return found


def _weighted_quantile(ordered: Floats, weights: Floats, p: float) -> float:
    """The smallest number up to which at least the share p of the weight lies; NaN without any weight."""
    cumulated = np.cumsum(weights)
    if not len(ordered) or cumulated[-1] <= 0:
        return np.nan
    at = int(np.searchsorted(cumulated, p * cumulated[-1] * (1 - SLACK)))
    # p = 0: rows without weight do not count.
    at = max(at, int(np.argmax(weights > 0)))
    return float(ordered[min(at, len(ordered) - 1)])


@dataclass(frozen=True)
class _Window:
    """Where x₍k₎ and x₍k+1₎ must lie, as half-open ranges of ranks of the variable's possible values."""

    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True, eq=False)
class QuantilePlan:
    """How a printed quantile can come about. windows: for each fraction f that n rows can give, or for all (None)."""

    p: float
    windows: dict[Fraction | None, _Window]

    @classmethod
    def of(cls, values: Floats, p: float, low: float, high: float, is_weighted: bool) -> QuantilePlan:
        """values: the possible values in order; low, high: between which the quantile lies."""
        slack = SLACK * max(abs(low) if np.isfinite(low) else 0.0, abs(high) if np.isfinite(high) else 0.0)
        start = int(np.searchsorted(values, low - slack, side="left"))
        stop = int(np.searchsorted(values, high + slack, side="right"))
        if start < stop or is_weighted:
            # The value itself is possible: it is enough that both order statistics lie in the interval.
            return cls(p, {None: _Window((start, stop), (start, stop))})
        share = Fraction(p).limit_denominator(MOST_RESIDUES)
        windows: dict[Fraction | None, _Window] = {}
        for j in range(1, share.denominator):
            pair = _nearest_pair(values, start, j / share.denominator, low - slack, high + slack)
            if pair is not None:
                windows[Fraction(j, share.denominator)] = _Window((pair[0], pair[0] + 1), (pair[1], pair[1] + 1))
        return cls(p, windows)

    def window(self, f: float) -> _Window | None:
        """What must hold where the fraction is f; None: with this number of rows the figure cannot come about."""
        if None in self.windows:
            return self.windows[None]
        nearest = Fraction(f).limit_denominator(MOST_RESIDUES)
        # A share such as 0.3333 gives fractions that were not worked out.
        return self.windows.get(nearest) if abs(nearest - Fraction(f)) < 1e-7 else None

    def cuts(self) -> set[int]:
        """Ranks at which counts of lower ranks are needed."""
        return {rank for w in self.windows.values() for rank in (*w.first, *w.second)}


def _nearest_pair(values: Floats, start: int, f: float, low: float, high: float) -> tuple[int, int] | None:
    """Ranks of the possible values u < w nearest to each other with (1 − f) u + f w between low and high.

    start: how many values are below low; none is between low and high.
    """
    above = np.arange(start, len(values))
    least = (low - f * values[above]) / (1 - f)
    most = (high - f * values[above]) / (1 - f)
    slack = SLACK * np.maximum(np.abs(least), np.abs(most))
    at = np.searchsorted(values, most + slack, side="right") - 1
    fits = (at >= 0) & (at < start) & (values[np.maximum(at, 0)] >= least - slack)
    if not fits.any():
        return None
    gaps = np.where(fits, values[above] - values[np.maximum(at, 0)], np.inf)
    best = int(np.argmin(gaps))
    return int(at[best]), int(above[best])


@dataclass(frozen=True, eq=False)
class QuantileCell:
    """One variable in one group: its bins of ranks among the totals, and the plans of its quantiles.

    totals: where its bins start; cuts: ranks at which bins end, in order; figures: which figures the plans belong to.
    variable: its number; groups of one variable may together be all rows. n_values: how many values it may have.
    """

    totals: int
    cuts: tuple[int, ...]
    plans: tuple[QuantilePlan, ...]
    figures: tuple[int, ...]
    variable: int
    n_values: int

    def bins(self, totals: Floats) -> Floats:
        return totals[self.totals : self.totals + len(self.cuts) + 1]

    def possible(self, n: float) -> Integers:
        """The sizes near n with which all quantiles can come about; none where every size will do."""
        if all(None in plan.windows for plan in self.plans):
            return np.zeros(0, dtype=np.int64)
        near = np.arange(max(1, int(n) - FARTHEST), int(n) + 2 * FARTHEST)
        can = np.ones(len(near), dtype=bool)
        for plan in self.plans:
            fractions = [_split_rank(size, plan.p)[1] for size in near.tolist()]
            fits = {f: plan.window(f) is not None for f in set(fractions)}
            can &= [fits[f] for f in fractions]
        return near[can]

    def filled(self, bins: Floats, n: int) -> Floats:
        """Counts that add to n, near these, with which all quantiles are as printed; these where there are none."""
        cuts = np.array(self.cuts)
        # Nobody is below the least value or above the greatest.
        least, most = np.where(cuts == self.n_values, n, 0.0), np.where(cuts == 0, 0.0, n)
        now = np.round(np.cumsum(bins)[:-1] * (n / max(bins.sum(), 1.0)))
        for plan in self.plans:
            k, f = _split_rank(n, plan.p)
            window = plan.window(f)
            if window is None:
                return bins
            # So many rows, at most, lie below what x₍k₎ and x₍k+1₎ may be, and so many, at least, up to it.
            for (first, last), rank in ((window.first, k), (window.second, k + 1 if f > 0 else k)):
                below, up_to = self.cuts.index(first), self.cuts.index(last)
                most[below], least[up_to] = min(most[below], rank - 1), max(least[up_to], rank)
            self._pass_on(now, plan, window, k)
        least, most = np.maximum.accumulate(least), np.minimum.accumulate(most[::-1])[::-1]
        if (least > most).any():
            return bins
        now = np.clip(np.maximum.accumulate(now), least, most)
        return np.diff(now, prepend=0.0, append=float(n))

    def _pass_on(self, now: Floats, plan: QuantilePlan, window: _Window, k: int) -> None:
        """Move cumulated counts, in place, so that rows go past a quantile and do not heap up at its values."""
        a, b, c, d = (self.cuts.index(cut) for cut in (*window.first, *window.second))
        own = np.array([self.cuts.index(cut) for cut in plan.cuts()])
        before, after = own[own <= a], own[own >= d]
        if window.first == window.second:
            now[own] += np.clip(now[a], k - (now[b] - now[a]), k - 1) - now[a]
            return
        # Nobody is between the two values: as many as there are at each stay there, and one at least.
        at_first, at_second = max(now[b] - now[a], 1.0), max(now[d] - now[c], 1.0)
        now[before] += k - at_first - now[a]
        now[after] += k + at_second - now[d]
        now[own[(own > a) & (own < d)]] = k


@dataclass(frozen=True, eq=False)
class SpreadCell:
    """An interquartile range: totals are the counts of each possible value, in order."""

    totals: int
    values: Floats
    figure: int
    released: float


@dataclass(frozen=True, eq=False)
class QuantileResiduals:
    """Quantiles as inequalities on counts, four residuals a figure, then sizes of groups and interquartile ranges, one
    residual each.

    The four are #below x₍k₎'s range − (k − 1) ≤ 0, #up to it − k ≥ 0, and the same for x₍k+1₎ with k + 1; where f is 0
    the last two are not needed. A quantile between two values needs a group of some sizes, as 4, 8, 12 …: where it has
    another, the four are those of the nearest size that will do, and the group's own residual says how far it is from
    that. A figure that is as printed in another way (from two values farther apart) counts as reproduced, since the
    table is at hand.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = True
    output: Output
    low: Floats
    high: Floats
    cells: tuple[QuantileCell, ...]
    spreads: tuple[SpreadCell, ...]
    is_weighted: bool

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        n_quantiles = sum(len(cell.plans) for cell in self.cells)
        residuals = np.zeros(4 * n_quantiles + len(self.cells) + len(self.spreads))
        jacobian = np.zeros((len(residuals), len(totals)))
        now = self.output.evaluate(table).values
        slack = SLACK * np.maximum(np.abs(now), 1e-300)
        with np.errstate(invalid="ignore"):
            is_right = (now >= self.low - slack) & (now <= self.high + slack)
        row = 0
        for c, (cell, wanted) in enumerate(zip(self.cells, self._sizes(totals, table.n_rows), strict=True)):
            bins = cell.bins(totals)
            at = slice(cell.totals, cell.totals + len(bins))
            for plan, figure in zip(cell.plans, cell.figures, strict=True):
                found, slopes = self._inequalities(cell, plan, bins, wanted)
                if is_right[figure]:
                    found = found * np.array([found[0] < 0, found[1] > 0, found[2] < 0, found[3] > 0])
                residuals[row : row + 4], jacobian[row : row + 4, at] = found, slopes
                row += 4
            if not is_right[list(cell.figures)].all():
                off = float(bins.sum()) - wanted
                residuals[4 * n_quantiles + c], jacobian[4 * n_quantiles + c, at] = abs(off), np.sign(off)
        row += len(self.cells)
        for spread in self.spreads:
            at = slice(spread.totals, spread.totals + len(spread.values))
            residuals[row] = np.nan_to_num(now[spread.figure]) - spread.released
            jacobian[row, at] = _influence(spread.values, totals[at], 0.75) - _influence(
                spread.values, totals[at], 0.25
            )
            row += 1
        return residuals, jacobian

    def _sizes(self, totals: Floats, n_rows: int | None = None) -> list[float]:
        """For each cell the size nearest to its own with which its quantiles can come about. n_rows: where the cells
        have all of these, they keep them together; None: they do so in any case."""
        now = np.array([cell.bins(totals).sum() for cell in self.cells])
        wanted = now.copy()
        if self.is_weighted:
            return [float(size) for size in wanted]
        variable = np.array([cell.variable for cell in self.cells])
        for v in np.unique(variable):
            own = np.flatnonzero(variable == v)
            possible = [self.cells[c].possible(now[c]) for c in own]
            wanted[own] = nearest_sizes(now[own], possible, n_rows in (None, now[own].sum()))
        return [float(size) for size in wanted]

    def nearest(self, totals: Floats) -> Floats:
        """Counts near these with which every quantile is as printed, as far as there are such; without weights."""
        found = totals.copy()
        for cell, size in zip(self.cells, self._occupied(totals), strict=True):
            found[cell.totals : cell.totals + len(cell.cuts) + 1] = cell.filled(cell.bins(totals), size)
        return found

    def _occupied(self, totals: Floats) -> list[int]:
        """Sizes with which quantiles can come about, as many people in all, of groups that are not empty: somebody has
        their quantiles. The largest groups give the people whom these lack."""
        now = np.array([cell.bins(totals).sum() for cell in self.cells])
        sizes = [max(int(size), 1) for size in self._sizes(totals)]
        variable = np.array([cell.variable for cell in self.cells])
        for v in np.unique(variable):
            own = np.flatnonzero(variable == v)
            lacking = sum(sizes[c] for c in own) - int(now[own].sum())
            for c in own[np.argsort(-now[own], kind="stable")].tolist():
                possible = self.cells[c].possible(sizes[c] - 1)
                if lacking > 0 and (not len(possible) or sizes[c] - 1 in possible):
                    sizes[c] -= 1
                    lacking -= 1
        return sizes

    def _inequalities(self, cell: QuantileCell, plan: QuantilePlan, bins: Floats, n: float) -> tuple[Floats, Floats]:
        """The four residuals of a quantile in a group that is to have n rows (or this weight)."""
        up_to = dict(zip(cell.cuts, np.cumsum(bins)[:-1], strict=True))
        bin_of = {cut: i + 1 for i, cut in enumerate(cell.cuts)}
        slopes = np.zeros((4, len(bins)))
        # Weighted: strictly less than p·W below the range, at least p·W up to its end.
        k, f = (plan.p * n, 0.0) if self.is_weighted else _split_rank(n, plan.p)
        window = plan.window(f) if n > 0 else None
        if window is None:
            # Nobody is there, or no size near this one will do: one more row, wherever.
            return np.array([0.0, -1.0, 0.0, 0.0]), np.array([[0.0], [1.0], [0.0], [0.0]]) * np.ones(len(bins))
        below = k - (SLACK * n if self.is_weighted else 1)
        asked = [(window.first[0], below), (window.first[1], k)]
        if f > 0:
            asked += [(window.second[0], k), (window.second[1], k + 1)]
        found = np.zeros(4)
        for i, (cut, count) in enumerate(asked):
            found[i] = up_to[cut] - count
            # k grows by p with each row that joins the group, unless the group is to have a certain size.
            slopes[i] = -plan.p if n == bins.sum() else 0.0
            slopes[i, : bin_of[cut]] += 1.0
        return found, slopes

    def bounds(self, half: Floats, centre: Floats) -> tuple[Floats, Floats, Floats]:
        """(low, high, unit) of the residuals."""
        n, n_cells = sum(len(cell.plans) for cell in self.cells), len(self.cells)
        figures = [spread.figure for spread in self.spreads]
        return (
            np.concatenate([np.tile([-np.inf, 0.0], 2 * n), np.full(n_cells, -np.inf), (self.low - centre)[figures]]),
            np.concatenate([np.tile([0.0, np.inf], 2 * n), np.zeros(n_cells), (self.high - centre)[figures]]),
            np.concatenate([np.full(4 * n + n_cells, 0.5), half[figures]]),
        )


def _influence(values: Floats, counts: Floats, p: float) -> Floats:
    """How a quantile moves per row added at each value: (p − 1[y ≤ Q]) / n · dQ/dp, the slope from nearby quantiles."""
    n = float(counts.sum())
    if n <= 0:
        return np.zeros(len(values))
    cumulated = np.cumsum(counts)
    width = min(0.2, n ** (-1 / 3) / 2)  # narrows as the number of rows grows, and never reaches beyond 0 and 1

    def at(q: float) -> int:
        return min(int(np.searchsorted(cumulated, q * n * (1 - SLACK))), len(values) - 1)

    # Where many rows share a value the slope vanishes; a step of the possible values keeps the direction.
    step = float(np.median(np.diff(values))) if len(values) > 1 else 0.0
    slope = max((values[at(p + width)] - values[at(p - width)]) / (2 * width), step)
    place: Mask = values <= values[at(p)]
    return (p - place) / n * slope
