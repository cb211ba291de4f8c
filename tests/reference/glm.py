"""Regressions by the book: a dense design matrix, plain Newton steps, one loop a family. Slow and obvious."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.layout import RawTerm

Floats = NDArray[np.float64]


def dense_design(terms: Sequence[RawTerm], n_columns: int, codes: NDArray[np.unsignedinteger]) -> Floats:
    """The design matrix row by row; NaN in rows for which some term cannot be computed."""
    matrix = np.zeros((len(codes), n_columns))
    for i, row in enumerate(codes):
        for term in terms:
            cell, value = 0, 1.0
            for v, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
                cell += int(cells[row[v]])
                value *= 1.0 if factors is None else float(factors[row[v]])
            if cell < 0:
                matrix[i] = np.nan
            elif term.column[cell] >= 0:
                matrix[i, term.column[cell]] += value * term.scale[cell]
    return matrix


def mean_and_slope(family: str, eta: Floats) -> tuple[Floats, Floats]:
    """(rows, classes) of μ, and (rows, classes, classes) of dμ/dη."""
    if family == "identity":
        return eta, np.ones((len(eta), 1, 1))
    if family == "poisson":
        return np.exp(eta), np.exp(eta)[:, :, None]
    # A logistic model is a multinomial one with two classes.
    odds = np.exp(eta)
    mean = odds / (1.0 + odds.sum(axis=1, keepdims=True))
    slope = np.array([np.diag(m) - np.outer(m, m) for m in mean])
    return mean, slope


def moments(family: str, x: Floats, y: Floats, weight: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """Score and information at beta (classes, columns). y: (rows, classes)."""
    mean, slope = mean_and_slope(family, x @ beta.T)
    score = np.einsum("i,ik,ij->kj", weight, y - mean, x).ravel()
    information = np.einsum("i,ikl,ia,ib->kalb", weight, slope, x, x)
    return score, information.reshape(score.size, score.size)


def fit(family: str, x: Floats, y: Floats, weight: Floats) -> Floats:
    """Coefficients after so many Newton steps that nothing moves any more."""
    beta = np.zeros((y.shape[1], x.shape[1]))
    if family == "poisson":
        beta[0] = np.linalg.lstsq(x, np.log(y[:, 0] + 0.5), rcond=None)[0]
    for _ in range(50):
        score, information = moments(family, x, y, weight, beta)
        beta = beta + np.linalg.solve(information, score).reshape(beta.shape)
    return beta
