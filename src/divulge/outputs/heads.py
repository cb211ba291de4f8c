"""Heads that several kinds share: how totals become residuals where that is neither diagonal nor merely linear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.outputs.precision import Floats, Released
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


@dataclass(frozen=True, eq=False)
class ShareHead:
    """Shares of all rows, whose number no move changes: residual = scale · total / rows − released."""

    released: Floats
    scale: float

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        slope = np.full(len(totals), self.scale / max(table.n_rows, 1))
        return slope * totals - self.released, slope
