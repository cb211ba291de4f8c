"""Noise with a known distribution: what is printed is the count plus a number drawn for the cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from divulge.kernels.arrays import Floats
from divulge.outputs.methods.method import Method, cells_of
from divulge.settings import Range

TAIL = 0.005
"""Chance on each side that the count is further away than an intruder reckons with."""


@dataclass(frozen=True, kw_only=True)
class Noise(Method):
    """Noise in the cells; margins are their sums. One person changes one cell by 1, so Laplace noise of scale 1/ε gives
    ε-differential privacy for one release (Dwork et al. 2006); Gaussian noise has the same variance. A Poisson count
    with the cell's count as its mean has no ε (empty cells stay empty), as in Poisson synthesis of tables.
    """

    kind: ClassVar[str] = "noise"

    epsilon: Annotated[float, "1/ε is the scale of the noise.", Range(above=0)] = 1.0
    distribution: Annotated[Literal["laplace", "gaussian", "poisson"], "What the noise is drawn from."] = "laplace"

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        cells = cells_of(counts, sums)
        draws = np.clip(self.draws(labels[: len(cells)], cells), 1e-12, 1 - 1e-12)
        if self.distribution == "poisson":
            from scipy import stats

            found = np.where(cells > 0, stats.poisson.ppf(draws, np.maximum(cells, 1e-9)), 0.0)
        else:
            found = np.maximum(np.round(cells + self._law().ppf(draws)), 0.0)
        return found if sums is None else np.asarray(sums @ found)

    def _law(self) -> Any:
        from scipy import stats  # imported where it is used: it takes longer than most commands

        scale = 1.0 / self.epsilon
        return stats.laplace(scale=scale) if self.distribution == "laplace" else stats.norm(scale=np.sqrt(2.0) * scale)

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        cells = cells_of(printed, sums)
        if self.distribution == "poisson":
            from scipy import stats

            # The mean of a Poisson count that was seen (Garwood 1936).
            below = cells - np.floor(stats.chi2.ppf(TAIL, 2 * np.maximum(cells, 0.5)) / 2)
            above = np.ceil(stats.chi2.ppf(1 - TAIL, 2 * (cells + 1)) / 2) - cells
        else:
            below = above = np.full(len(cells), np.ceil(self._law().ppf(1 - TAIL)))
        if sums is None:
            return below, above
        # Noise of several cells adds as variances do.
        return np.sqrt(sums @ below**2), np.sqrt(sums @ above**2)

    def phrase(self) -> str:
        """What is done; ε where it has one."""
        if self.distribution == "poisson":
            return "Draw a Poisson count around each count"
        name = self.distribution.capitalize()
        if self.distribution == "laplace":
            return f"Add {name} noise to counts (ε = {self.epsilon:g})"
        return f"Add {name} noise to counts (standard deviation {np.sqrt(2.0) / self.epsilon:.3g})"

    def describe(self) -> str:
        if self.distribution == "poisson":
            return "Each cell is a Poisson count around the count of the data; totals are those of the printed cells."
        guarantee = f", which gives ε = {self.epsilon:g}" if self.distribution == "laplace" else ""
        return f"{self.distribution.capitalize()} noise was added to each cell{guarantee}."
