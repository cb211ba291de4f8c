"""Pruning and ordering by trying everything: slow, obvious twins of kernels/pruning.py and kernels/ordering.py."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np


def prunings(left: list[int], right: list[int], node: int = 0) -> Iterator[frozenset[int]]:
    """Every way to cut a tree back, as the set of splits that are kept."""
    yield frozenset()
    if left[node] >= 0:
        for a in prunings(left, right, left[node]):
            for b in prunings(left, right, right[node]):
                yield frozenset({node}) | a | b


def cost(left: list[int], right: list[int], risk: list[float], kept: frozenset[int], alpha: float) -> float:
    """The summed risk of the leaves plus alpha for every split."""

    def leaves(node: int) -> Iterator[int]:
        if node in kept:
            yield from leaves(left[node])
            yield from leaves(right[node])
        else:
            yield node

    return sum(risk[i] for i in leaves(0)) + alpha * len(kept)


def best_pruning(left: list[int], right: list[int], risk: list[float], alpha: float) -> frozenset[int]:
    """The cheapest pruning; among equally cheap ones the smallest."""
    return min(prunings(left, right), key=lambda kept: (round(cost(left, right, risk, kept, alpha), 9), len(kept)))


def best_split_in_two(codes: list[int], y: list[float]) -> float:
    """The smallest squared deviation that any division of the levels in two groups leaves."""
    levels, at = sorted(set(codes)), np.array(codes)
    values = np.array(y)

    def deviation(rows: np.ndarray) -> float:
        return float(((values[rows] - values[rows].mean()) ** 2).sum()) if rows.any() else 0.0

    divisions = (set(c) for size in range(1, len(levels)) for c in combinations(levels, size))
    return min(deviation(np.isin(at, list(d))) + deviation(~np.isin(at, list(d))) for d in divisions)
