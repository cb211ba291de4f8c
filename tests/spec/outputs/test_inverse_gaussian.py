"""Inverse Gaussian regression beside statsmodels, and on groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.outputs.kinds.inverse_gaussian import InverseGaussian
from divulge.table import table_from_frame
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame, of


def test_coefficients_of_groups_are_logs_of_ratios_of_means() -> None:
    found = InverseGaussian(formula="AGE ~ SEX", where="AGE >= 18").evaluate(CENSUS)
    data = frame().query("AGE >= 18")
    mean = [data.loc[data["SEX"] == s, "AGE"].mean() for s in CENSUS.schema["SEX"].texts[:2]]
    assert found.values == pytest.approx([np.log(mean[0]), np.log(mean[1] / mean[0])])


def test_inverse_gaussian_is_that_of_statsmodels() -> None:
    family = sm.families.InverseGaussian(sm.families.links.Log())
    theirs = smf.glm("AGE ~ SEX + TENURE", frame().query("AGE >= 18"), family=family).fit(tol=1e-14)
    agree(InverseGaussian(formula="AGE ~ SEX + TENURE", where="AGE >= 18").evaluate(CENSUS), *of(theirs))


def test_inverse_gaussian_is_that_of_r() -> None:
    agree_with_r(InverseGaussian(formula="AGE ~ SEX + TENURE", where="AGE >= 1").evaluate(FEW), "inverse-gaussian")


@pytest.mark.parametrize(("link", "name"), [("inverse-squared", "1/mu^2"), ("inverse", "inverse"), ("identity",) * 2])
def test_inverse_gaussian_with_another_link_is_that_of_r(link: Any, name: str) -> None:
    output = InverseGaussian(formula="AGE ~ SEX + TENURE", where="AGE >= 1", link=link)
    agree_with_r(output.evaluate(FEW), f"inverse-gaussian {name}")


def test_predictors_far_below_one_are_found() -> None:
    # 1/mean² of some thousand is 1e-7, below any step of a fixed size.
    pay = np.array([2000, 2600, 3100, 3300, 4200, 5400])
    town = np.array(["a", "a", "a", "b", "b", "b"])
    found = InverseGaussian(formula="pay ~ town", link="inverse-squared").evaluate(
        table_from_frame(pd.DataFrame({"pay": pay, "town": town}))
    )
    first, second = pay[:3].mean(), pay[3:].mean()
    assert found.values == pytest.approx([first**-2.0, second**-2.0 - first**-2.0], rel=1e-9)
