"""Heads that several kinds share: how totals become residuals where that is neither diagonal nor merely linear."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divulge.outputs.precision import SLACK, Floats, Released
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class RatioHead:
    """Shares and means: figure i is scale · totals[i] / D, with D = totals[n + group[i]]; residual = figure − released.

    The first n totals are numerators, then come the denominators; constants are zero. Where the numerators are centred
    already (Σ (y − μ*) of a group), released is 0. Last come residuals D of the groups in `occupied`: a figure that
    was released says that its group is not empty.
    """

    group: NDArray[np.int64]
    released: Floats
    scale: float
    occupied: NDArray[np.int64]

    def bounds(self, released: Released, is_weighted: bool) -> tuple[Floats, Floats, Floats]:
        """(low, high, unit) of the residuals: the figures', then one row or some weight for each occupied group."""
        n = len(self.occupied)
        least = np.full(n, np.finfo(float).tiny if is_weighted else 0.5)
        return (
            np.concatenate([released.residual_low, least]),
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
"""Sizes of groups up to which it is worked out which of them can carry the released shares; larger ones carry all."""


@dataclass(frozen=True, eq=False)
class GroupShareHead:
    """Shares of groups of rows: 66.7 % needs a group of 3, 6, 9 … rows, and a small group may have to grow or shrink.

    Where a group's size can carry its shares, residuals are those of `ratio`. Where it cannot, the shares are taken of
    the nearest size that can, and the group's own residual asks for that size.

    low, high: between which each figure lies, in parts of 1. cells: the figures that make up their group, each row in
    one of them (margins are not among these).
    """

    ratio: RatioHead
    low: Floats
    high: Floats
    cells: NDArray[np.bool_]
    sizes: tuple[NDArray[np.int64], ...] = field(init=False)
    """For each group, the sizes up to LARGEST_SIZE that can carry its shares."""

    def __post_init__(self) -> None:
        groups = range(int(self.ratio.group.max(initial=-1)) + 1)
        object.__setattr__(self, "sizes", tuple(self._possible_sizes(g) for g in groups))

    def _possible_sizes(self, group: int) -> NDArray[np.int64]:
        chosen = self.ratio.group == group
        low, high, cells = self.low[chosen], self.high[chosen], self.cells[chosen]
        widths = (high - low)[np.isfinite(high - low)]
        # Above 1 / width every interval holds a whole number of rows.
        largest = min(LARGEST_SIZE, int(1 / max(widths.min(initial=1.0), 1e-9)) + 1)
        n = np.arange(1, largest + 1)[:, None]
        least = np.ceil(np.maximum(low, 0.0) * n - SLACK * n)
        most = np.floor(np.minimum(high, 1.0) * n + SLACK * n)
        fits = (least <= most).all(axis=1)
        fits &= (least[:, cells].sum(axis=1) <= n[:, 0]) & (most[:, cells].sum(axis=1) >= n[:, 0])
        return n[fits, 0]

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        residuals, jacobian = self.ratio.linearise(totals, table)
        n = len(self.ratio.group)
        for place, group in enumerate(self.ratio.occupied.tolist()):
            size = totals[n + group]
            possible = self.sizes[group]
            if not len(possible) or size > possible[-1]:
                continue
            wanted = int(possible[np.argmin(np.abs(possible - size))])
            if wanted == size:
                continue
            figures = np.flatnonzero(self.ratio.group == group)
            residuals[figures] = self.ratio.scale * totals[figures] / wanted - self.ratio.released[figures]
            jacobian[figures] = 0.0
            jacobian[figures, figures] = self.ratio.scale / wanted
            # Inside its interval [0.5, ∞) only at the size wanted, and farther outside the farther from it.
            residuals[n + place] = 0.5 - abs(size - wanted)
            jacobian[n + place, n + group] = np.sign(wanted - size)
        return residuals, jacobian


@dataclass(frozen=True, eq=False)
class ShareHead:
    """Shares of all rows, whose number no move changes: residual = scale · total / rows − released."""

    released: Floats
    scale: float

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        slope = np.full(len(totals), self.scale / max(table.n_rows, 1))
        return slope * totals - self.released, slope
