"""The tests that stand beside the rows of a table 1. It seldom says which they are: every usual one is computed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, stdtr
from scipy.stats import fisher_exact, rankdata

from divulge.readers.handed_in.matching.data import Data, Floats, Mask

_MOST_LEVELS = 20
"""Values of a variable up to which its groups may be compared by counts."""


def p_values(data: Data, variable: str, by: str, rows: Mask) -> list[float]:
    """The p-values of all tests that may be meant, of those that can be computed."""
    groups = data.codes(by)
    out: list[float] = []
    if data.is_numeric(variable):
        numbers = data.numbers(variable)
        known = rows & (groups >= 0) & np.isfinite(numbers)
        parts = [numbers[known & (groups == c)] for c in np.unique(groups[known])]
        if len(parts) > 1 and all(len(p) > 1 for p in parts):
            out += _of_numbers(parts)
    if data.n_levels(variable) <= _MOST_LEVELS:
        levels = data.codes(variable)
        for kept in (rows & (groups >= 0) & (levels >= 0), rows & (groups >= 0)):
            counts = np.zeros((data.n_levels(variable) + 1, data.n_levels(by) + 1))
            np.add.at(counts, (levels[kept], groups[kept]), 1.0)
            out += _of_counts(counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0])
    return [p for p in out if np.isfinite(p)]


def _of_numbers(parts: Sequence[Floats]) -> list[float]:
    """Student 1908 or the analysis of variance, Welch 1951, Kruskal & Wallis 1952, Mann & Whitney 1947."""
    sizes = np.array([len(p) for p in parts], dtype=float)
    n, k = float(sizes.sum()), len(parts)
    means = np.array([p.mean() for p in parts])
    variances = np.array([p.var(ddof=1) for p in parts])
    middle = float(sizes @ means) / n
    within = float((sizes - 1) @ variances)
    if within <= 0 or (variances <= 0).any():
        return []
    f = float(sizes @ (means - middle) ** 2) / (k - 1) / (within / (n - k))
    weight = sizes / variances
    centre = float(weight @ means) / float(weight.sum())
    spread = float(((1 - weight / weight.sum()) ** 2 / (sizes - 1)).sum())
    between = float(weight @ (means - centre) ** 2) / (k - 1)
    welch = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return [
        float(fdtrc(k - 1, n - k, f)),
        float(fdtrc(k - 1, (k**2 - 1) / (3 * spread), welch)),
        *_of_ranks(parts, sizes, n),
    ]


def _of_ranks(parts: Sequence[Floats], sizes: Floats, n: float) -> list[float]:
    pooled = np.concatenate(parts)
    ranks = rankdata(pooled)
    _, ties = np.unique(pooled, return_counts=True)
    tied = 1 - float((ties**3 - ties).sum()) / (n**3 - n)
    ends = np.cumsum([0, *map(int, sizes)])
    sums = np.array([ranks[a:b].sum() for a, b in pairwise(ends)])
    if tied <= 0:
        return []
    h = (12 / (n * (n + 1)) * float((sums**2 / sizes).sum()) - 3 * (n + 1)) / tied
    out = [float(chdtrc(len(parts) - 1, h))]
    if len(parts) == 2:
        u = float(sums[0] - sizes[0] * (sizes[0] + 1) / 2)
        sd = float(np.sqrt(sizes.prod() * (n + 1) / 12 * tied))
        gap = abs(u - sizes.prod() / 2)
        out += [2 * float(ndtr(-max(gap - c, 0.0) / sd)) for c in (0.5, 0.0)]
    return out


def _of_counts(counts: Floats) -> list[float]:
    """Pearson 1900, also as Yates 1934 corrects it, the likelihood ratio, Fisher 1922 and the test of two shares."""
    if min(counts.shape) < 2:
        return []
    n = counts.sum()
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / n
    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    apart = np.abs(counts - expected)
    chi = float((apart**2 / expected).sum())
    inside = counts > 0
    ratio = 2 * float((counts[inside] * np.log(counts[inside] / expected[inside])).sum())
    out = [float(chdtrc(df, v)) for v in (chi, ratio)]
    if counts.shape == (2, 2):
        out.append(float(chdtrc(1, float((np.maximum(apart - min(0.5, apart.min()), 0.0) ** 2 / expected).sum()))))
        out.append(float(fisher_exact(counts).pvalue))
        first = counts[0] / counts.sum(axis=0)
        spread = float((first * (1 - first) / counts.sum(axis=0)).sum())
        out += [2 * float(stdtr(n - 2, -abs(first[0] - first[1]) / np.sqrt(spread)))] if spread > 0 else []
    return out
