"""Coefficients without a finite value, as statsmodels, R, SAS and Stata print them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs import read_released
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.released.computed import compute
from tests.support.tables import small_table

TABLE = small_table(
    Y=[0, 1] * 40 + [0] * 12,
    G=["a"] * 40 + ["b"] * 40 + ["c"] * 12,
    X=[i % 7 for i in range(92)],
    TINY=[0.001 * (i % 7) for i in range(92)],
)
LABEL = "C(G)[T.c]"


def _released(value: Any, **fields: Any) -> Any:
    given = {"Intercept": {"value": 0.0, "se": 0.316}, "C(G)[T.b]": {"value": 0.0, "se": 0.447}, LABEL: value}
    return read_released(Logistic(formula="Y ~ C(G)", released=given, **fields), TABLE.schema)


@pytest.mark.parametrize(
    "printed",
    [
        pytest.param({"value": -17.57, "se": 1142}, id="R, glm"),
        pytest.param({"value": -23.6255, "se": 38960.801}, id="statsmodels, logit"),
        pytest.param({"value": -13.6425, "se": 264.745}, id="statsmodels, bfgs"),
        pytest.param({"value": -22.5661, "se": 13913.028}, id="statsmodels, GLM"),
        pytest.param({"value": -30.1, "se": "nan"}, id="statsmodels, no Hessian"),
        pytest.param({"value": -12.2, "se": 228.4}, id="SAS"),
        pytest.param("predicts failure perfectly", id="Stata, in words"),
        pytest.param("-inf", id="written so"),
    ],
)
def test_what_programs_print_of_a_separated_level_means_nobody_here(printed: Any) -> None:
    found = _released(printed)
    at = found.labels.index(LABEL)
    assert found.values[at] == -np.inf
    assert found.agrees(compute(Logistic(formula="Y ~ C(G)"), TABLE).figures.values).all()
    # Nobody with the outcome is a strong word: a level with one positive does not agree.
    finite = found.values.copy()
    finite[at] = -2.4
    assert not found.agrees(finite)[at]


@pytest.mark.parametrize("printed", ["(omitted)", "omitted", "(empty)", "."])
def test_level_that_stata_left_out_says_nothing_by_itself(printed: str) -> None:
    found = _released(printed)
    at = found.labels.index(LABEL)
    assert np.isnan(found.values[at])
    assert not found.is_given[at]


@pytest.mark.parametrize(
    "printed",
    [
        {"value": -3.2, "se": 1.02},  # one person of eighty
        {"value": -6.1, "se": 4.5},
        {"value": 4.9, "se": 900.0},
        {"value": -14.0, "se": 12.0},
    ],
)
def test_finite_coefficients_stay_finite(printed: dict[str, float]) -> None:
    found = _released(printed)
    assert found.values[found.labels.index(LABEL)] == printed["value"]


def test_slope_of_a_predictor_in_small_units_is_no_separation() -> None:
    given = {"Intercept": {"value": -0.2, "se": 0.4}, "TINY": {"value": -21.3, "se": 412.0}}
    found = read_released(Logistic(formula="Y ~ TINY", released=given), TABLE.schema)
    assert found is not None
    assert found.values[1] == -21.3


def test_odds_ratio_of_nothing_is_separated_too() -> None:
    given = {"Intercept": 1.0, "C(G)[T.b]": 1.0, LABEL: 2.3e-8}
    found = read_released(Logistic(formula="Y ~ C(G)", released=given, exponentiated=True, decimals=9), TABLE.schema)
    assert found is not None
    assert found.values[2] == 0.0
    assert 0 < found.high[2] < 1e-12


def test_counts_run_away_as_well_and_linear_models_never_do() -> None:
    given = {"Intercept": {"value": -0.69, "se": 0.2}, "C(G)[T.b]": {"value": 0.0, "se": 0.3}, LABEL: -20.3}
    found = read_released(Poisson(formula="Y ~ C(G)", released=given), TABLE.schema)
    assert found is not None
    assert found.values[2] == -np.inf
    linear = read_released(Linear(formula="X ~ C(G)", released=given), TABLE.schema)
    assert linear is not None
    assert linear.values[2] == -20.3


def test_other_words_are_still_refused() -> None:
    with pytest.raises(OutputError, match="a number is needed"):
        _released("about minus twenty")


def test_coefficient_far_out_that_the_fit_found_is_no_end() -> None:
    rng = np.random.default_rng(3)  # any
    high = rng.integers(0, 2, 2000)
    earned = np.where(high == 1, rng.integers(56, 74, 2000), 0)  # of nobody else anything is known
    chance = 1 / (1 + np.exp(-np.where(high == 1, 0.6 * (earned - 65), 0.5)))
    table = small_table(Y=(rng.random(2000) < chance).astype(int).tolist(), HIGH=high.tolist(), EARNED=earned.tolist())
    output = Logistic(formula="Y ~ HIGH + EARNED", decimals=3)
    figures = output.evaluate(table)
    printed = output.publish(figures, table.schema)
    assert abs(figures.values[1]) > 20
    np.testing.assert_allclose(printed.values, figures.values, atol=0.0005)
