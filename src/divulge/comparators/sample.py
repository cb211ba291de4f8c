"""A share of the original rows as they are: a scale on which other synthetic data can be placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.comparators.comparator import check_request
from divulge.settings import Range, check_settings
from divulge.table import Table


@dataclass(frozen=True)
class Sample:
    """An x % sample without replacement.

    Where more rows are asked for than the sample has, its rows are repeated as equally often as possible.
    """

    share: Annotated[float, "The share of the rows.", Range(above=0, most=1)] = 0.1

    kind: ClassVar[str] = "sample"
    summary: ClassVar[str] = "A random share of the original rows, unchanged."
    source: ClassVar[str] = "Francis 2024 (sampling-equivalent)"

    def __post_init__(self) -> None:
        check_settings(self)

    def synthesise(self, original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        """The sampled rows; without `n_rows`, as many as the share says (at least one)."""
        check_request(original, n_rows)
        size = max(1, round(self.share * original.n_rows))
        rows = rng.permutation(original.n_rows)[:size]
        return original.take(rows if n_rows is None else np.resize(rows, n_rows))
