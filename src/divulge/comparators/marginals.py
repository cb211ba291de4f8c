"""Every variable drawn on its own: the univariate distributions are kept and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.comparators.comparator import check_request
from divulge.table import Table


@dataclass(frozen=True)
class Marginals:
    """Independent draws from each variable's own distribution: what an intruder has who knows the marginals alone."""

    kind: ClassVar[str] = "marginals"
    summary: ClassVar[str] = "Every variable drawn independently from its own distribution."
    source: ClassVar[str] = "Elliot et al. (the univariate start)"

    def synthesise(self, original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        """Each column resampled with replacement, apart from the others."""
        wanted = check_request(original, n_rows)
        return Table(original.schema, tuple(c[rng.integers(0, len(c), wanted)] for c in original.columns))
