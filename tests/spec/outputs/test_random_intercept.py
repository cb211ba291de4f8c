"""Random intercepts beside R's lmer and statsmodels; in balanced groups they are an analysis of variance."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs import Status
from divulge.outputs.kinds.random_intercept import RandomIntercept
from tests.spec.outputs.beside import CENSUS, FEW, agree_with_r, frame
from tests.support.tables import small_table


def test_balanced_groups_are_an_analysis_of_variance() -> None:
    # Means 2, 6 and 10 in groups of two: between 8² · 2 / 2, within 2 in each group.
    table = small_table(y=[1, 3, 5, 7, 9, 11], g=["a", "a", "b", "b", "c", "c"])
    found = RandomIntercept(formula="y ~ 1", group="g").evaluate(table)
    assert found.labels == ("Intercept", "variance of g", "residual variance")
    mean_square_between, mean_square_within = 2 * 32 / 2, 2.0
    assert found.values == pytest.approx([6.0, (mean_square_between - mean_square_within) / 2, 2.0])


@pytest.mark.parametrize("method", ["ml", "reml"])
def test_random_intercept_is_that_of_lmer(method: str) -> None:
    output = RandomIntercept(formula="AGE ~ SEX + TENURE", group="MSTATUS", likelihood=method)  # type: ignore[arg-type]
    # lmer's optimiser stops at 1e-6 of the ratio of variances.
    agree_with_r(output.evaluate(FEW), f"random-intercept {method}", rtol=1e-5)


def test_random_intercept_is_that_of_statsmodels() -> None:
    theirs = smf.mixedlm("AGE ~ SEX", frame(), groups=frame()["MSTATUS"]).fit(reml=True)
    found = RandomIntercept(formula="AGE ~ SEX", group="MSTATUS").evaluate(CENSUS)
    # Theirs stops early, by the gradient in the root of the ratio; R above is the judge of the last digits.
    assert found.values[:2] == pytest.approx(theirs.fe_params.to_numpy(), rel=1e-4)
    assert found.values[3] == pytest.approx(theirs.scale, rel=1e-4)


def test_groups_that_do_not_differ_have_no_variance() -> None:
    table = small_table(y=[1, 3, 3, 1, 1, 3], g=["a", "a", "b", "b", "c", "c"])
    found = RandomIntercept(formula="y ~ 1", group="g").evaluate(table)
    assert found.status is Status.OK
    assert found.values[1] == 0.0
    assert np.isfinite(found.values).all()


def test_one_group_has_no_fit_and_what_is_not_there_is_refused() -> None:
    table = small_table(y=[1, 2, 3, 4], g=["a"] * 4)
    assert RandomIntercept(formula="y ~ 1", group="g").evaluate(table).status is Status.TOO_FEW_ROWS
    with pytest.raises(UnknownVariableError):
        RandomIntercept(formula="AGE ~ SEX", group="TOWN").check(CENSUS.schema)
    with pytest.raises(OutputError, match="own standard errors"):
        RandomIntercept(formula="AGE ~ SEX", group="AREAP", errors="HC1")
