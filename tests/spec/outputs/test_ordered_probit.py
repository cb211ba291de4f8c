"""Ordered probit beside statsmodels and R; with two values it is a probit regression."""

from __future__ import annotations

import pytest
from statsmodels.miscmodels.ordinal_model import OrderedModel

from divulge.outputs.kinds.ordered_probit import OrderedProbit
from divulge.outputs.kinds.probit import Probit
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame


def test_two_values_are_a_probit_regression() -> None:
    found = OrderedProbit(formula="TENURE ~ AGE + SEX").evaluate(CENSUS)
    plain = Probit(formula="TENURE ~ AGE + SEX").evaluate(CENSUS)
    known = dict(zip(plain.labels, plain.values, strict=True))
    assert found.labels == ("AGE", "SEX[T.2]", "cut1")
    assert found.values == pytest.approx([known["AGE"], known["SEX[T.2]"], -known["Intercept"]])


@pytest.mark.slow
def test_ordered_probit_is_that_of_statsmodels() -> None:
    data = frame()
    exog = data[["AGE"]].assign(woman=data["SEX"].cat.codes)
    model = OrderedModel(data["STATUS"], exog, distr="probit")
    theirs = model.fit(disp=0, method="newton", maxiter=100, tol=1e-12, warn_convergence=False)
    found = OrderedProbit(formula="MSTATUS ~ AGE + SEX").evaluate(CENSUS)
    cuts = theirs.model.transform_threshold_params(theirs.params)[1:-1]
    names = {f"cut{k}": value for k, value in enumerate(cuts, 1)}
    agree(found, {"AGE": theirs.params["AGE"], "SEX[T.2]": theirs.params["woman"], **names})
    agree(found, {}, {"AGE": theirs.bse["AGE"], "SEX[T.2]": theirs.bse["woman"], "cut1": theirs.bse.iloc[2]})


def test_ordered_probit_is_that_of_r() -> None:
    # R's polr stops where the likelihood no longer changes, which leaves some 1e-6 of a threshold.
    agree_with_r(OrderedProbit(formula="MSTATUS ~ AGE + SEX").evaluate(FEW), "ordered-probit", rtol=1e-5)
