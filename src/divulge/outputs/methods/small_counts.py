"""Small counts rounded: cells below the base become 0 or the base, the others stay, margins are sums of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy import sparse

from divulge.kernels.arrays import Floats
from divulge.outputs.methods.method import Method, cells_of
from divulge.settings import Range


@dataclass(frozen=True, kw_only=True)
class SmallCounts(Method):
    """Which small cells become the base is chosen one by one, so that sums stay near (Langsrud & Heldal 2018)."""

    kind: ClassVar[str] = "small-counts"

    base: Annotated[int, "Cells below this become 0 or this.", Range(least=2)] = 5

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        cells = cells_of(counts, sums)
        small = np.flatnonzero((cells > 0) & (cells < self.base))
        found = np.where((cells > 0) & (cells < self.base), 0.0, cells)
        # As many go up as keep the total, always the one that brings all sums nearest; ties as the draws have it.
        n_up = round(float(cells[small].sum()) / self.base)
        order = small[np.argsort(self.draws([labels[i] for i in small.tolist()], cells[small]))]
        matrix = sparse.csc_array(sparse.eye_array(len(cells)) if sums is None else sums)
        missing = np.asarray(matrix @ (cells - found))
        for _ in range(n_up):
            gain = np.asarray(2.0 * (matrix[:, order].T @ missing) - self.base * matrix[:, order].sum(axis=0))
            best = int(np.argmax(gain))
            found[order[best]] = self.base
            missing -= self.base * matrix[:, [int(order[best])]].toarray().ravel()
            order = np.delete(order, best)
        return found if sums is None else np.asarray(sums @ found)

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        cells = cells_of(printed, sums)
        below = np.where(cells == self.base, self.base - 1.0, 0.0)
        above = np.where(cells == 0, self.base - 1.0, 0.0)
        return (below, above) if sums is None else (np.asarray(sums @ below), np.asarray(sums @ above))

    def describe(self) -> str:
        return f"Counts below {self.base} were rounded to 0 or {self.base}; totals are those of the printed cells."
