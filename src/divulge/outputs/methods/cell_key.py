"""Cell-key perturbation: every cell has a key, and key and count say together by how much the count is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command
from scipy import sparse

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.methods.method import Method
from divulge.settings import Range


@dataclass(frozen=True, kw_only=True)
class CellKey(Method):
    """Changes of at most `most`, zero on average, with a given variance, of the greatest entropy (Marley & Leaver 2011,
    Giessing 2016). Zeros stay, nothing becomes negative. Margins are changed on their own and need not add up.

    With `table` changes are those of a given table, as the census of the EU has them (Handbook on SDC 2025); counts
    above its last use the last rows again and again, as many as `repeats` says. With `keys` the key of a cell is the
    sum of its people's record keys: its fraction, or the remainder of whole keys below `keys_below` (256 at the ONS).
    """

    kind: ClassVar[str] = "cell-key"

    most: Annotated[int, "No count is changed by more.", Range(least=1, most=50)] = 5
    variance: Annotated[float, "The variance of the changes.", Range(above=0)] = 3.0
    table: Annotated[
        tuple[tuple[float, ...], ...], "A table of changes: rows of count, change, and the keys that it is for."
    ] = ()
    keys: Annotated[str | None, "The variable of record keys; none: keys of cells are drawn."] = None
    keys_below: Annotated[int, "Record keys are whole numbers below this; 0: fractions of 1.", Range(least=0)] = 0
    repeats: Annotated[int, "Counts above the table's use so many of its last again and again.", Range(least=1)] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for row in self.table:
            if len(row) != 4 or row[0] < 0 or row[0] + row[1] < 0 or row[0] != int(row[0]) or row[1] != int(row[1]):
                raise OutputError(
                    "a row of the table is no count, change, and two ends of keys; or makes a count negative.",
                    where="method.table",
                    hint="For example [3, 1, 0.7, 1]: 3 becomes 4 where the key is above 0.7.",
                )

    @property
    def key_variable(self) -> str | None:
        return self.keys

    def printed(
        self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None, keys: Floats | None
    ) -> Floats:
        if keys is None:
            return self.apply(labels, counts, sums)
        # Whole keys lie in the middle of their step, so that ends of rows do not matter.
        return self._changed(
            counts, (keys % self.keys_below + 0.5) / self.keys_below if self.keys_below else keys % 1.0
        )

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        del sums
        return self._changed(counts, self.draws(labels, counts))

    def _changed(self, counts: Floats, keys: Floats) -> Floats:
        whole = np.round(counts).astype(np.int64)
        found = counts.astype(float).copy()
        if self.table:
            return found + self._from_table(whole, keys)
        for n in np.unique(whole[whole > 0]).tolist():
            ends = np.cumsum(_changes_of(min(n, self.most), self.most, self.variance))
            at = whole == n
            change = np.searchsorted(ends, keys[at], side="right").clip(max=len(ends) - 1) - min(n, self.most)
            found[at] = n + change
        return found

    def _from_table(self, counts: Integers, keys: Floats) -> Floats:
        rows = np.array(self.table)
        last = int(rows[:, 0].max())
        row = np.where(counts <= last, counts, (counts - last - 1) % self.repeats + last - self.repeats + 1)
        rows = rows[np.lexsort((rows[:, 3], rows[:, 0]))]
        change = np.zeros(len(counts))
        for count in np.unique(row).tolist():
            mine, at = rows[rows[:, 0] == count], np.flatnonzero(row == count)
            place = np.searchsorted(mine[:, 3], keys[at])
            held = place < len(mine)
            held[held] = keys[at[held]] > mine[place[held], 2]
            change[at[held]] = mine[place[held], 1]
        return change

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        del sums
        if self.table:
            changes = [row[1] for row in self.table]
            below, above = max(0.0, *changes), max(0.0, *(-c for c in changes))
            return np.minimum(printed, below), np.full(len(printed), above)
        # A printed zero may have been anything up to `most`; nothing comes from a true zero but zero.
        return np.minimum(printed, float(self.most)), np.full(len(printed), float(self.most))

    def describe(self) -> str:
        most = max(abs(row[1]) for row in self.table) if self.table else self.most
        return f"Counts were changed by at most {most:g}, by keys of the cells."


@lru_cache(maxsize=256)
def _changes_of(count: int, most: int, variance: float) -> Floats:
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

    best = scipy.optimize.minimize(dual, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-10}).x
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
