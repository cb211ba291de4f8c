"""Slow twin of the fit: numbers of people in a dictionary, scaled one group after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

Bounds = tuple[tuple[str, ...], Mapping[tuple[int, ...], tuple[float, float]]]
"""The variables of a table, and the bounds of each of its cells."""


def fitted(
    marginals: Mapping[str, Sequence[float]], n_people: float, tables: Sequence[Bounds], sweeps: int
) -> dict[tuple[int, ...], float]:
    """How many people of each combination there are after so many rounds of scaling."""
    names = list(marginals)
    every = list(product(*(range(len(marginals[n])) for n in names)))
    values = {c: n_people * prod(marginals[n][k] for n, k in zip(names, c, strict=True)) for c in every}
    factors = [dict.fromkeys(cells, 1.0) for _, cells in tables]
    for _ in range(sweeps):
        for (variables, cells), factor in zip(tables, factors, strict=True):
            at = [names.index(v) for v in variables]
            for cell, (low, high) in cells.items():
                members = [c for c in every if tuple(c[i] for i in at) == cell]
                found = sum(values[c] for c in members)
                if found > 0 and factor[cell] > 0:
                    before = found / factor[cell]
                    ratio = min(max(before, low), high) / found
                    factor[cell] *= ratio
                    for c in members:
                        values[c] *= ratio
    return values
