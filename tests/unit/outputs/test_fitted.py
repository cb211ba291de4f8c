"""Models of statsmodels become outputs that the frame gives, figure by figure as the summary prints them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.errors import DivulgeError
from divulge.outputs import read_released
from divulge.outputs.released.computed import compute
from divulge.readers.statsmodels import formula_of_terms, from_statsmodels, printed_decimals
from divulge.table import table_from_frame
from tests.support.acro_folders import people

FRAME = people().assign(visits=[i * 7 % 4 for i in range(240)])
TABLE = table_from_frame(FRAME)
GAMMA = sm.families.Gamma(sm.families.links.Log())
BINOMIAL, POISSON = sm.families.Binomial(), sm.families.Poisson()
X = sm.add_constant(FRAME[["ill", "visits"]])

MODELS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "ols": (lambda: smf.ols("age ~ C(town) * ill + visits", _known()).fit(), "linear", "age ~ C(town) * ill + visits"),
    "ols by columns": (lambda: sm.OLS(FRAME.age, X).fit(), "linear", "age ~ ill + visits"),
    "ols without constant": (lambda: sm.OLS(FRAME.age, FRAME[["ill"]]).fit(), "linear", "age ~ 0 + ill"),
    "robust": (lambda: smf.ols("age ~ ill", FRAME).fit(cov_type="HC1"), "linear", "age ~ ill"),
    "logit": (lambda: smf.logit("ill ~ age", FRAME).fit(disp=0), "logistic", "ill ~ age"),
    "poisson": (lambda: smf.poisson("visits ~ age", FRAME).fit(disp=0), "poisson", "visits ~ age"),
    "mnlogit": (lambda: smf.mnlogit("visits ~ age", FRAME).fit(disp=0), "multinomial", "visits ~ age"),
    "glm logit": (lambda: smf.glm("ill ~ age", FRAME, family=BINOMIAL).fit(), "logistic", "ill ~ age"),
    "glm poisson": (lambda: smf.glm("visits ~ age", FRAME, family=POISSON).fit(), "poisson", "visits ~ age"),
    "probit": (lambda: smf.probit("ill ~ age", FRAME).fit(disp=0), "probit", "ill ~ age"),
    "negative binomial": (
        lambda: smf.negativebinomial("age ~ ill", FRAME).fit(disp=0, maxiter=500),
        "negative-binomial",
        "age ~ ill",
    ),
    "glm gamma": (lambda: smf.glm("age ~ ill", FRAME, family=GAMMA).fit(), "gamma", "age ~ ill"),
    "glm gamma, inverse": (
        lambda: _reciprocal("age ~ ill"),
        "gamma",
        "age ~ ill",
    ),
    "quantile": (lambda: smf.quantreg("age ~ ill", FRAME).fit(q=0.5), "quantile-regression", "age ~ ill"),
    "glm linear": (lambda: smf.glm("age ~ ill", FRAME).fit(), "linear", "age ~ ill"),
}


def _reciprocal(formula: str) -> Any:
    with warnings.catch_warnings(action="ignore"):  # the reciprocal may be negative, and is not here
        return smf.glm(formula, FRAME, family=sm.families.Gamma()).fit(tol=1e-12)


def _known() -> pd.DataFrame:
    # Nobody from Ely is ill, so that its interaction would not be known.
    return FRAME.assign(town=FRAME.town.replace("Ely", "York"))


@pytest.mark.parametrize("what", MODELS)
def test_every_figure_is_what_the_frame_gives(what: str) -> None:
    fit, kind, formula = MODELS[what]
    output = from_statsmodels(fit(), statistics=("se", "r2", "loglik", "n"))
    assert (output.kind, vars(output)["formula"]) == (kind, formula)
    table = table_from_frame(_known()) if what == "ols" else TABLE
    released = read_released(output, table.schema, None, table.n_rows, together=False)
    assert released is not None
    computed = compute(output, table, released)
    assert computed.agrees is not None
    assert computed.agrees.all()


def test_precision_is_that_of_the_summary() -> None:
    result = smf.ols("age ~ ill", FRAME).fit()
    output = from_statsmodels(result)
    released = read_released(output, TABLE.schema)
    assert released is not None
    shown = {line[0].strip(): line[1:3] for line in result.summary().tables[1].data[1:]}
    at = released.labels.index("ill")
    assert f"{released.values[at]:.4f}" == shown["ill"][0].strip()
    assert released.se is not None
    assert f"{released.se[at]:.3f}" == shown["ill"][1].strip()


def test_robust_standard_errors_are_released_with_their_name() -> None:
    output = from_statsmodels(MODELS["robust"][0]())
    assert "se" in vars(output)["statistics"]
    assert vars(output)["errors"].startswith("HC")


def test_rows_and_decimals_may_be_said() -> None:
    result = smf.ols("age ~ ill", FRAME[FRAME.sex == "F"]).fit()
    output = from_statsmodels(result, where="sex = F", decimals=2, se_decimals=1, name="women")
    released = read_released(output, TABLE.schema)
    assert released is not None
    assert (output.name, released.half[0], released.se_half[0]) == ("women", 0.005, 0.05)
    computed = compute(output, TABLE, released)
    assert computed.agrees is not None
    assert computed.agrees.all()


@pytest.mark.parametrize(
    ("fit", "said"),
    [
        (lambda: smf.gls("age ~ ill", FRAME).fit(), "GLS is not a model"),
        (lambda: smf.wls("age ~ ill", FRAME, weights=FRAME.visits + 1).fit(), "which variable its weights are"),
        (lambda: smf.glm("age ~ ill", FRAME, family=sm.families.Tweedie()).fit(), "GLM with family Tweedie"),
        (lambda: smf.poisson("visits ~ ill", FRAME, offset=FRAME.ill).fit(disp=0), "the model has offset"),
        (
            lambda: smf.glm("ill ~ age", FRAME, family=BINOMIAL, freq_weights=FRAME.visits + 1.0).fit(),
            "the model has freq weights",
        ),
        (lambda: sm.OLS(FRAME.age.to_numpy(), FRAME[["ill"]].to_numpy()).fit(), "arrays without names"),
        (lambda: smf.ols("age ~ ill", FRAME), "Give what fit"),
        (lambda: 3, "of the type 'int'"),
    ],
)
def test_what_is_no_such_model_is_rejected(fit: Callable[[], Any], said: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels says that a link is unusual
        result = fit()
    with pytest.raises(DivulgeError) as caught:
        from_statsmodels(result)
    assert said in str(caught.value)


def test_function_that_formulas_do_not_know_is_rejected() -> None:
    output = from_statsmodels(smf.ols("age ~ pow(ill, 2)", FRAME).fit())
    with pytest.raises(DivulgeError, match="`pow` is not a function that formulas know"):
        output.check(TABLE.schema)


def test_names_that_are_no_words_are_quoted() -> None:
    assert formula_of_terms("pay (£)", ["const", "age", "C(town)[T.Ely]", "years in"]) == (
        "`pay (£)` ~ age + C(town) + `years in`"
    )
    assert formula_of_terms("y", ["Intercept"]) == "y ~ 1"


@pytest.mark.parametrize(
    ("statistic", "value", "decimals"), [("r2", 0.5, 3), ("pseudo r2", 0.00255, 6), ("loglik", -8190.3, 1), ("n", 9, 0)]
)
def test_statistics_are_printed_as_in_a_summary(statistic: str, value: float, decimals: int) -> None:
    assert printed_decimals(statistic, value) == decimals


@pytest.mark.parametrize("dummy", [True, False])
def test_marginal_effects_are_what_the_frame_gives(dummy: bool) -> None:
    output = from_statsmodels(smf.logit("ill ~ age + visits", FRAME).fit(disp=0).get_margeff(dummy=dummy))
    assert output.kind == "marginal-effects"
    released = read_released(output, TABLE.schema, None, TABLE.n_rows, together=False)
    assert released is not None
    computed = compute(output, TABLE, released)
    assert computed.agrees is not None
    assert computed.agrees.all()


def test_effects_at_means_are_refused() -> None:
    with pytest.raises(DivulgeError, match="average marginal effects"):
        from_statsmodels(smf.logit("ill ~ age", FRAME).fit(disp=0).get_margeff(at="mean"))
