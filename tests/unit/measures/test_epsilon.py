"""Audits of ε: other programs' numbers, slow twins, and a mechanism whose ε is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from divulge.kernels.one_run import excess
from divulge.measures.epsilon import (
    Roc,
    _gaussian_epsilon,
    _one_run_p_value,
    one_run,
    one_run_gaussian,
)
from tests.reference import epsilon as reference

_NORMAL = ndtri((np.arange(10_000) + 0.5) / 10_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shift", "plain", "tighter"),
    [(0, 0.0, 0.0), (1, 1.13346, 2.164749), (2, 2.311945, 4.7218075), (4, 4.395568, 9.133752)],
)
def test_bounds_of_one_run_are_those_of_jax_privacy(shift: float, plain: float, tighter: float) -> None:
    roc = Roc.of(_NORMAL + shift, _NORMAL)
    assert roc.best_of_thresholds(one_run) == pytest.approx(plain, rel=1e-5)  # its own test's tolerance
    assert roc.best_of_thresholds(one_run_gaussian) == pytest.approx(tighter, rel=1e-5)


@given(st.integers(1, 30), st.integers(0, 30), st.floats(0, 3), st.sampled_from([0, 1e-6, 1e-3, 0.1]))
def test_p_value_equals_the_sum_of_binomial_chances(guesses: int, right: int, eps: float, delta: float) -> None:
    right = min(right, guesses)
    expected = reference.one_run_p_value(2 * guesses, guesses, right, eps, delta)
    assert _one_run_p_value(2 * guesses, guesses, right, eps, delta) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 200), st.floats(0, 4), st.floats(0.001, 0.2))
def test_recursion_equals_a_plain_loop(guesses: int, right: int, more: int, mu: float, level: float) -> None:
    right, m = min(right, guesses), guesses + more
    # Φ⁻¹ of very small chances differs in its last digits between the two.
    expected = reference.excess(level, m, guesses, right, mu)
    assert excess(level, m, guesses, right, mu) == pytest.approx(expected, abs=1e-9)


@given(st.floats(0.05, 6))
def test_epsilon_of_gaussian_noise_has_the_delta_asked_for(mu: float) -> None:
    eps = _gaussian_epsilon(mu, 1e-5)
    # A difference of near numbers loses digits.
    assert eps == 0 or reference.gaussian_delta(mu, eps) == pytest.approx(1e-5, rel=1e-4)


def test_no_noise_of_labels_is_taken_for_a_leak() -> None:
    rng = np.random.default_rng(1)
    bounds = []
    for _ in range(40):
        roc = Roc.of(rng.normal(size=300), rng.normal(size=300))
        bounds.append([roc.clopper_pearson(), roc.best_of_thresholds(one_run), roc.gaussian(delta=1e-3)])
    # At 95 % two of forty may be wrong by chance; a bound that is not paid for is wrong in most.
    assert (np.array(bounds) > 0).sum(axis=0).max() <= 3


def test_full_leak_is_bounded_by_the_number_of_people_alone() -> None:
    roc = Roc.of(np.ones(1000), np.zeros(1000))
    assert 4 < roc.best_of_thresholds(one_run) < roc.best_of_thresholds(one_run_gaussian)
    assert 4 < roc.clopper_pearson() < 7
    assert roc.tpr_at(0.001) == 1


def test_share_of_right_accusations_is_read_off_the_curve() -> None:
    roc = Roc.of(np.array([3.0, 3, 1, 0]), np.array([2.0, 1, 0, 0]))
    assert roc.tpr_at(0) == 0.5
    assert roc.tpr_at(0.5) == 0.75
    assert roc.tpr_at(1) == 1
