"""An order for the levels of a nominal variable, so that a tree that splits numbers can split its levels sensibly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats


def ranks_by_mean(codes: NDArray[np.integer], n_codes: int, y: Floats) -> Floats:
    """The rank of every level by its mean of y. Among all splits of the levels in two, the best is one of the order
    (Fisher 1958; Breiman et al. 1984, theorem 4.5). Levels without a row stand where the mean of all rows stands.
    """
    counts = np.bincount(codes, minlength=n_codes)
    sums = np.bincount(codes, weights=y, minlength=n_codes)
    overall = float(y.mean()) if y.size else 0.0
    return _ranks(np.divide(sums, counts, out=np.full(n_codes, overall), where=counts > 0))


def ranks_by_class(codes: NDArray[np.integer], n_codes: int, classes: NDArray[np.integer], n_classes: int) -> Floats:
    """The rank of every level along the first principal component of the levels' class shares (Coppersmith, Hong and
    Hosking 1999), which for two classes is the order of their shares. Levels without a row stand at the shares of all.
    """
    cells = np.bincount(codes.astype(np.int64) * n_classes + classes, minlength=n_codes * n_classes)
    table = cells.reshape(n_codes, n_classes).astype(np.float64)
    counts = table.sum(axis=1)
    overall = table.sum(axis=0) / max(counts.sum(), 1.0)
    shares = np.where(counts[:, None] > 0, table / np.maximum(counts, 1.0)[:, None], overall)
    spread = shares - overall
    _, vectors = np.linalg.eigh((spread * counts[:, None]).T @ spread)
    axis = vectors[:, -1]
    # The sign of an eigenvector is arbitrary; the largest entry is made positive so that the order is not.
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    # Levels with the same shares must not be told apart by rounding.
    return _ranks(np.round(spread @ axis, 12))


def _ranks(scores: Floats) -> Floats:
    """0, 1, … in the order of the scores; equal scores in the order of the codes, so that levels stay apart."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(len(scores))
    return ranks
