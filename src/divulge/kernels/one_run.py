"""The recursion of the audit of f-differential privacy in one run (Mahloujifar et al. 2024), for Gaussian noise."""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True, nogil=True)
def _below(x: float) -> float:
    """Φ(x)."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@njit(cache=True, nogil=True)
def _quantile(p: float) -> float:
    """Φ⁻¹(p): a rational start (Odeh and Evans 1974), then Newton's and Halley's steps on Φ itself."""
    if p <= 0.0:
        return -math.inf
    if p >= 1.0:
        return math.inf
    tail = min(p, 1.0 - p)
    y = math.sqrt(-2.0 * math.log(tail))
    x = y - (2.515517 + y * (0.802853 + y * 0.010328)) / (1.0 + y * (1.432788 + y * (0.189269 + y * 0.001308)))
    x = -x
    for _ in range(4):
        gap = (_below(x) - tail) * math.sqrt(2.0 * math.pi) * math.exp(0.5 * x * x)
        step = gap / (1.0 + 0.5 * x * gap)
        x -= step
        if abs(step) < 1e-14 * max(1.0, abs(x)):
            break
    return x if p < 0.5 else -x


@njit(cache=True, nogil=True)
def excess(level: float, m: int, guesses: int, right: int, mu: float) -> float:
    """Above 0 where so many right guesses refute μ-Gaussian differential privacy at the level.

    m: how many people could be guessed at; guesses: how many were. Follows r and h, bounds on the chance of being right
    and wrong, down from the observed number of right guesses (Mahloujifar et al. 2024, algorithm 3).
    """
    r, h = level * right / m, level * (guesses - right) / m
    for i in range(right - 1, -1, -1):
        wider = max(h, _below(_quantile(r) - mu))
        if wider == h:
            break
        r = min(1.0, r + i / (guesses - i) * (wider - h))
        h = wider
    return r + h - guesses / m
