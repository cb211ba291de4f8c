"""Counts that vary more than Poisson's: the likelihood of a negative binomial row, and its score as pieces."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

from divulge.kernels.arrays import Floats
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.pieces import Piece


def nb_pieces(name: str, y: Floats, alpha: float, parameter: int) -> tuple[Piece, ...]:
    """With Λ = αμ/(1 + αμ): y − (y + 1/α) Λ; and for α, parameter of this number, the same way. y: of each code of the
    response, NaN: takes no part."""
    a = 1.0 / alpha
    shift = {name: np.full(len(y), np.log(alpha))}
    same = np.where(np.isfinite(y), 1.0, np.nan)
    of_counts = digamma(y + a) - digamma(a) + 1.0 - (y + a) * alpha
    return (
        Piece("one", {name: y}),
        Piece("sigmoid", {name: -(y + a)}, offsets=shift),
        Piece("one", {name: -(a**2) * of_counts}, parameter=parameter),
        Piece("softplus", {name: same * a**2}, offsets=shift, parameter=parameter),
        Piece("sigmoid", {name: -a * (y + a)}, offsets=shift, parameter=parameter),
    )


def start_of_alpha(rows: ModelRows) -> float:
    """By the method of moments, within reason."""
    mean = np.average(rows.y, weights=rows.weight)
    spread = np.average((rows.y - mean) ** 2, weights=rows.weight)
    return float(min(max((spread - mean) / mean**2, 0.01), 10.0)) if mean > 0.0 else 1.0


def nb_value(rows: ModelRows, eta: Floats, alpha: float) -> Floats:
    """The log-likelihood of each row."""
    if alpha <= 0.0:
        return np.full(rows.size, np.nan)
    a, mu = 1.0 / alpha, np.exp(eta)
    same = gammaln(rows.y + a) - gammaln(a) - gammaln(rows.y + 1.0)
    return np.asarray(same - (rows.y + a) * np.log1p(alpha * mu) + rows.y * (eta + np.log(alpha)))


def nb_gradient(rows: ModelRows, eta: Floats, alpha: float) -> Floats:
    """Its derivatives by η and α."""
    a, mu = 1.0 / alpha, np.exp(eta)
    of_a = digamma(rows.y + a) - digamma(a) - np.log1p(alpha * mu) + 1.0 - (rows.y + a) / (a + mu)
    return np.stack([(rows.y - mu) / (1.0 + alpha * mu), -(a**2) * of_a], axis=1)
