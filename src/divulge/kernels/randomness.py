"""Random numbers inside kernels: a counter-based stream (SplitMix64, Steele, Lea and Flood 2014) and alias tables.

NumPy's generator cannot be used inside compiled loops with the same bytes on every version; this one is ours and fixed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Integers32

Stream = NDArray[np.uint64]
"""A stream of random numbers: one number, advanced in place."""

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True, inline="always")
def _next_bits(stream):  # type: ignore[no-untyped-def]
    """64 random bits."""
    stream[0] += _INCREMENT
    z = stream[0]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def next_uniform(stream):  # type: ignore[no-untyped-def]
    """A number in [0, 1) with 53 random bits."""
    return np.float64(_next_bits(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True, inline="always")
def next_below(stream, n):  # type: ignore[no-untyped-def]
    """An integer in 0 … n − 1. The bias of scaling 53 bits is below n / 2⁵³."""
    return np.int64(next_uniform(stream) * n)


@njit(cache=True, nogil=True, inline="always")
def next_code(stream, threshold, alias, start, size):  # type: ignore[no-untyped-def]
    """A code drawn from the distribution whose alias table is at start … start + size (Walker 1977)."""
    u = next_uniform(stream) * size
    k = np.int64(u)
    return k if u - k < threshold[start + k] else np.int64(alias[start + k])


@njit(cache=True, nogil=True)
def draw_codes(stream, threshold, alias, codes, j):  # type: ignore[no-untyped-def]
    """Fill column j of codes with independent draws."""
    for i in range(codes.shape[0]):
        codes[i, j] = next_code(stream, threshold, alias, 0, threshold.shape[0])


def alias_table(probabilities: Floats) -> tuple[Floats, Integers32]:
    """Thresholds and aliases to draw from these probabilities in constant time (Vose 1991)."""
    n = len(probabilities)
    scaled = np.asarray(probabilities, dtype=float) * n / np.sum(probabilities)
    threshold, alias = np.ones(n), np.arange(n, dtype=np.int32)
    small = [i for i in range(n) if scaled[i] < 1.0]
    large = [i for i in range(n) if scaled[i] >= 1.0]
    while small and large:
        low, high = small.pop(), large.pop()
        threshold[low], alias[low] = scaled[low], high
        scaled[high] -= 1.0 - scaled[low]
        (small if scaled[high] < 1.0 else large).append(high)
    # What is left differs from 1 by rounding only; a level of probability 0 left here would otherwise be drawn.
    for i in small + large:
        threshold[i] = 1.0 if probabilities[i] > 0 else 0.0
        if probabilities[i] <= 0:
            alias[i] = int(np.argmax(probabilities))
    return threshold, alias


def stream(*key: int) -> Stream:
    """A stream of its own for every key (seed, run, part, …), independent of how work is shared out."""
    words = np.random.SeedSequence([int(k) & 0xFFFFFFFF for k in key]).generate_state(1, np.uint64)
    return np.asarray(words)


def streams(n: int, *key: int) -> NDArray[np.uint64]:
    """n streams (n, 1) under one key, each as independent of the others as streams of different keys."""
    words = np.random.SeedSequence([int(k) & 0xFFFFFFFF for k in key]).generate_state(n, np.uint64)
    return np.asarray(words, dtype=np.uint64)[:, None]
