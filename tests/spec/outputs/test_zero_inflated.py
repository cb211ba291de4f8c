"""Zero-inflated Poisson regression beside statsmodels, and of one group."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.discrete.count_model import ZeroInflatedPoisson

from divulge.demo import cps_extract
from divulge.outputs.kinds.zero_inflated import ZeroInflated
from tests.spec.outputs.beside import agree
from tests.spec.outputs.people import drawn, figures

CPS = cps_extract().take(slice(800))


def test_without_covariates_it_gives_the_share_of_zeros_and_the_mean() -> None:
    found = figures(ZeroInflated(formula="Y ~ 1"), drawn("Y\n" + "0\n" * 6 + "1\n2\n3\n4\n3\n1\n"))
    rate, share = np.exp(found["Intercept"]), 1 / (1 + np.exp(-found["inflate"]))
    assert share + (1 - share) * np.exp(-rate) == pytest.approx(0.5)
    assert (1 - share) * rate == pytest.approx(14 / 12)


def test_zero_inflated_poisson_is_that_of_statsmodels() -> None:
    data = CPS.to_pandas()
    x = np.column_stack([np.ones(len(data)), data["age"] / 1.0, (data["sex"] == "Male") * 1.0])
    theirs = ZeroInflatedPoisson(data["weeks_worked"].to_numpy(float), x, inflation="logit").fit(
        disp=0, method="newton", maxiter=200, start_params=[-1.0, 3.5, 0.0, 0.0]
    )
    inflate, *rate = theirs.params
    values = dict(zip(("Intercept", "age", "sex[T.Male]"), rate, strict=True)) | {"inflate": inflate}
    errors = dict(zip(("inflate", "Intercept", "age", "sex[T.Male]"), theirs.bse, strict=True))
    agree(ZeroInflated(formula="weeks_worked ~ age + sex").evaluate(CPS), values, errors)
