"""Our small logistic regression beside statsmodels, and where the likelihood has no maximum."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from divulge.measures.attackers.logistic import fit_logistic


def test_coefficients_and_standard_errors_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(9)
    columns = np.column_stack([rng.normal(size=400), rng.integers(0, 2, 400)]).astype(float)
    y = rng.random(400) < 1 / (1 + np.exp(-(0.3 + columns @ [1.0, -0.7])))
    found, wanted = fit_logistic(columns, y), sm.Logit(y, sm.add_constant(columns)).fit(disp=0)
    # The ridge of 1e-6 moves coefficients of order 1 by about 1e-6 / information.
    assert found.coefficients == pytest.approx(wanted.params, abs=1e-6)
    assert found.standard_errors == pytest.approx(wanted.bse, abs=1e-6)
    assert found.converged
    assert found.rank == 3


def test_separated_and_collinear_columns_stay_finite() -> None:
    x = np.repeat([0.0, 1.0], 20)
    found = fit_logistic(np.column_stack([x, x]), x > 0.5)
    assert np.isfinite(found.coefficients).all()
    assert found.rank == 2
    assert (found.fitted[20:] > 0.99).all()
    assert (found.fitted[:20] < 0.01).all()


def test_no_columns_give_the_share() -> None:
    found = fit_logistic(np.empty((10, 0)), np.arange(10) < 3)
    assert found.fitted == pytest.approx(np.full(10, 0.3))
