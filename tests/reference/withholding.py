"""Whether withheld figures protect each other, by one linear program from scratch."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from divulge.kernels.arrays import Mask
from divulge.withholding import Figures


def can_move(given: Figures, withheld: Mask, target: int, need: float) -> bool:
    """Whether a figure can move by what it needs while every published figure stays."""
    tied = np.flatnonzero(~withheld)
    done = linprog(
        np.zeros(given.sums.shape[1]),
        A_eq=sparse.vstack([given.sums[tied], given.sums[[target]]]).tocsr(),
        b_eq=np.concatenate([np.zeros(len(tied)), [need]]),
        bounds=np.column_stack([given.least - given.cells, given.most - given.cells]),
        method="highs",
    )
    return bool(done.status == 0)
