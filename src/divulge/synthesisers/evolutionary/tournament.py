"""Selection of parents by binary tournament: of two individuals drawn at random, the fitter one becomes a parent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels import evolution
from divulge.kernels.arrays import Floats, Integers


def select(fitness: Floats, n_pairs: int, stream: NDArray[np.uint64]) -> Integers:
    """Parents (pairs, 2) as places in `fitness`, where lower is fitter; the two of a pair differ."""
    parents = np.empty((n_pairs, 2), dtype=np.int64)
    evolution.choose_parents(fitness, stream, parents)
    return parents
