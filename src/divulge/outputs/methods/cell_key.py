"""Cell-key perturbation: every cell has a key, and key and count say together by how much the count is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
from scipy import optimize, sparse

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.methods.method import Method
from divulge.settings import Range


@dataclass(frozen=True, kw_only=True)
class CellKey(Method):
    """Changes of at most `most`, zero on average, with a given variance, of the greatest entropy (Marley & Leaver 2011,
    Giessing 2016). Zeros stay, nothing becomes negative. Margins are changed on their own and need not add up.
    """

    kind: ClassVar[str] = "cell-key"

    most: Annotated[int, "No count is changed by more.", Range(least=1, most=50)] = 5
    variance: Annotated[float, "The variance of the changes.", Range(above=0)] = 3.0

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        del sums
        keys = self.draws(labels, counts)
        whole = np.round(counts).astype(np.int64)
        found = counts.astype(float).copy()
        for n in np.unique(whole[whole > 0]).tolist():
            ends = np.cumsum(changes_of(min(n, self.most), self.most, self.variance))
            at = whole == n
            change = np.searchsorted(ends, keys[at], side="right").clip(max=len(ends) - 1) - min(n, self.most)
            found[at] = n + change
        return found

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        del sums
        # A printed zero may have been anything up to `most`; nothing comes from a true zero but zero.
        return np.minimum(printed, float(self.most)), np.full(len(printed), float(self.most))

    def describe(self) -> str:
        return f"Counts were changed by at most {self.most}, by keys of the cells."


@lru_cache(maxsize=256)
def changes_of(count: int, most: int, variance: float) -> Floats:
    """Probabilities of the changes −count … most: mean 0, this variance as far as it can be, greatest entropy.

    p(v) ∝ exp(a v + b v²); a and b minimise the convex log Σ exp(a v + b (v² − variance)).
    """
    v = np.arange(-count, most + 1).astype(float)
    # Between −count and most, with mean 0, no variance is above count × most (Bhatia & Davis 2000).
    target = min(variance, 0.9 * count * most)

    def dual(at: Floats) -> tuple[float, Floats]:
        power = at[0] * v + at[1] * (v**2 - target)
        top = power.max()
        weight = np.exp(power - top)
        share = weight / weight.sum()
        return float(top + np.log(weight.sum())), np.array([share @ v, share @ (v**2 - target)])

    best = optimize.minimize(dual, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-10}).x
    power = best[0] * v + best[1] * v**2
    weight = np.exp(power - power.max())
    return np.asarray(weight / weight.sum())


def look_up(counts: Integers, keys: Integers, table: Floats, largest: int = 750, repeats: int = 250) -> Floats:
    """Counts with the changes of a table (rows: counts from 1; columns: keys), as the ONS has it (Blanchard 2023).

    Counts above `largest` use the rows of the last `repeats` again and again.
    """
    row = np.where(counts <= largest, counts, (counts - 1) % repeats + largest - repeats + 1)
    change = np.where(counts > 0, table[np.maximum(row, 1) - 1, keys], 0.0)
    return np.asarray(counts + change)
