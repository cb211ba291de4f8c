"""Probit regression beside statsmodels, and on groups that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy.stats import norm

from divulge.outputs import Status
from divulge.outputs.kinds.probit import Probit
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame, of


def test_coefficients_of_groups_are_differences_of_normal_quantiles() -> None:
    found = Probit(formula="TENURE ~ SEX").evaluate(CENSUS)
    data = frame()
    first, second = (data.loc[data["SEX"] == s, "HOME"].mean() for s in CENSUS.schema["SEX"].texts[:2])
    assert found.values == pytest.approx([norm.ppf(first), norm.ppf(second) - norm.ppf(first)])


def test_probit_is_that_of_statsmodels() -> None:
    theirs = smf.probit("HOME ~ AGE + SEX", frame()).fit(disp=0, tol=1e-12)
    agree(Probit(formula="TENURE ~ AGE + SEX").evaluate(CENSUS), *of(theirs))
    robust = smf.probit("HOME ~ AGE + SEX", frame()).fit(disp=0, tol=1e-12, cov_type="HC0")
    agree(Probit(formula="TENURE ~ AGE + SEX", errors="HC0").evaluate(CENSUS), *of(robust))


def test_expected_information_is_that_of_a_glm() -> None:
    family = sm.families.Binomial(sm.families.links.Probit())
    theirs = smf.glm("HOME ~ AGE + SEX", frame(), family=family).fit(tol=1e-14)
    agree(Probit(formula="TENURE ~ AGE + SEX", information="expected").evaluate(CENSUS), *of(theirs))


def test_response_that_does_not_vary_has_no_fit() -> None:
    renters = CENSUS.take(CENSUS["TENURE"] == 1)
    found = Probit(formula="TENURE ~ AGE").evaluate(renters)
    assert found.status is Status.SEPARATED
    assert np.isnan(found.values).all()


def test_probit_is_that_of_r() -> None:
    agree_with_r(Probit(formula="TENURE ~ AGE + SEX", information="expected").evaluate(FEW), "probit")
