"""Binomial regression with trials beside statsmodels, and on groups."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.outputs.kinds.binomial import Binomial
from divulge.outputs.kinds.logistic import Logistic
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame, of
from tests.spec.outputs.people import drawn, figures


def test_coefficients_of_groups_are_differences_of_log_odds() -> None:
    table = drawn(
        """
        SEX  EVENTS  TRIALS
        f    1       4
        f    2       6
        m    3       4
        m    2       2
        """
    )
    found = figures(Binomial(formula="EVENTS ~ SEX", trials="TRIALS"), table)
    odds = 3 / 7, 5 / 1
    assert found["Intercept"] == pytest.approx(np.log(odds[0]))
    assert found["SEX[T.m]"] == pytest.approx(np.log(odds[1] / odds[0]))


def test_one_trial_each_is_a_logistic_regression() -> None:
    table = drawn("E T X\n1 1 2\n0 1 1\n1 1 3\n0 1 2\n1 1 1\n0 1 3\n0 1 1")
    ours = Binomial(formula="E ~ X", trials="T").evaluate(table)
    theirs = Logistic(formula="E ~ X").evaluate(table)
    assert ours.values == pytest.approx(theirs.values)
    assert ours.se == pytest.approx(theirs.se)


def test_binomial_is_that_of_statsmodels() -> None:
    data = frame().assign(TRIALS=lambda d: d["MSTATUS"].astype(float))
    data["SHARE"] = data["HOME"] / data["TRIALS"]
    fit = smf.glm("SHARE ~ AGE + SEX", data, family=sm.families.Binomial(), var_weights=data["TRIALS"]).fit(tol=1e-14)
    agree(Binomial(formula="TENURE ~ AGE + SEX", trials="MSTATUS").evaluate(CENSUS), *of(fit))


def test_quasi_errors_have_the_dispersion_of_pearson() -> None:
    data = frame().assign(TRIALS=lambda d: d["MSTATUS"].astype(float))
    data["SHARE"] = data["HOME"] / data["TRIALS"]
    model = smf.glm("SHARE ~ AGE + SEX", data, family=sm.families.Binomial(), var_weights=data["TRIALS"])
    fit = model.fit(tol=1e-14, scale="X2")
    agree(Binomial(formula="TENURE ~ AGE + SEX", trials="MSTATUS", errors="quasi").evaluate(CENSUS), *of(fit))


def test_binomial_is_that_of_r() -> None:
    agree_with_r(Binomial(formula="TENURE ~ AGE + SEX", trials="MSTATUS").evaluate(FEW), "binomial")
