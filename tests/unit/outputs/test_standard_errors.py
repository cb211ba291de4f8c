"""Robust and clustered standard errors beside statsmodels and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.demo import simulated_census
from divulge.errors import OutputError
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.models.model import fit_model
from divulge.outputs.models.standard_errors import _recomputed_errors
from tests.spec.outputs.beside import FEW, agree_with_r
from tests.support.tables import small_table

CENSUS = simulated_census(1500)
FRAME = CENSUS.to_pandas().assign(HOME=lambda d: (d["TENURE"].astype(str) == CENSUS.schema["TENURE"].texts[1]) * 1)


def close(ours: Any, theirs: Any) -> None:
    assert ours == pytest.approx(np.asarray(theirs, dtype=float), rel=1e-6)  # 1e-6: the aim for every model


@pytest.mark.parametrize("errors", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors_of_least_squares_are_those_of_statsmodels(errors: Any) -> None:
    found = Linear(formula="AGE ~ SEX + C(AREAP)", errors=errors, statistics=("se",)).evaluate(CENSUS)
    close(found.se, smf.ols("AGE ~ C(SEX) + C(AREAP)", FRAME).fit(cov_type=errors).bse[list(found_order(found))])


def found_order(found: Any) -> list[str]:
    return [label.replace("SEX[", "C(SEX)[") for label in found.labels]


def test_clustered_errors_are_those_of_statsmodels() -> None:
    groups = FRAME["ETHGROUP"].astype(int)
    theirs = smf.ols("AGE ~ C(SEX)", FRAME).fit(cov_type="cluster", cov_kwds={"groups": groups})
    found = Linear(formula="AGE ~ SEX", errors="cluster", cluster="ETHGROUP").evaluate(CENSUS)
    close(found.se, theirs.bse)
    plain = Linear(formula="AGE ~ SEX", errors="cluster-ml", cluster="ETHGROUP").evaluate(CENSUS)
    assert found.se is not None
    close(plain.se, found.se * np.sqrt((1500 - 2) / (1500 - 1)))


def test_robust_errors_of_other_families_are_those_of_statsmodels() -> None:
    theirs = smf.logit("HOME ~ AGE + C(SEX)", FRAME).fit(disp=0, cov_type="HC0")
    found = Logistic(formula="TENURE ~ AGE + SEX", errors="HC0").evaluate(CENSUS)
    close(sorted(found.se), sorted(theirs.bse))  # type: ignore[arg-type]
    counts = smf.poisson("AGE ~ C(SEX)", FRAME).fit(disp=0, cov_type="HC0")
    close(Poisson(formula="AGE ~ SEX", errors="HC0").evaluate(CENSUS).se, counts.bse)
    stata = Poisson(formula="AGE ~ SEX", errors="robust-ml").evaluate(CENSUS).se
    close(stata, counts.bse * np.sqrt(1500 / 1499))


def test_robust_errors_of_several_classes_are_those_of_statsmodels() -> None:
    codes = FRAME["AREAP"].astype("category").cat.codes
    theirs = smf.mnlogit("AREA ~ C(SEX)", FRAME.assign(AREA=codes)).fit(disp=0, cov_type="HC0")
    found = Multinomial(formula="AREAP ~ SEX", errors="HC0").evaluate(CENSUS)
    close(found.se, np.asarray(theirs.bse).T.ravel())


def test_every_estimator_is_recomputed_to_find_the_one_that_was_printed() -> None:
    output = Linear(formula="AGE ~ SEX", errors="HC3")
    fitted = fit_model(output, CENSUS, output.model)
    assert fitted.fit is not None
    every = _recomputed_errors(output, fitted.model, CENSUS, fitted.fit.beta, ["AREAP"])
    printed = np.round(output.evaluate(CENSUS).se, 9)  # so many digits tell HC2 from HC3 on 1,500 rows
    assert [key for key, se in every.items() if np.allclose(np.round(se, 9), printed, atol=1e-12)] == [("HC3", "")]
    assert ("cluster", "AREAP") in every


def test_clusters_and_clustered_errors_go_together() -> None:
    with pytest.raises(OutputError, match="clusters"):
        Linear(formula="AGE ~ SEX", errors="cluster")
    with pytest.raises(OutputError, match="clusters"):
        Linear(formula="AGE ~ SEX", cluster="AREAP")


def test_one_cluster_has_no_error() -> None:
    found = Linear(formula="AGE ~ TENURE", where="SEX = 1", errors="cluster", cluster="SEX").evaluate(CENSUS)
    assert found.se is not None
    assert np.isnan(found.se).all()


def test_survey_errors_of_r_are_clustered_ones() -> None:
    """Taylor linearisation with one stage of clusters (Binder 1983): G/(G − 1) times the squared scores of clusters."""
    taylor: dict[str, Any] = {"weights": "ETHGROUP", "errors": "cluster-ml", "cluster": "AREAP"}
    agree_with_r(Linear(formula="AGE ~ SEX + TENURE", **taylor).evaluate(FEW), "svyglm")
    agree_with_r(
        Logistic(formula="TENURE ~ SEX", **taylor).evaluate(FEW), "svyglm logistic", rtol=1e-5
    )  # R stops early


def test_strata_of_a_design_are_those_of_survey() -> None:
    nested: Any = {"weights": "ETHGROUP", "errors": "survey", "cluster": "AREAP", "design_strata": "SEX"}
    agree_with_r(Linear(formula="AGE ~ SEX + TENURE", **nested).evaluate(FEW), "svyglm strata")
    agree_with_r(Logistic(formula="TENURE ~ SEX", **nested).evaluate(FEW), "svyglm strata logistic", rtol=1e-5)
    alone: Any = {"weights": "ETHGROUP", "errors": "survey", "design_strata": "MSTATUS"}
    agree_with_r(Linear(formula="AGE ~ SEX + TENURE", **alone).evaluate(FEW), "svyglm strata alone")


def test_a_design_without_strata_is_clustered_and_strata_need_a_design() -> None:
    survey = Linear(formula="AGE ~ SEX", errors="survey", cluster="AREAP").evaluate(FEW)
    clustered = Linear(formula="AGE ~ SEX", errors="cluster-ml", cluster="AREAP").evaluate(FEW)
    assert survey.se == pytest.approx(clustered.se)
    with pytest.raises(OutputError, match="errors: survey"):
        Linear(formula="AGE ~ SEX", design_strata="SEX")


def test_a_stratum_of_one_cluster_has_no_variance() -> None:
    table = small_table(y=[1, 2, 4, 3, 7], c=["a", "a", "b", "c", "d"], s=["p", "p", "q", "q", "q"])
    found = Linear(formula="y ~ 1", errors="survey", cluster="c", design_strata="s").evaluate(table)
    assert found.se is not None
    assert np.isnan(found.se).all()


def test_weighted_least_squares_are_those_of_r() -> None:
    agree_with_r(Linear(formula="AGE ~ SEX + TENURE", weights="ETHGROUP").evaluate(FEW), "wls")
