"""How totals become residuals: figure now − figure released. What one kind alone needs is in its own file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.released.precision import SLACK, Released
from divulge.table import Table


class Residuals(Protocol):
    """How totals become residuals, in the figures' own units.

    is_diagonal: each residual is one total times a constant.
    counts_rows: totals of blocks without a link are counts of rows, so that a row can be moved from one to another.
    """

    @property
    def is_diagonal(self) -> bool: ...

    @property
    def counts_rows(self) -> bool: ...

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        """(residuals, jacobian) at these centred totals of this (synthetic) table.

        The jacobian is (residuals, totals), or (totals,) where each residual belongs to one total (diagonal).
        """
        ...


@dataclass(frozen=True, eq=False)
class DiagonalResiduals:
    """Each total is one figure: residual = slope · total."""

    is_diagonal: ClassVar[bool] = True
    counts_rows: ClassVar[bool] = True
    slope: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        return self.slope * totals, self.slope


@dataclass(frozen=True, eq=False)
class RatioResiduals:
    """Shares and means: figure i is scale · totals[i] / D, with D = totals[n + group[i]]; residual = figure − released.

    The first n totals are numerators, then come the denominators; constants are zero. Where the numerators are centred
    already (Σ (y − μ*) of a group), released is 0. Last come residuals D of the groups in `occupied`: a figure that
    was released says that its group is not empty.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    group: Integers
    released: Floats
    scale: float
    occupied: Integers

    def bounds(self, released: Released, least: float = 0.5) -> tuple[Floats, Floats, Floats]:
        """(low, high, unit) of the residuals: the figures', then at least `least` for each occupied group.

        least: half a row, or half the smallest weight (`rows.half_row`): sums below it are nothing.
        """
        n = len(self.occupied)
        return (
            np.concatenate([released.residual_low, np.full(n, least)]),
            np.concatenate([released.residual_high, np.full(n, np.inf)]),
            np.concatenate([released.half, np.full(n, 0.5)]),
        )

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        n = len(self.group)
        sizes = totals[n:]
        # An empty group's figure is undefined. Dividing by 1 keeps the residual finite; `occupied` asks for a row.
        below = np.where(sizes > 0, sizes, 1.0)[self.group]
        figures = self.scale * totals[:n] / below
        jacobian = np.zeros((n + len(self.occupied), len(totals)))
        each = np.arange(n)
        jacobian[each, each] = self.scale / below
        jacobian[each, n + self.group] = -figures / below
        jacobian[n + np.arange(len(self.occupied)), n + self.occupied] = 1.0
        return np.concatenate([figures - self.released, sizes[self.occupied]]), jacobian


LARGEST_SIZE = 20_000
"""Sizes of groups up to which it is worked out which of them can carry the released figures; larger ones carry all."""


@dataclass(frozen=True, eq=False)
class SizedResiduals:
    """Shares and means of small groups: 66.7 % needs a group of 3, 6, 9 … rows, so a group may have to grow or shrink.

    Where the sizes of groups can carry their figures, residuals are those of `ratio`. Where they cannot, the figures
    are taken as if groups had the nearest sizes that can, and a group's own residual asks for that size. Where the
    groups are all rows, their sizes go on adding up to these: one cannot grow unless another shrinks.

    centre: what the numerators have been centred by for each row (a released mean), in units of figures; 0 for shares.
    sizes: for each group, the sizes that can carry its figures, as `possible_sizes` gives them.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    ratio: RatioResiduals
    centre: Floats
    sizes: tuple[Integers, ...]

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        residuals, jacobian = self.ratio.linearise(totals, table)
        n = len(self.ratio.group)
        occupied = self.ratio.occupied.tolist()
        now = totals[n + np.array(occupied, dtype=np.int64)]
        chosen = nearest_sizes(now, [self.sizes[g] for g in occupied], now.sum() == table.n_rows)
        for place, (group, wanted) in enumerate(zip(occupied, chosen, strict=True)):
            size = totals[n + group]
            if wanted == size:
                continue
            figures = np.flatnonzero(self.ratio.group == group)
            centre = self.centre[figures]
            raw = self.ratio.scale * totals[figures] + centre * size
            residuals[figures] = raw / wanted - centre - self.ratio.released[figures]
            jacobian[figures] = 0.0
            jacobian[figures, figures] = self.ratio.scale / wanted
            jacobian[figures, n + group] = centre / wanted
            # Inside its interval [0.5, ∞) only at the size wanted, and farther outside the farther from it.
            residuals[n + place] = 0.5 - abs(size - wanted)
            jacobian[n + place, n + group] = np.sign(wanted - size)
        return residuals, jacobian


FARTHEST = 60
"""Rows by which a group may grow or shrink to reach a size that can carry its figures, where all have to add up."""


def nearest_sizes(now: Floats, possible: Sequence[Integers], add_up: bool) -> list[int]:
    """For each group the size nearest to its own that can carry its figures; its own where none can, or any.

    add_up: together they stay as many as they are, and are nearest in all; where no such sizes are near, each for
    itself. Sizes above the largest listed can carry any figures.
    """
    alone = [
        int(size) if not len(p) or size > p[-1] else int(p[np.argmin(np.abs(p - size))])
        for size, p in zip(now, possible, strict=True)
    ]
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


def common_sizes(possible: Sequence[Integers]) -> Integers:
    """The sizes that are in every list; sizes above the largest of a list can carry anything."""
    asked = [p for p in possible if len(p)]
    n = np.arange(1, max((int(p[-1]) for p in asked), default=0) + 1)
    fits = np.ones(len(n), dtype=bool)
    for p in asked:
        fits &= np.isin(n, p) | (n > p[-1])
    return n[fits]


@dataclass(frozen=True, eq=False)
class ShareResiduals:
    """Shares of all rows, whose number no move changes: residual = scale · total / rows − released."""

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = True
    released: Floats
    scale: float

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        slope = np.full(len(totals), self.scale / max(table.n_rows, 1))
        return slope * totals - self.released, slope
