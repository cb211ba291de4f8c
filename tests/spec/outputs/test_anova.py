"""Analysis of variance beside R and statsmodels, and of three groups by eye."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.outputs.kinds.anova import Anova
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import CENSUS, FEW, frame
from tests.spec.outputs.people import drawn, figures


def test_one_way_table_is_between_and_within_groups() -> None:
    table = drawn("G Y\na 1\na 3\nb 5\nb 7\nc 9\nc 11")
    found = figures(Anova(formula="Y ~ G"), table)
    assert found["sum sq | G"] == pytest.approx(64)
    assert found["sum sq | Residual"] == pytest.approx(6)
    assert (found["df | G"], found["df | Residual"]) == (2, 3)
    assert found["F | G"] == pytest.approx(16)


def test_table_is_that_of_r() -> None:
    found = figures(Anova(formula="AGE ~ SEX + TENURE"), FEW)
    (values, df) = VALUES["anova"]
    names = ("SEX", "TENURE", "Residual")
    assert [found[f"sum sq | {n}"] for n in names] == pytest.approx(values[:3], rel=1e-6)
    assert [found[f"F | {n}"] for n in names[:2]] == pytest.approx(values[3:5], rel=1e-6)
    assert [found[f"df | {n}"] for n in names] == list(df[:3])


def test_table_of_type_3_is_that_of_statsmodels() -> None:
    formula = "AGE ~ C(SEX, Sum)*C(LTILL, Sum) + C(MSTATUS, Sum)"
    theirs = sm.stats.anova_lm(smf.ols(formula, frame()).fit(), typ=3).drop(index="Intercept")
    found = figures(Anova(formula=formula, type=3), CENSUS)
    for term in theirs.index:
        for shown, name in (("df", "df"), ("sum sq", "sum_sq"), ("F", "F"), ("p", "PR(>F)")):
            if np.isfinite(theirs.loc[term, name]):
                assert found[f"{shown} | {term}"] == pytest.approx(theirs.loc[term, name], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("type_", [1, 2])
def test_table_is_that_of_statsmodels(type_: int) -> None:
    formula = "AGE ~ SEX*LTILL + MSTATUS"
    theirs = sm.stats.anova_lm(smf.ols(formula, frame()).fit(), typ=type_)
    found = figures(Anova(formula=formula, type=type_), CENSUS)  # type: ignore[arg-type]
    for term in theirs.index:
        for shown, name in (("df", "df"), ("sum sq", "sum_sq"), ("F", "F"), ("p", "PR(>F)")):
            if np.isfinite(theirs.loc[term, name]):
                assert found[f"{shown} | {term}"] == pytest.approx(theirs.loc[term, name], rel=1e-6, abs=1e-12)
