"""What single moves aim at where figures follow from each other."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.kernels.changes import Goal
from divulge.objective.views import View

HALF = 0.0005  # three decimals


def _aim(
    slope: float, residuals: tuple[float, float], half: tuple[float, float] = (HALF, HALF)
) -> tuple[float, np.ndarray]:
    """How far two figures are from what was printed, in moves, where the second is `slope` times the first."""
    moves = np.random.default_rng(2).normal(0.0, 0.01, 200)  # any: what single rows do to the first figure
    ends = np.array(half)
    view = View(
        (np.array([[0.01], [0.01 * slope]]),),
        np.zeros(1),
        np.array(residuals),
        Goal(np.ones(2), -ends, ends),
        np.array([0, 1]),
        np.array([0, 2]),
        (1.0,),
    )
    found = view.in_moves(view.turns(np.outer(moves, [1.0, slope]), 400), 1)
    return found.discrepancy(), found.residuals


def test_a_figure_is_not_thought_right_because_its_p_value_has_room() -> None:
    # t is off by forty moves. Its p-value, printed as 0.000, might be larger; but t and p do not rise together.
    _, residuals = _aim(-4e-4, (-0.4, 1e-4))
    assert np.abs(residuals).max() == pytest.approx(40.0, rel=0.1)


def test_figures_as_printed_are_no_way_off() -> None:
    assert _aim(-4e-4, (0.0004, 1e-4))[0] == pytest.approx(0.0, abs=1e-9)


def test_a_p_value_that_nothing_moves_is_no_way_to_go() -> None:
    _, residuals = _aim(1e-90, (-0.4, 1e-92))
    assert np.abs(residuals).max() == pytest.approx(40.0, rel=0.1)


def test_a_withheld_figure_is_no_way_to_go() -> None:
    # What was withheld may be anything: minus and plus infinity have no middle to aim at.
    _, residuals = _aim(-4e-4, (-0.4, 1e-4), (HALF, np.inf))
    assert np.abs(residuals).max() == pytest.approx(40.0, rel=0.1)
