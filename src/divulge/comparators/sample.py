"""A share of the original rows as they are: a scale on which other synthetic data can be placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.comparators.comparator import check_request
from divulge.errors import ComparatorError
from divulge.table import Table


@dataclass(frozen=True)
class Sample:
    """An x % sample without replacement. share: x as a fraction of 1.

    Where more rows are asked for than the sample has, its rows are repeated as equally often as possible.
    """

    share: float = 0.1

    name: ClassVar[str] = "sample"
    summary: ClassVar[str] = "A random share of the original rows, unchanged."
    source: ClassVar[str] = "Francis 2024 (sampling-equivalent)"

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ComparatorError(f"a share above 0 and at most 1 is needed; {self.share} is given.", where="share")

    def synthesise(self, original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        """The sampled rows; without `n_rows`, as many as the share says (at least one)."""
        check_request(original, n_rows)
        size = max(1, round(self.share * original.n_rows))
        rows = rng.permutation(original.n_rows)[:size]
        return original.take(rows if n_rows is None else np.resize(rows, n_rows))
