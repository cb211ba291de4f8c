"""Complementary log-log regression beside statsmodels, and on groups."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.outputs.kinds.cloglog import Cloglog
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame, of


def test_coefficients_of_groups_are_differences_of_log_hazards() -> None:
    found = Cloglog(formula="TENURE ~ SEX").evaluate(CENSUS)
    data = frame()
    hazard = [-np.log(1 - data.loc[data["SEX"] == s, "HOME"].mean()) for s in CENSUS.schema["SEX"].texts[:2]]
    assert found.values == pytest.approx([np.log(hazard[0]), np.log(hazard[1] / hazard[0])])


def test_cloglog_is_that_of_statsmodels() -> None:
    family = sm.families.Binomial(sm.families.links.CLogLog())
    theirs = smf.glm("HOME ~ AGE + SEX", frame(), family=family).fit(tol=1e-14)
    agree(Cloglog(formula="TENURE ~ AGE + SEX").evaluate(CENSUS), *of(theirs))


def test_cloglog_is_that_of_r() -> None:
    agree_with_r(Cloglog(formula="TENURE ~ AGE + SEX").evaluate(FEW), "cloglog")
