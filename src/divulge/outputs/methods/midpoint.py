"""Midpoint rounding: counts in bands as wide as the base, each printed as the middle of its band."""

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
class Midpoint(Method):
    """With base 6, as OpenSAFELY releases counts: 1 to 6 are printed as 3, 7 to 12 as 9; 0 stays 0."""

    is_drawn: ClassVar[bool] = False
    kind: ClassVar[str] = "midpoint"

    base: Annotated[int, "How many counts are printed alike.", Range(least=2)] = 6

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        del labels, sums
        return np.where(counts > 0, np.ceil(counts / self.base) * self.base - self._above, 0.0)

    @property
    def _above(self) -> int:
        return self.base // 2

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        del sums
        some = printed > 0
        return np.where(some, self.base - 1.0 - self._above, 0.0), np.where(some, float(self._above), 0.0)

    def describe(self) -> str:
        return f"Counts stand for bands of {self.base}: each is printed as the middle of its band."
