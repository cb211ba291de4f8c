"""Absorbed fixed effects are least squares with a dummy for each group, whose coefficients are not printed."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs import Status
from divulge.outputs.kinds.fixed_effects import FixedEffects
from tests.spec.outputs.beside import CENSUS, agree, frame
from tests.support.tables import small_table

OUTPUT = FixedEffects(formula="AGE ~ SEX + LTILL", absorb="AREAP", statistics=("se", "n"))


def test_slope_within_two_groups_can_be_seen_by_eye() -> None:
    # Both groups rise by 2 a step; between them y falls.
    table = small_table(x=[0, 1, 2, 5, 6, 7], y=[10, 12, 14, 0, 2, 4], g=["a", "a", "a", "b", "b", "b"])
    found = FixedEffects(formula="y ~ x", absorb="g").evaluate(table)
    assert found.labels == ("x",)
    assert found.values == pytest.approx([2.0])


@pytest.mark.parametrize("errors", ["model", "HC1", "cluster"])
def test_fixed_effects_are_least_squares_with_dummies(errors: str) -> None:
    fit = smf.ols("AGE ~ SEX + LTILL + C(AREAP)", frame())
    if errors == "cluster":
        groups = frame()["MSTATUS"].cat.codes
        theirs = fit.fit(cov_type="cluster", cov_kwds={"groups": groups})
        ours = FixedEffects(formula=OUTPUT.formula, absorb="AREAP", errors="cluster", cluster="MSTATUS")
    else:
        theirs = fit.fit(cov_type="nonrobust" if errors == "model" else errors)
        ours = FixedEffects(formula=OUTPUT.formula, absorb="AREAP", errors=errors)  # type: ignore[arg-type]
    found = ours.evaluate(CENSUS)
    agree(found, {k: theirs.params[k] for k in found.labels}, {k: theirs.bse[k] for k in found.labels})


def test_tests_have_the_degrees_of_freedom_of_the_absorbed_effects_too() -> None:
    theirs = smf.ols("AGE ~ SEX + LTILL + C(AREAP)", frame()).fit()
    found = FixedEffects(formula=OUTPUT.formula, absorb="AREAP", statistics=("p",)).evaluate(CENSUS)
    ours = dict(zip(found.labels, found.values, strict=True))
    assert ours["SEX[T.2] (p)"] == pytest.approx(theirs.pvalues["SEX[T.2]"], rel=1e-7)


def test_what_does_not_vary_within_groups_has_no_coefficient() -> None:
    table = small_table(x=[1, 1, 2, 2], z=[1, 2, 3, 5], y=[1, 2, 3, 4], g=["a", "a", "b", "b"])
    found = FixedEffects(formula="y ~ x + z", absorb="g").evaluate(table)
    assert found.status is Status.VANISHED_LEVEL
    assert np.isnan(found.values[0])


def test_absorbed_variable_and_covariates_are_needed() -> None:
    with pytest.raises(UnknownVariableError):
        FixedEffects(formula="AGE ~ SEX", absorb="TOWN").check(CENSUS.schema)
    with pytest.raises(OutputError, match="covariate"):
        FixedEffects(formula="AGE ~ 1", absorb="AREAP").check(CENSUS.schema)
