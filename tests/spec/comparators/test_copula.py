"""The copula's latent correlations against closed forms, and its draws against the moments."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.comparators import Copula, Moments, published_moments
from divulge.comparators.copula import _latent_correlation
from divulge.demo import simulated_health
from divulge.table import Schema, Table, Variable


def moments(shares: list[list[float]], correlation: float) -> Moments:
    schema = Schema(tuple(Variable(f"v{i}", "numeric", np.arange(len(s))) for i, s in enumerate(shares)))
    matrix = np.array([[1.0, correlation], [correlation, 1.0]])
    return Moments(schema, tuple(np.array(s) for s in shares), matrix)


@pytest.mark.parametrize("rho", [-0.9, -0.5, 0.0, 0.3, 0.8])
def test_two_fair_coins_have_the_correlation_of_the_arcsine_law(rho: float) -> None:
    # Sheppard 1899: normals with correlation ρ cut at their medians have correlation 2/π · asin ρ.
    published = moments([[0.5, 0.5], [0.5, 0.5]], 2 / np.pi * np.arcsin(rho))
    assert _latent_correlation(published)[0, 1] == pytest.approx(rho, abs=1e-4)  # the series is cut at 60 terms


def test_uniform_variables_have_the_correlation_of_the_sine_law() -> None:
    # Pearson 1907: the ranks of normals with correlation ρ have correlation 6/π · asin(ρ/2).
    fine = [[1 / 200] * 200] * 2
    published = moments(fine, 6 / np.pi * np.arcsin(0.35))
    assert _latent_correlation(published)[0, 1] == pytest.approx(0.7, abs=1e-3)  # 200 steps are not quite uniform


def test_impossible_correlation_gives_the_nearest_possible() -> None:
    # A coin of 1 % and one of 50 % cannot be correlated by more than 0.1.
    assert _latent_correlation(moments([[0.99, 0.01], [0.5, 0.5]], 0.9))[0, 1] == pytest.approx(1.0)


def test_correlations_that_do_not_fit_together_are_mended() -> None:
    schema = Schema(tuple(Variable(f"v{i}", "numeric", np.arange(2)) for i in range(3)))
    matrix = np.array([[1, 0.8, -0.8], [0.8, 1, 0.8], [-0.8, 0.8, 1.0]])
    latent = _latent_correlation(Moments(schema, (np.array([0.5, 0.5]),) * 3, matrix))
    assert np.linalg.eigvalsh(latent)[0] > -1e-9
    assert np.diag(latent) == pytest.approx([1, 1, 1])


def test_draws_have_the_published_moments() -> None:
    original = simulated_health(3000, kappa=2.0)
    published = published_moments(original)
    made = Copula().draw(published, 60_000, np.random.default_rng(8))
    again = published_moments(made)
    # Incomes have a heavy tail, so their correlations vary more than those of normals over 60,000 rows.
    assert np.abs(again.correlation - published.correlation).max() < 0.03
    for a, b in zip(published.shares, again.shares, strict=True):
        assert np.abs(a - b).max() < 5 * (0.25 / 60_000) ** 0.5


def test_constant_variable_is_uncorrelated() -> None:
    schema = Schema((Variable("a", "numeric", np.arange(3)), Variable("b", "numeric", np.array([0.1, 0.2]))))
    original = Table(schema, (np.array([0, 1, 2] * 10), np.zeros(30, dtype=int)))
    assert published_moments(original).correlation[0, 1] == 0.0
