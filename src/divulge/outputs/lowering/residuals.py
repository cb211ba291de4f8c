"""How totals become residuals: figure now − figure released. What one kind alone needs is in its own file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.lowering.sizes import GroupKey, common_sizes, nearest_sizes
from divulge.outputs.released.precision import Released
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


@dataclass(frozen=True, eq=False)
class SizedResiduals:
    """Shares and means of small groups: 66.7 % needs a group of 3, 6, 9 … rows, so a group may have to grow or shrink.

    Where the sizes of groups can carry their figures, residuals are those of `ratio`. Where they cannot, the figures
    are taken as if groups had the nearest sizes that can, and a group's own residual asks for that size. Where the
    groups are all rows, their sizes go on adding up to these: one cannot grow unless another shrinks.

    centre: what the numerators have been centred by for each row (a released mean), in units of figures; 0 for shares.
    sizes: for each group, the sizes that can carry its figures, as `possible_sizes` gives them.
    keys: for each group which rows are in it; groups of the same people have one size.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    ratio: RatioResiduals
    centre: Floats
    sizes: tuple[Integers, ...]
    keys: tuple[GroupKey, ...]

    def possible(self) -> dict[GroupKey, Integers]:
        """The sizes that can carry all figures of the same people."""
        by_key: dict[GroupKey, list[Integers]] = {}
        for group in self.ratio.occupied.tolist():
            by_key.setdefault(self.keys[group], []).append(self.sizes[group])
        return {key: common_sizes(found) for key, found in by_key.items()}

    def agreed(self, sizes: Mapping[GroupKey, Integers]) -> SizedResiduals:
        """The same with sizes that others agree to."""
        return replace(self, sizes=tuple(sizes.get(key, own) for key, own in zip(self.keys, self.sizes, strict=True)))

    def has_sizes(self, totals: Floats) -> bool:
        """Whether groups have sizes that can carry their figures, where not every size can."""
        groups = [g for g in self.ratio.occupied.tolist() if len(self.sizes[g])]
        now = totals[len(self.ratio.group) :]
        return bool(groups) and all(now[g] > self.sizes[g][-1] or now[g] in self.sizes[g] for g in groups)

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        residuals, jacobian = self.ratio.linearise(totals, table)
        n = len(self.ratio.group)
        occupied = self.ratio.occupied.tolist()
        first = {self.keys[group]: group for group in reversed(occupied)}
        now = totals[n + np.array(list(first.values()), dtype=np.int64)]
        # A group without condition, levels and missing values is everybody: its size is what it is.
        possible = [self.sizes[g] if any(key) else self.sizes[g][:0] for key, g in first.items()]
        chosen = nearest_sizes(now, possible, now.sum() == table.n_rows, table.n_rows)
        of_key = dict(zip(first, chosen, strict=True))
        for place, group in enumerate(occupied):
            size, wanted = totals[n + group], of_key[self.keys[group]]
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


@dataclass(frozen=True, eq=False)
class ShareResiduals:
    """Shares of all rows, whose number no move changes: residual = scale · total / rows − released."""

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = True
    released: Floats
    scale: float

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        slope = np.full(len(totals), self.scale / max(table.n_people, 1))
        return slope * totals - self.released, slope
