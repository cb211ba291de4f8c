"""The digits at which responses begin to be determined."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.lattice.families import LOGISTIC, refit
from divulge.lattice.released import Released, coefficients, group_mean, printed
from divulge.lattice.turning import _coarser, turning_digits


def regression(n: int, digits: int) -> tuple[Released, np.ndarray]:
    rng = np.random.default_rng(1)  # a sample that is not separated
    x = np.column_stack([np.ones(n), rng.integers(18, 65, n), rng.normal(20, 9, n).round(2)])
    y = (rng.random(n) < 1 / (1 + np.exp(2 - 0.05 * x[:, 1]))).astype(float)
    beta, converged = refit(LOGISTIC, x, y[None], np.zeros(3))
    assert converged[0]
    return coefficients(LOGISTIC, x, *printed(beta[0], digits)), y


def test_the_most_digits_are_those_before_somebody_is_determined() -> None:
    release, secret = regression(24, 6)
    found = turning_digits([release], 6, np.array([0, 1]), 24, seconds=60)
    assert found.most is not None
    last = max(found.found)
    assert last == found.most + 1
    assert not found.found[found.most].determined.any()
    assert found.found[last].determined.any()
    assert np.array_equal(found.found[last].values[found.found[last].determined], secret[found.found[last].determined])
    assert found.sentence() == f"Print no more than {found.most} significant digit{'s' * (found.most > 1)}."


@pytest.mark.slow
def test_figures_that_are_safe_as_printed_are_said_to_be() -> None:
    release, _ = regression(60, 2)
    found = turning_digits([release], 2, np.array([0, 1]), 60, seconds=60)
    assert found.most == 2
    assert "as printed, nobody's response is determined" in found.sentence()


def test_a_mean_of_one_person_is_never_safe() -> None:
    found = turning_digits([group_mean(np.arange(1), 0.995, 1.005)], 3, np.array([0, 1]), 2)
    assert found.most is None
    assert found.sentence() == "Even one significant digit determines somebody's response."


def test_time_that_is_over_is_no_statement_about_digits() -> None:
    release, _ = regression(24, 6)
    ticks = iter(range(100))
    found = turning_digits([release], 6, np.array([0, 1]), 24, seconds=0.5, clock=lambda: float(next(ticks)))
    assert found.most is None
    assert "could not be told" in found.sentence()


def test_coarser_figures_hold_the_finer_ones_and_never_become_finer() -> None:
    release, _ = regression(24, 4)
    rough = _coarser(release, 2)
    assert (rough.low <= release.low + 1e-12).all()  # rounding
    assert (rough.high >= release.high - 1e-12).all()
    same = _coarser(release, 9)
    assert np.array_equal(same.low, release.low)
    assert np.array_equal(same.high, release.high)
