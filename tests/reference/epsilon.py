"""Audits of ε as plain sums and loops: slow twins of measures/epsilon.py and kernels/one_run.py."""

from __future__ import annotations

import math
from statistics import NormalDist

_NORMAL = NormalDist()


def one_run_p_value(m: int, guesses: int, right: int, eps: float, delta: float) -> float:
    """Steinke, Nasr and Jagielski 2023, theorem 5.2, from binomial probabilities."""
    q = 1 / (1 + math.exp(-eps))
    chance = [math.comb(guesses, k) * q**k * (1 - q) ** (guesses - k) for k in range(guesses + 1)]
    beta = sum(chance[right:])
    alpha = max((sum(chance[right - i : right]) / i for i in range(1, right + 1)), default=0.0)
    return min(1.0, beta + 2 * m * delta * alpha)


def excess(level: float, m: int, guesses: int, right: int, mu: float) -> float:
    """Mahloujifar et al. 2024, algorithm 3."""
    r, h = level * right / m, level * (guesses - right) / m
    for i in range(right - 1, -1, -1):
        inverse = 1.0 if r >= 1 else 0.0 if r <= 0 else _NORMAL.cdf(_NORMAL.inv_cdf(r) - mu)
        wider = max(h, inverse)
        r, h = min(1.0, r + i / (guesses - i) * (wider - h)), wider
    return r + h - guesses / m


def gaussian_delta(mu: float, eps: float) -> float:
    """Dong, Roth and Su 2022, corollary 2.13."""
    return _below(-eps / mu + mu / 2) - math.exp(eps) * _below(-eps / mu - mu / 2)


def _below(x: float) -> float:
    """Φ(x) by the complementary error function, which keeps its digits in the far tail."""
    return math.erfc(-x / math.sqrt(2)) / 2
