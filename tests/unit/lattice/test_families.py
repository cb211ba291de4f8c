"""Many refits at once agree with statsmodels; inverses and bounds hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import statsmodels.api as sm

from divulge.lattice.families import FAMILIES, LINEAR, LOGISTIC, POISSON, Family, inverse, refit
from divulge.lattice.released import coefficients

THEIRS = {
    "linear": sm.families.Gaussian,
    "logistic": sm.families.Binomial,
    "Poisson": sm.families.Poisson,
}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_refits_are_those_of_statsmodels(family: Family) -> None:
    rng = np.random.default_rng(2)  # any: 60 people are never separated by two predictors here
    x = np.column_stack([np.ones(60), rng.normal(40, 9, 60), rng.integers(0, 2, 60)])
    y = rng.integers(0, 2, (5, 60)).astype(float)
    ours, converged = refit(family, x, y, np.array([0.1, 0.0, 0.0]))
    assert converged.all()
    for own, response in zip(ours, y, strict=True):
        theirs = sm.GLM(response, x, family=THEIRS[family.name]()).fit(tol=1e-14).params
        np.testing.assert_allclose(own, theirs, rtol=1e-7, atol=1e-9)  # theirs stops at the deviance's last digits


def test_separated_responses_do_not_converge_and_leave_the_others_alone() -> None:
    x = np.column_stack([np.ones(8), np.arange(8.0)])
    responses = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]], dtype=float)
    _, converged = refit(LOGISTIC, x, responses, np.zeros(2))
    assert converged.tolist() == [False, True]


def test_inverse_has_more_digits_than_doubles_and_says_where_there_is_none() -> None:
    hilbert = 1 / (np.arange(6)[:, None] + np.arange(6) + 1.0)
    left = np.abs(inverse(hilbert) @ hilbert - np.eye(6)).max()
    assert left < 1e-9  # its condition is 1.5e7: doubles leave some 1e-9, long doubles 1e-12
    assert np.isinf(inverse(np.ones((3, 3)))).all()


@pytest.mark.parametrize("family", [LINEAR, LOGISTIC, POISSON], ids=lambda f: f.name)
def test_curvature_is_never_above_its_bound(family: Family) -> None:
    for eta in np.linspace(-6, 4, 21):
        for reach in (0.01, 0.5, 3.0):
            at = np.linspace(eta - reach, eta + reach, 401)
            slopes = family.slope(at)
            steepest = max(abs(b - a) for a, b in pairwise(slopes)) / (at[1] - at[0])
            assert steepest <= family.curvature(np.array([eta]), np.array([reach]))[0] + 1e-9  # differences round


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_what_one_response_does_to_the_figures_is_the_derivative_of_the_refit(family: Family) -> None:
    rng = np.random.default_rng(6)  # any: see above
    x = np.column_stack([np.ones(60), rng.normal(0, 2, 60), rng.integers(0, 2, 60)])
    y = rng.integers(0, 2, 60).astype(float)
    start = np.array([0.1, 0.0, 0.0])
    half, step = 1e-3, 1e-5
    middle = refit(family, x, y[None], start)[0][0]
    shifts, _ = coefficients(family, x, middle - half, middle + half).says(0.0, 1.0, is_bounded=False)
    for person in range(0, 60, 7):
        moved = np.tile(y, (2, 1))
        moved[:, person] += [-step, step]
        below, above = refit(family, x, moved, start)[0]
        slope = (above - below) / (2 * step) / half
        np.testing.assert_allclose(shifts[person].astype(float), slope, rtol=1e-4, atol=1e-5)  # of second differences
