"""Lattices by exact fractions and by trying everything: slow, obvious twins of `divulge.kernels.lattice`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

Rows = list[list[Fraction]]


def exact(matrix: Any) -> Rows:
    """A matrix of floats as what they are exactly."""
    return [[Fraction(float(x)) for x in row] for row in matrix]


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def gram_schmidt(basis: Rows) -> tuple[Rows, Rows]:
    """Orthogonal vectors and coefficients, by the formula of the textbook."""
    vectors: Rows = []
    slopes: Rows = []
    for row in basis:
        own = [dot(row, q) / dot(q, q) for q in vectors]
        left = list(row)
        for slope, q in zip(own, vectors, strict=True):
            left = [x - slope * y for x, y in zip(left, q, strict=True)]
        vectors.append(left)
        slopes.append(own)
    return vectors, slopes


def is_reduced(matrix: Any, delta: float, rounded: float) -> bool:
    """Whether a basis is size-reduced and keeps Lovász's condition (Lenstra, Lenstra & Lovász 1982)."""
    vectors, slopes = gram_schmidt(exact(matrix))
    norms = [dot(q, q) for q in vectors]
    small = all(abs(slope) <= Fraction(rounded) for own in slopes for slope in own)
    tolerance = Fraction(1, 10**9)  # floats decide about swaps
    lovasz = all(
        norms[k] * (1 + tolerance) >= (Fraction(delta) - slopes[k][k - 1] ** 2) * norms[k - 1]
        for k in range(1, len(norms))
    )
    return small and lovasz


def nearest_plane(matrix: Any, target: Any) -> list[Fraction]:
    """What is left of the target after nearest plane (Babai 1986), in fractions."""
    basis = exact(matrix)
    vectors, _ = gram_schmidt(basis)
    left = exact([target])[0]
    for row, q in zip(reversed(basis), reversed(vectors), strict=True):
        times = round(dot(left, q) / dot(q, q))
        left = [x - times * y for x, y in zip(left, row, strict=True)]
    return left


def solutions(shifts: Any, aim: Any, spans: Any) -> set[tuple[int, ...]]:
    """Every choice of whole numbers with sums within 1 of the aim, by trying all."""
    choices = np.array(list(product(*(range(int(s) + 1) for s in spans))))
    return {tuple(map(int, c)) for c in choices[(np.abs(choices @ shifts - aim) <= 1).all(axis=1)]}


def solved(matrix: list[list[int]], right: list[int]) -> list[Fraction]:
    """The exact solution of equations in whole numbers, by elimination."""
    n = len(matrix)
    rows = [[Fraction(x) for x in (*row, b)] for row, b in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                times = rows[k][i] / rows[i][i]
                rows[k] = [x - times * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n] / row[i] for i, row in enumerate(rows)]
