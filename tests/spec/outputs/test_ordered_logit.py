"""Ordered logit beside statsmodels; with two values it is a logistic regression."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.miscmodels.ordinal_model import OrderedModel

from divulge.errors import OutputError
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.ordered_logit import OrderedLogit
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame


def test_two_values_are_a_logistic_regression() -> None:
    found = OrderedLogit(formula="TENURE ~ AGE + SEX").evaluate(CENSUS)
    plain = Logistic(formula="TENURE ~ AGE + SEX").evaluate(CENSUS)
    assert found.labels == ("AGE", "SEX[T.2]", "cut1")
    known = dict(zip(plain.labels, plain.values, strict=True))
    assert found.values == pytest.approx([known["AGE"], known["SEX[T.2]"], -known["Intercept"]])


@pytest.mark.slow
def test_ordered_logit_is_that_of_statsmodels() -> None:
    data = frame()
    exog = data[["AGE"]].assign(woman=data["SEX"].cat.codes)
    model = OrderedModel(data["STATUS"], exog, distr="logit")
    theirs = model.fit(disp=0, method="newton", maxiter=100, tol=1e-12, warn_convergence=False)
    found = OrderedLogit(formula="MSTATUS ~ AGE + SEX").evaluate(CENSUS)
    # Theirs are the first threshold and the logs of what follows.
    cuts = theirs.model.transform_threshold_params(theirs.params)[1:-1]
    agree(found, {"AGE": theirs.params["AGE"], "SEX[T.2]": theirs.params["woman"], **cut_names(cuts)})
    agree(found, {}, {"AGE": theirs.bse["AGE"], "SEX[T.2]": theirs.bse["woman"], "cut1": theirs.bse.iloc[2]})


def cut_names(cuts: np.ndarray) -> dict[str, float]:
    return {f"cut{k}": value for k, value in enumerate(cuts, 1)}


def test_thresholds_are_found_as_programs_write_them() -> None:
    output = OrderedLogit(formula="MSTATUS ~ AGE")
    texts = CENSUS.schema["MSTATUS"].texts
    assert output.find_label(f"{texts[0]}|{texts[1]}", CENSUS.schema) == "cut1"
    assert output.find_label("/cut2", CENSUS.schema) == "cut2"
    assert output.find_label("AGE", CENSUS.schema) == "AGE"


def test_ordered_logit_is_that_of_r() -> None:
    # R's polr stops where the likelihood no longer changes, which leaves some 1e-6 of a threshold.
    agree_with_r(OrderedLogit(formula="MSTATUS ~ AGE + SEX").evaluate(FEW), "ordered-logit", rtol=1e-5)


def test_order_may_be_said_and_turned_round() -> None:
    texts = CENSUS.schema["MSTATUS"].texts[: CENSUS.schema["MSTATUS"].n_values]
    plain = OrderedLogit(formula="MSTATUS ~ AGE").evaluate(CENSUS)
    turned = OrderedLogit(formula="MSTATUS ~ AGE", order=tuple(reversed(texts))).evaluate(CENSUS)
    assert turned.values == pytest.approx([-plain.values[0], *(-plain.values[:0:-1])])
    with pytest.raises(OutputError, match="order"):
        OrderedLogit(formula="MSTATUS ~ AGE", order=tuple(texts[1:])).check(CENSUS.schema)
