"""Random rounding: each count to one of the two multiples next to it, so that it is right on average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy import sparse

from divulge.kernels.arrays import Floats
from divulge.outputs.methods.method import Method
from divulge.settings import Range


@dataclass(frozen=True, kw_only=True)
class RandomRounding(Method):
    """A count with remainder r goes up with probability r / base, and down otherwise; multiples stay (Fellegi 1975)."""

    kind: ClassVar[str] = "random-rounding"

    base: Annotated[int, "Printed numbers are multiples of this.", Range(least=2)] = 3

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        del sums
        down = np.floor(counts / self.base) * self.base
        goes_up = self.draws(labels, counts) < (counts - down) / self.base
        return np.where(goes_up, down + self.base, down)

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        del sums
        found = np.full(len(printed), self.base - 1.0)
        return found, found

    def describe(self) -> str:
        return f"Counts were rounded at random to multiples of {self.base}."
