"""Over many seeds the simulated census has the paper's regression: estimates are unbiased, their intervals cover."""

from __future__ import annotations

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray

from divulge.demo.census import COEFFICIENTS, CONSTANT, PER_YEAR_OF_AGE, simulated_census
from divulge.table import Table

N_SEEDS = 200
N_ROWS = 20_000  # large enough for 30 people in the rarest of the ten groups, so that the normal approximation holds


def check() -> list[str]:
    published = np.array([CONSTANT, PER_YEAR_OF_AGE, *[b for levels in COEFFICIENTS.values() for b in levels.values()]])
    z = []
    for seed in range(N_SEEDS):
        design, rents, weights = _cells(simulated_census(N_ROWS, seed))
        model = sm.GLM(np.column_stack([rents, weights - rents]), design, family=sm.families.Binomial())
        fit = model.fit()
        z.append((fit.params - published) / fit.bse)
    scores = np.array(z)
    coverage = float((np.abs(scores) < 1.96).mean())
    # Coefficients of one seed are dependent, so the standard error is taken over seeds.
    error = float((np.abs(scores) < 1.96).mean(axis=1).std() / N_SEEDS**0.5)
    worst = float(np.abs(scores.mean(axis=0)).max() * N_SEEDS**0.5)
    assert abs(coverage - 0.95) < 4 * error, f"95 % intervals cover {coverage:.3f} ± {error:.3f}"
    # Maximum likelihood itself is biased by about 1/n, seen first in the smallest groups.
    assert worst < 4, f"a coefficient is {worst:.1f} standard errors of its mean away"
    return [
        f"{N_SEEDS} seeds × {N_ROWS:,} people × {scores.shape[1]} coefficients",
        f"95 % intervals cover the published coefficient {coverage:.1%} ± {error:.1%} of the time",
        f"the mean estimate is at most {worst:.1f} standard errors from the published coefficient",
    ]


def _cells(census: Table) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The design matrix over distinct rows of explanatory variables, how many rent, how many there are."""
    codes = np.column_stack([census[name] for name in census.names if name != "TENURE"])
    cells, place = np.unique(codes, axis=0, return_inverse=True)
    weights = np.bincount(place.ravel()).astype(np.float64)
    rents = np.bincount(place.ravel(), weights=census["TENURE"])
    columns = [np.ones(len(cells)), cells[:, 0].astype(np.float64)]
    for name, levels in COEFFICIENTS.items():
        values = census.schema[name].values[cells[:, census.schema.position(name)]]
        columns += [(values == level).astype(np.float64) for level in levels]
    return np.column_stack(columns), rents, weights
