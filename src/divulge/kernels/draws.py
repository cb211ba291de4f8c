"""Random draws that are the same bytes on every platform and with every version of numpy.

Raw bits of PCG64 (which numpy promises never to change) become uniforms, and uniforms become values by the inverse of
the cumulative distribution. numpy's own samplers are not used: they may change from version to version.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, ndtri

from divulge.kernels.arrays import Floats, Integers

_OURS = 0x64656D6F
"""The letters "demo": keeps our streams apart from those of `default_rng(seed)`, which others draw splits from.

Without it the first variable would be drawn from the very bits of `default_rng(1)`, as SeedSequence takes [1, 0] for 1.
"""


def uniforms(seed: int, stream: int, n_rows: int) -> Floats:
    """Numbers strictly between 0 and 1. Each stream is independent of the others and of how many rows are drawn."""
    sequence = np.random.SeedSequence([_OURS, seed, stream + 1])
    bits = np.random.PCG64(sequence).random_raw(n_rows) >> np.uint64(11)
    # 53 bits fill a double; half a step keeps clear of 0, where the normal quantile is infinite.
    return (bits.astype(np.float64) + 0.5) * 2.0**-53


def codes(u: Floats, probabilities: Floats) -> Integers:
    """For every row the category in whose slice of the unit interval `u` lies.

    probabilities: (categories,) or (rows, categories); they need not sum to one.
    """
    cumulative = np.cumsum(np.atleast_2d(probabilities), axis=1)
    inner = cumulative[:, :-1] / cumulative[:, -1:]
    return (u[:, None] >= inner).sum(axis=1)


def normals(u: Floats) -> Floats:
    """Standard normal values."""
    return np.asarray(ndtri(u))


def truncated_normals(u: Floats, mean: float, sd: float, low: float, high: float) -> Floats:
    """Normal values given that they lie between `low` and `high`."""
    below, above = ndtr((low - mean) / sd), ndtr((high - mean) / sd)
    return np.clip(mean + sd * normals(below + u * (above - below)), low, high)


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(−x))."""
    return np.asarray(expit(x))
