"""Random intercepts and slopes beside R's lmer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs import Status
from divulge.outputs.kinds.random_slope import RandomSlope
from divulge.table import table_from_frame
from tests.spec.outputs.beside import CENSUS, agree_with_r, levelled_frame
from tests.support.tables import small_table

LEVELS = table_from_frame(levelled_frame())
FIELDS: dict[str, Any] = {"formula": "y ~ x", "group": "g", "slope": "x"}


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", ["ml", "reml"])
@pytest.mark.parametrize(("bars", "correlated"), [("|", True), ("||", False)])
def test_random_slope_is_that_of_lmer(likelihood: Any, bars: str, correlated: bool) -> None:
    found = RandomSlope(**FIELDS, likelihood=likelihood, correlated=correlated).evaluate(LEVELS)
    # lmer's optimiser stops at about 1e-6 of the relative roots.
    agree_with_r(found, f"random-slope {likelihood} {bars}", rtol=1e-5)


def test_figures_are_named_after_group_and_slope() -> None:
    assert RandomSlope(**FIELDS).evaluate(LEVELS).labels == (
        "Intercept",
        "x",
        "variance of g",
        "variance of x by g",
        "covariance of g and x",
        "residual variance",
    )


def test_lines_without_scatter_have_their_own_variances() -> None:
    # Intercepts 0, 3 and 6 and slopes 1, 2 and 3 of six rows each, with scatter of one above and one below.
    rows = [(g, x) for g in range(3) for x in range(6)]
    table = small_table(
        y=[3 * g + (1 + g) * x * 10 + (1 if x % 2 else -1) for g, x in rows],
        x=[x for _, x in rows],
        g=["abc"[g] for g, _ in rows],
    )
    found = RandomSlope(formula="y ~ x", group="g", slope="x").evaluate(table)
    assert found.values[1] == pytest.approx(20.0, abs=0.3)
    assert found.values[3] == pytest.approx(100.0, rel=0.05)


def test_too_few_rows_and_what_is_not_there_are_said() -> None:
    one = small_table(y=[1, 2, 3, 4, 7], x=[1, 2, 3, 4, 5], g=["a"] * 5)
    found = RandomSlope(formula="y ~ x", group="g", slope="x").evaluate(one)
    assert found.status is Status.TOO_FEW_ROWS
    assert np.isnan(found.values).all()
    with pytest.raises(OutputError, match="no covariate of numbers"):
        RandomSlope(formula="AGE ~ SEX", group="AREAP", slope="SEX").check(CENSUS.schema)
    with pytest.raises(UnknownVariableError):
        RandomSlope(formula="AGE ~ SEX", group="TOWN", slope="SEX").check(CENSUS.schema)
    with pytest.raises(OutputError, match="own standard errors"):
        RandomSlope(**FIELDS, errors="HC1")


@pytest.mark.parametrize("correlated", [True, False])
@pytest.mark.parametrize("away", [0.9, 1.0, 1.2])
def test_a_fit_from_near_its_variances_is_the_fit_from_everywhere(correlated: bool, away: float) -> None:
    output = RandomSlope(**FIELDS, correlated=correlated)
    whole = output.fitted(LEVELS)[2]
    near = output.fitted_near(LEVELS, whole.extra * away)
    # Both end with Newton's steps, whose last is below rounding.
    np.testing.assert_allclose(near.theta, whole.theta, rtol=1e-8)


def test_a_fit_from_variances_that_lead_nowhere_is_the_fit_from_everywhere() -> None:
    output = RandomSlope(**FIELDS)
    whole = output.fitted(LEVELS)[2]
    near = output.fitted_near(LEVELS, np.array([1e9, 1e9, 0.0, 1e-9]))
    np.testing.assert_array_equal(near.theta, whole.theta)
