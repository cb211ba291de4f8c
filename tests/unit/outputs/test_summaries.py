"""AIC, F, adjusted R² and other figures printed once below a fit: beside statsmodels and R, as read, as searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel

from divulge.errors import OutputError
from divulge.outputs.kinds.cloglog import Cloglog
from divulge.outputs.kinds.gamma import Gamma
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.negative_binomial import NegativeBinomial
from divulge.outputs.kinds.ordered_logit import OrderedLogit
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.released.computed import compute
from divulge.outputs.released.reading import read_released
from divulge.readers.statsmodels import from_statsmodels
from divulge.table import table_from_frame
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import CENSUS, FEW, frame

LINEAR: Any = ("adj-r2", "f", "f-p", "aic", "bic", "df", "df-residual", "mean")
LIKELIHOOD: Any = ("lr", "lr-p", "aic", "bic", "df", "df-residual", "mean")


def _ours(output: Any) -> dict[str, float]:
    found = output.evaluate(CENSUS)
    assert found.labels == output.labels(CENSUS.schema)
    return dict(zip(found.labels, found.values.tolist(), strict=True))


def test_summaries_of_least_squares_are_those_of_statsmodels() -> None:
    theirs = smf.ols("AGE ~ SEX + LTILL", frame()).fit()
    ours = _ours(Linear(formula="AGE ~ SEX + LTILL", statistics=LINEAR))
    expected = {
        "adjusted r2": theirs.rsquared_adj,
        "F": theirs.fvalue,
        "p of F": theirs.f_pvalue,
        "AIC": theirs.aic,
        "BIC": theirs.bic,
        "df of the model": theirs.df_model,
        "df of residuals": theirs.df_resid,
        "mean of the response": frame()["AGE"].mean(),
    }
    assert {name: ours[name] for name in expected} == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("method", ["logit", "poisson"])
def test_summaries_of_likelihoods_are_those_of_statsmodels(method: str) -> None:
    is_logit = method == "logit"
    theirs = getattr(smf, method)("HOME ~ AGE" if is_logit else "AGE ~ SEX", frame()).fit(disp=0, tol=1e-12)
    output = (Logistic if is_logit else Poisson)(
        formula="TENURE ~ AGE" if is_logit else "AGE ~ SEX", statistics=LIKELIHOOD
    )
    ours = _ours(output)
    expected = {
        "LR chi2": theirs.llr,
        "p of LR chi2": theirs.llr_pvalue,
        "AIC": theirs.aic,
        "BIC": theirs.bic,
        "df of the model": theirs.df_model,
        "df of residuals": theirs.df_resid,
    }
    assert {name: ours[name] for name in expected} == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_likelihoods_of_other_models_are_those_of_statsmodels() -> None:
    data, cloglog = frame(), sm.families.Binomial(sm.families.links.CLogLog())
    status = OrderedModel(data["MSTATUS"].cat.as_ordered(), data[["AGE"]], distr="logit")
    pairs: list[tuple[Any, Any]] = [
        (
            Probit(formula="TENURE ~ AGE", statistics=("loglik", "aic", "bic")),
            smf.probit("HOME ~ AGE", data).fit(disp=0),
        ),
        (
            NegativeBinomial(formula="AGE ~ SEX", statistics=("loglik", "aic", "bic")),
            smf.negativebinomial("AGE ~ SEX", data).fit(disp=0, method="newton", maxiter=200),
        ),
        (
            Cloglog(formula="TENURE ~ AGE", statistics=("loglik", "aic")),
            smf.glm("HOME ~ AGE", data, family=cloglog).fit(),
        ),
        (OrderedLogit(formula="MSTATUS ~ AGE", statistics=("loglik", "aic")), status.fit(method="bfgs", disp=0)),
    ]
    for output, theirs in pairs:
        ours = _ours(output)
        assert ours["loglik"] == pytest.approx(theirs.llf, rel=1e-6)
        assert ours["AIC"] == pytest.approx(theirs.aic, rel=1e-6)
        if "BIC" in ours:
            assert ours["BIC"] == pytest.approx(theirs.bic, rel=1e-6)


def test_aic_of_r_counts_the_variance_and_is_recognised() -> None:
    aic, bic = VALUES["lm aic and bic"][0]
    output = Linear(formula="AGE ~ SEX + TENURE", statistics=("aic", "bic"), counts_variance=True)
    assert output.evaluate(FEW).values[-2:] == pytest.approx([aic, bic], rel=1e-9)
    plain = Linear(formula="AGE ~ SEX + TENURE", statistics=("aic", "bic"), decimals=3)
    released = output.publish(output.evaluate(FEW), FEW.schema)
    assert vars(plain.as_released(released, FEW))["counts_variance"]


def test_summary_of_statsmodels_is_what_the_data_give() -> None:
    data = frame()
    asked = ("se", "n", "r2", "adj-r2", "f", "f-p", "aic", "bic", "df", "df-residual")
    for theirs in (smf.ols("AGE ~ SEX + LTILL", data).fit(), smf.logit("HOME ~ AGE", data).fit(disp=0, tol=1e-12)):
        output = from_statsmodels(theirs, statistics=(*asked, "lr-p") if theirs.model.endog_names == "HOME" else asked)
        table = table_from_frame(data)
        given = read_released(output, table.schema, None, table.n_rows, together=False)
        assert given is not None
        found = compute(output, table, given)
        assert found.agrees is not None
        assert found.agrees.all(), [n for n, a in zip(given.labels, found.agrees, strict=True) if not a]
        assert "AIC" in given.labels


def test_wrong_figure_does_not_agree_and_other_names_are_read() -> None:
    released = {"Intercept": 1.0, "SEX[T.2]": 7.0, "Adj. R-squared": 0.5, "F-statistic": 9999.0, "AIC": 1.0}
    output = Linear(formula="AGE ~ SEX", statistics=("adj-r2", "f", "aic"), released=released, decimals=2)
    given = read_released(output, CENSUS.schema, None, CENSUS.n_rows, together=False)
    assert given is not None
    found = compute(output, CENSUS, given)
    assert found.agrees is not None
    assert not found.agrees.any()
    assert np.isinf(output.lower(CENSUS.schema, given).high[-3:]).all(), "no search is held to them"


@pytest.mark.parametrize(
    ("kind", "name"), [(Logistic, "f"), (Linear, "lr"), (Gamma, "aic"), (Gamma, "loglik"), (Poisson, "adj-r2")]
)
def test_summary_that_a_kind_has_not_is_refused(kind: Any, name: str) -> None:
    with pytest.raises(OutputError, match="is not computed for kind"):
        kind(formula="AGE ~ SEX", statistics=(name,))
