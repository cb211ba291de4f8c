"""Average marginal effects beside statsmodels, R, and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.marginal_effects import MarginalEffects
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame
from tests.support.tables import small_table


def test_of_two_groups_the_effect_is_the_difference_of_their_shares() -> None:
    table = small_table(y=[0, 1, 1, 1, 0, 0, 0, 1], g=["a"] * 4 + ["b"] * 4)
    found = MarginalEffects(formula="y ~ g", event="1").evaluate(table)
    assert found.labels == ("g[T.b]",)
    assert found.values == pytest.approx([1 / 4 - 3 / 4])


@pytest.mark.parametrize(("model", "method"), [("logistic", "logit"), ("probit", "probit")])
@pytest.mark.parametrize("dummies", ["slope", "difference"])
def test_effects_are_those_of_statsmodels(model: Any, method: str, dummies: Any) -> None:
    theirs = getattr(smf, method)("HOME ~ AGE + SEX", frame()).fit(disp=0, tol=1e-10)
    effects = theirs.get_margeff(dummy=dummies == "difference")
    names = [name for name in theirs.model.exog_names if name != "Intercept"]
    found = MarginalEffects(formula="TENURE ~ AGE + SEX", model=model, dummies=dummies, statistics=("se",))
    values, errors = (dict(zip(names, x, strict=True)) for x in (effects.margeff, effects.margeff_se))
    agree(found.evaluate(CENSUS), values, errors)


def test_effects_of_counts_are_those_of_statsmodels() -> None:
    theirs = smf.poisson("AGE ~ SEX + TENURE", frame()).fit(disp=0, tol=1e-10)
    effects = theirs.get_margeff()
    names = theirs.model.exog_names[1:]
    found = MarginalEffects(formula="AGE ~ SEX + TENURE", model="poisson", dummies="slope").evaluate(CENSUS)
    agree(found, dict(zip(names, effects.margeff, strict=True)), dict(zip(names, effects.margeff_se, strict=True)))


def test_differences_between_several_levels_are_those_of_predictions_of_r() -> None:
    agree_with_r(MarginalEffects(formula="TENURE ~ AGE + C(LTILL) + SEX").evaluate(FEW), "marginal effects", rtol=1e-5)


def test_tests_and_intervals_follow_from_effects() -> None:
    found = MarginalEffects(formula="TENURE ~ AGE", statistics=("se", "n", "t", "interval")).evaluate(CENSUS)
    assert found.labels == ("AGE", "n", "AGE (z)", "AGE (2.5 %)", "AGE (97.5 %)")
    assert found.se is not None
    assert found.values[2] == pytest.approx(found.values[0] / found.se[0])
    assert found.values[3:].mean() == pytest.approx(found.values[0])


def test_interactions_functions_and_events_of_counts_are_refused() -> None:
    for formula in ("TENURE ~ AGE * SEX", "TENURE ~ log(AGE)"):
        with pytest.raises(OutputError, match="are not computed"):
            MarginalEffects(formula=formula).check(CENSUS.schema)
    with pytest.raises(OutputError, match="covariate"):
        MarginalEffects(formula="TENURE ~ 1").check(CENSUS.schema)
    with pytest.raises(OutputError, match="no event"):
        MarginalEffects(formula="AGE ~ SEX", model="poisson", event="2")


def test_separated_people_have_no_effects() -> None:
    table = small_table(y=[0, 0, 0, 1, 1, 1], x=[1, 2, 3, 4, 5, 6])
    found = MarginalEffects(formula="y ~ x", event="1").evaluate(table)
    assert found.status is not Status.OK
    assert np.isnan(found.values).all()
