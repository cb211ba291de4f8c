"""Gamma regression beside statsmodels, and on groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.errors import OutputError
from divulge.outputs.kinds.gamma import Gamma
from divulge.table import Schema, Variable
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame, of


def test_coefficients_of_groups_are_logs_of_ratios_of_means() -> None:
    found = Gamma(formula="AGE ~ SEX", where="AGE >= 1").evaluate(CENSUS)
    data = frame().query("AGE >= 1")
    mean = [data.loc[data["SEX"] == s, "AGE"].mean() for s in CENSUS.schema["SEX"].texts[:2]]
    assert found.values == pytest.approx([np.log(mean[0]), np.log(mean[1] / mean[0])])


def test_gamma_is_that_of_statsmodels() -> None:
    family = sm.families.Gamma(sm.families.links.Log())
    theirs = smf.glm("AGE ~ SEX + TENURE", frame().query("AGE >= 1"), family=family).fit(tol=1e-14)
    agree(Gamma(formula="AGE ~ SEX + TENURE", where="AGE >= 1").evaluate(CENSUS), *of(theirs))


def test_response_below_zero_is_refused() -> None:
    schema = Schema((Variable("DEBT", "numeric", np.arange(-2, 3)), Variable("AGE", "numeric", np.arange(5))))
    with pytest.raises(OutputError, match="above 0"):
        Gamma(formula="DEBT ~ AGE").check(schema)


def test_gamma_is_that_of_r() -> None:
    agree_with_r(Gamma(formula="AGE ~ SEX + TENURE", where="AGE >= 1").evaluate(FEW), "gamma")


@pytest.mark.parametrize("link", ["inverse", "identity"])
def test_gamma_with_another_link_is_that_of_r(link: Any) -> None:
    output = Gamma(formula="AGE ~ SEX + TENURE", where="AGE >= 1", link=link)
    agree_with_r(output.evaluate(FEW), f"gamma {link}")


def test_ratios_of_means_need_a_logarithmic_link() -> None:
    with pytest.raises(OutputError, match="logarithmic link alone"):
        Gamma(formula="AGE ~ SEX", link="inverse", exponentiated=True)
