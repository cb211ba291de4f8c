"""A Gaussian copula on published moments: marginals and correlations, and nothing else of the original.

This is macro-to-micro synthesis without any search (Aghaddar et al. 2024, after SYNC): what the moments alone allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from divulge.comparators.comparator import check_request
from divulge.kernels.arrays import Floats
from divulge.table import Schema, Table, Variable

_TERMS = 60  # Terms of the Hermite series. The correlation of two fair coins at ρ = 0.9 is then right to 1e-5.
_STEPS = 50  # halvings of the interval in which the latent correlation is sought: far below rounding


@dataclass(frozen=True, eq=False)
class Moments:
    """What is published: how often each code occurs, and the correlations of the codes' scores.

    The score of a number is the number, that of a category its place among the categories, and that of a missing
    value the variable's mean.
    """

    schema: Schema
    shares: tuple[Floats, ...]
    correlation: Floats


@dataclass(frozen=True)
class Copula:
    """Normal variables with latent correlations such that the scores have the published ones, cut at the marginals.

    Nominal categories enter by the order in which the schema lists them: the copula knows no other association.
    """

    kind: ClassVar[str] = "copula"
    summary: ClassVar[str] = "A Gaussian copula with the original's marginals and correlations."
    source: ClassVar[str] = "Aghaddar et al. 2024 (SYNC); Cario and Nelson 1997 (NORTA)"

    def synthesise(self, original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        """The moments of the original, and rows drawn from them."""
        wanted = check_request(original, n_rows)
        return self.draw(published_moments(original), wanted, rng)

    def draw(self, moments: Moments, n_rows: int, rng: np.random.Generator) -> Table:
        """Rows from moments alone."""
        latent = _latent_correlation(moments)
        # The eigenvectors' signs do not matter: the distribution is the same, and the draw has a fixed order.
        values, vectors = np.linalg.eigh(latent)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
        normals = rng.standard_normal((n_rows, len(moments.shares))) @ root.T
        columns = []
        for j, (shares, variable) in enumerate(zip(moments.shares, moments.schema, strict=True)):
            codes = np.searchsorted(np.cumsum(shares)[:-1], ndtr(normals[:, j]), side="right")
            # Rounding of the cumulative shares must not give a code that nobody has.
            possible = np.flatnonzero(shares)
            codes = possible[np.clip(np.searchsorted(possible, codes), 0, len(possible) - 1)]
            columns.append(codes.astype(variable.dtype))
        return Table(moments.schema, tuple(columns))


def published_moments(table: Table) -> Moments:
    """The marginals and correlations of a table; a constant variable is uncorrelated with all others."""
    shares = tuple(table.frequencies(v.name) / table.n_rows for v in table.schema)
    scores = np.column_stack([_scores(v, s)[table[v.name]] for v, s in zip(table.schema, shares, strict=True)])
    centred = scores - scores.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    # Below this share of the largest score a spread is rounding, not variation.
    flat = spread <= 1e-12 * np.maximum(np.abs(scores).max(axis=0), 1.0) * np.sqrt(table.n_rows)
    centred[:, flat] = 0.0
    correlation = (centred / np.where(flat, 1.0, spread)).T @ (centred / np.where(flat, 1.0, spread))
    np.fill_diagonal(correlation, 1.0)
    return Moments(table.schema, shares, correlation)


def _latent_correlation(moments: Moments) -> Floats:
    """The normal correlations under which the cut variables have the published ones, made a correlation matrix.

    corr(ρ) = Σ_k a_k b_k ρ^k / (σ_a σ_b) with a_k, b_k the Hermite coefficients of the two cut variables (Cario and
    Nelson 1997). It rises with ρ for ordered scores; where no ρ gives the published figure, the nearer end is taken.
    """
    coefficients = [_hermite(_scores(v, s), s, _TERMS) for v, s in zip(moments.schema, moments.shares, strict=True)]
    n = len(coefficients)
    latent = np.eye(n)
    for i in range(n):
        for j in range(i):
            series = coefficients[i] * coefficients[j]
            latent[i, j] = latent[j, i] = _solved(series, float(moments.correlation[i, j]))
    values, vectors = np.linalg.eigh(latent)
    if values[0] < 0:
        # Pairwise solutions need not fit together; the nearest fit in eigenvalues is rescaled to ones on the diagonal.
        latent = (vectors * np.clip(values, 1e-10, None)) @ vectors.T
        scale = np.sqrt(np.diag(latent))
        latent = latent / np.outer(scale, scale)
    return latent


def _scores(variable: Variable, shares: Floats) -> Floats:
    """The number that stands for each code."""
    known = shares[: variable.n_values]
    if variable.kind == "numeric":
        scores = variable.numbers
    else:
        scores = np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=np.float64))
    total = known.sum()
    mean = float(known @ scores[: variable.n_values] / total) if total > 0 else 0.0
    return np.nan_to_num(scores, nan=mean)


def _hermite(scores: Floats, shares: Floats, n_terms: int) -> Floats:
    """Coefficients a_1 … a_K of the standardised step function z → score on orthonormal Hermite polynomials.

    ∫ over (s, t) of h_k φ is (h_{k−1}(s) φ(s) − h_{k−1}(t) φ(t)) / √k, so no quadrature is needed.
    """
    mean = float(shares @ scores)
    spread = float(np.sqrt(shares @ (scores - mean) ** 2))
    if not spread > 1e-12 * max(1.0, float(np.abs(scores).max(initial=0.0))):
        return np.zeros(n_terms)
    kept = shares > 0
    steps = (scores[kept] - mean) / spread
    cuts = ndtri(np.clip(np.cumsum(shares[kept])[:-1], 0.0, 1.0))
    cuts = np.clip(cuts, -38.0, 38.0)  # beyond, the density is zero in floating point
    density = np.exp(-0.5 * cuts**2) / np.sqrt(2 * np.pi)
    jumps = np.diff(steps)
    coefficients = np.empty(n_terms)
    before, here = np.zeros_like(cuts), np.ones_like(cuts)
    for k in range(1, n_terms + 1):
        coefficients[k - 1] = float(jumps @ (here * density)) / np.sqrt(k)
        before, here = here, (cuts * here - np.sqrt(k - 1) * before) / np.sqrt(k)
    return coefficients


def _solved(series: Floats, wanted: float) -> float:
    """The ρ in [−1, 1] at which Σ_k series_k ρ^k is the wanted correlation."""
    if not series.any():
        return 0.0
    powers = np.arange(1, len(series) + 1)

    def correlation(rho: float) -> float:
        return float(series @ np.power(rho, powers))

    low, high = -1.0, 1.0
    if wanted <= correlation(low):
        return low
    if wanted >= correlation(high):
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if correlation(middle) < wanted else (low, middle)
    return (low + high) / 2
