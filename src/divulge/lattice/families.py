"""Regressions whose coefficients say sums of the response: means, slopes, curvature, and many refits at once.

Dense designs of a few dozen people, as an intruder has them; regressions of whole tables are fitted elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.lattice.sums import Longs

STEPS = 30
"""Newton steps from the printed figures; what fits them is there after three or four."""

RIDGE = 1e-13
"""Of the diagonal: so that separated responses, whose information vanishes, run away instead of dividing by nothing."""

LONGEST = 1e3
"""A step of more than this is on its way to infinity, and a longer one would only overflow."""


def _expit(eta: NDArray[np.floating]) -> NDArray[np.floating]:
    return 1 / (1 + np.exp(-np.clip(eta, -500, 500)))  # beyond 500 it is 0 or 1 in any arithmetic


def _exp(eta: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.exp(np.minimum(eta, 500))  # no count is larger; more would overflow


@dataclass(frozen=True)
class Family:
    """Σ x_i (y_i − mean(x_i'b)) = 0 is what coefficients b say of responses y (McCullagh & Nelder 1989)."""

    name: str
    mean: Callable[[NDArray[np.floating]], NDArray[np.floating]]
    slope: Callable[[NDArray[np.floating]], NDArray[np.floating]]
    curvature: Callable[[NDArray[np.floating], NDArray[np.floating]], NDArray[np.floating]]
    """(η, r): a bound of |mean''| within r of η."""


LINEAR = Family("linear", lambda eta: eta, lambda eta: np.ones_like(eta), lambda eta, r: np.zeros_like(eta))
LOGISTIC = Family(
    "logistic",
    _expit,
    lambda eta: _expit(eta) * _expit(-eta),
    # |μ(1 − μ)(1 − 2μ)| ≤ 1 / (6√3), and ≤ μ(1 − μ), which within r of η is at most its value nearest to 0.
    lambda eta, r: np.minimum(1 / (6 * np.sqrt(3)), _expit(-np.maximum(np.abs(eta) - r, 0))),
)
POISSON = Family("Poisson", _exp, _exp, lambda eta, r: _exp(eta + r))

FAMILIES = (LINEAR, LOGISTIC, POISSON)


def inverse(matrix: NDArray[np.floating]) -> Longs:
    """The inverse of a small matrix in long doubles (Gauss–Jordan with pivots); infinite where there is none."""
    n = len(matrix)
    scale = np.sqrt(np.maximum(np.abs(np.diag(matrix)), np.finfo(float).tiny)).astype(np.longdouble)
    work = np.hstack([matrix / scale[:, None] / scale, np.eye(n)]).astype(np.longdouble)
    for i in range(n):
        pivot = i + int(np.abs(work[i:, i]).argmax())
        if abs(work[pivot, i]) < 1e-13:  # of the scaled diagonal, which is 1: collinear
            return np.full((n, n), np.inf, dtype=np.longdouble)
        work[[i, pivot]] = work[[pivot, i]]
        work[i] /= work[i, i]
        for k in range(n):
            if k != i:
                work[k] -= work[k, i] * work[i]
    return work[:, n:] / scale[:, None] / scale


def refit(
    family: Family, design: NDArray[np.floating], responses: NDArray[np.floating], start: NDArray[np.floating]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Coefficients (responses, columns) of many responses (responses, people) to one design, and which converged."""
    x = design.astype(np.float64)
    beta = np.tile(start.astype(np.float64), (len(responses), 1))
    done = np.zeros(len(responses), dtype=bool)
    for _ in range(STEPS):
        eta = beta @ x.T
        score = (responses - family.mean(eta)) @ x
        information = np.einsum("ki,ip,iq->kpq", family.slope(eta), x, x)
        scale = np.sqrt(np.diagonal(information, axis1=1, axis2=2) + np.finfo(float).tiny)
        scaled = information / scale[:, :, None] / scale[:, None, :] + RIDGE * np.eye(x.shape[1])
        step = np.linalg.solve(scaled, (score / scale)[:, :, None])[:, :, 0]
        beta = np.where(done[:, None], beta, beta + np.clip(step / scale, -LONGEST, LONGEST))
        done |= np.abs(step).max(axis=1) < 1e-11  # standard errors; quadratic, so the next would be nothing
        if done.all():
            break
    return beta, done
