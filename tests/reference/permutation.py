"""The slow, obvious twin of kernels/permutation.py: every arrangement of the labels, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product


def permutation_tail(levels: Sequence[int], inside: Sequence[bool], ends: Sequence[int]) -> float:
    """The share of the arrangements, shuffled within blocks, whose sum inside is at least the one observed."""
    starts = [0, *ends[:-1]]
    choices = [list(combinations(range(a, b), sum(inside[a:b]))) for a, b in zip(starts, ends, strict=True)]
    observed = sum(level for level, is_in in zip(levels, inside, strict=True) if is_in)
    sums = [sum(levels[s] for chosen in arrangement for s in chosen) for arrangement in product(*choices)]
    return sum(found >= observed for found in sums) / len(sums)
