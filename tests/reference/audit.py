"""The slow, obvious twins of the audit: every filling of the cells, every sample."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from statistics import mean, median, stdev

import numpy as np
from numpy.typing import NDArray


def whole_bounds(
    matrix: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], most: int
) -> tuple[list[int], list[int]] | None:
    """The least and the greatest value of each cell over all fillings with 0 … most; None where there is no filling."""
    possible = [
        cells
        for cells in product(range(most + 1), repeat=matrix.shape[1])
        if ((matrix @ cells >= low) & (matrix @ cells <= high)).all()
    ]
    if not possible:
        return None
    return [min(c) for c in zip(*possible, strict=True)], [max(c) for c in zip(*possible, strict=True)]


def samples(
    values: list[int], n: int, a_mean: tuple[float, float], a_sd: tuple[float, float], a_median: tuple[float, float]
) -> list[tuple[int, ...]]:
    """Every sample of n ascending values whose mean, standard deviation and median lie in these intervals."""
    return [
        sample
        for sample in combinations_with_replacement(values, n)
        if a_mean[0] <= mean(sample) <= a_mean[1]
        and a_sd[0] <= stdev(sample) <= a_sd[1]
        and a_median[0] <= median(sample) <= a_median[1]
    ]
