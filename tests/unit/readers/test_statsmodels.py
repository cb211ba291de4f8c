"""Weights, clusters, thresholds, variances and tables of statsmodels are what the data give; others are refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.discrete.count_model import ZeroInflatedNegativeBinomialP, ZeroInflatedPoisson
from statsmodels.miscmodels.ordinal_model import OrderedModel

import divulge
from divulge import notebook
from divulge.errors import OutputError
from divulge.outputs.output import Output
from divulge.readers.statsmodels import from_statsmodels
from divulge.table import table_from_frame

RNG = np.random.default_rng(1)  # any seed: some hundred people of eight towns
N = 300
FRAME = pd.DataFrame(
    {"age": RNG.integers(20, 60, N), "town": RNG.integers(1, 9, N), "share": RNG.integers(1, 9, N) / 4}
)
FRAME["ill"] = RNG.integers(0, 2, N)
FRAME["wage"] = np.round(5 + 0.2 * FRAME.age + FRAME.town + RNG.normal(0, 3, N))
FRAME["visits"] = np.where(RNG.random(N) < 0.3, 0, RNG.poisson(np.exp(0.5 + 0.02 * FRAME.age)))
FRAME["many"] = np.where(RNG.random(N) < 0.3, 0, RNG.negative_binomial(2, 2 / (2 + 4.0 + 3 * FRAME.ill)))
FRAME["health"] = np.clip(FRAME.age // 15 + RNG.integers(0, 2, N) - 1, 0, 2)
FRAME["said"] = pd.Categorical(FRAME.health.map({0: "poor", 1: "fair", 2: "good"}), ["poor", "fair", "good"], True)
HOLES = FRAME.assign(age=FRAME.age.where(FRAME.index % 50 > 0)).set_index("town", drop=False)
BY_TOWN: Any = {"cov_type": "cluster", "cov_kwds": {"groups": FRAME.town}}
X = sm.add_constant(FRAME[["age"]])
EVERYTHING = ("se", "r2", "loglik", "n")


def agrees(output: Output, kind: str, frame: pd.DataFrame = FRAME) -> Output:
    """Whether every figure is what the frame gives."""
    assert output.kind == kind
    table = table_from_frame(frame)
    output.check(table.schema)
    assert notebook._checked(output, table) is not None
    return output


def test_weighted_least_squares_finds_its_weights_in_the_frame() -> None:
    fit = smf.wls("wage ~ age", FRAME, weights=FRAME.share).fit()
    assert agrees(from_statsmodels(fit, statistics=EVERYTHING), "linear").weights == "share"
    assert agrees(notebook._output(smf.wls("wage ~ age", HOLES, weights=HOLES.share).fit()), "linear", HOLES)
    robust = smf.wls("wage ~ age", FRAME, weights=FRAME.share).fit(cov_type="HC1")
    agrees(notebook._output(robust), "linear")


def test_weights_that_are_no_column_have_to_be_named() -> None:
    bare = sm.WLS(FRAME.wage, X, weights=FRAME.share).fit()
    with pytest.raises(OutputError, match=r"which variable its weights are.*weights='…'"):
        notebook._output(bare)
    agrees(from_statsmodels(bare, weights="share"), "linear")
    with pytest.raises(OutputError, match="are not what the frame gives"):
        agrees(from_statsmodels(bare, weights="town"), "linear")


@pytest.mark.parametrize(
    ("fit", "kind"),
    [
        (lambda: smf.ols("wage ~ age", FRAME).fit(**BY_TOWN), "linear"),
        (lambda: sm.OLS(FRAME.wage, X).fit(**BY_TOWN), "linear"),
        (lambda: smf.wls("wage ~ age", FRAME, weights=FRAME.share).fit(**BY_TOWN), "linear"),
        (lambda: smf.logit("ill ~ age", FRAME).fit(disp=0, **BY_TOWN), "logistic"),
        (lambda: smf.poisson("visits ~ age", FRAME).fit(disp=0, **BY_TOWN), "poisson"),
        (lambda: smf.probit("ill ~ age", FRAME).fit(disp=0, **BY_TOWN), "probit"),
        (lambda: smf.glm("ill ~ age", FRAME, family=sm.families.Binomial()).fit(**BY_TOWN), "logistic"),
    ],
)
def test_clustered_errors_are_those_of_their_clusters(fit: Callable[[], Any], kind: str) -> None:
    output = agrees(notebook._output(fit()), kind)
    assert (vars(output)["errors"], vars(output)["cluster"]) == ("cluster", "town")


def test_robust_errors_beside_least_squares_have_no_factor_whatever_they_are_called() -> None:
    for fit in (
        smf.logit("ill ~ age", FRAME).fit(disp=0, cov_type="HC1"),
        smf.glm("ill ~ age", FRAME, family=sm.families.Binomial()).fit(cov_type="HC1"),
        OrderedModel.from_formula("health ~ age", FRAME, distr="logit").fit(method="newton", disp=0, cov_type="HC1"),
    ):
        assert vars(agrees(notebook._output(fit), notebook._output(fit).kind))["errors"] == "HC0"


def test_clusters_may_have_codes_instead_of_names_and_no_correction() -> None:
    groups = FRAME.town.astype("category").cat.codes.to_numpy()
    model = smf.ols("wage ~ age", FRAME)
    plain = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    output = agrees(from_statsmodels(plain, statistics=("se", "n", "t", "p", "interval")), "linear")
    assert (vars(output)["errors"], vars(output)["cluster"]) == ("cluster-plain", "town")
    halves = model.fit(cov_type="cluster", cov_kwds={"groups": np.arange(N) // 2})
    with pytest.raises(OutputError, match="which variable its groups are"):
        from_statsmodels(halves)
    with pytest.raises(OutputError, match="are not what the frame gives"):
        agrees(from_statsmodels(halves, groups="ill"), "linear")
    both = model.fit(cov_type="cluster", cov_kwds={"groups": FRAME[["town", "ill"]].to_numpy()})
    with pytest.raises(OutputError, match="by one set of clusters"):
        from_statsmodels(both)


@pytest.mark.parametrize("distr", ["logit", "probit"])
@pytest.mark.parametrize("response", ["health", "said"])
def test_thresholds_of_an_ordered_model_are_what_the_frame_gives(distr: str, response: str) -> None:
    fit = OrderedModel.from_formula(f"{response} ~ age + C(ill)", FRAME, distr=distr).fit(method="newton", disp=0)
    output = agrees(notebook._output(fit), f"ordered-{distr}")
    assert vars(output)["order"] == (("poor", "fair", "good") if response == "said" else ("0", "1", "2"))


def test_ordered_model_by_columns_has_errors_and_the_number_of_rows_alone() -> None:
    fit = OrderedModel(FRAME.said, FRAME[["age", "ill"]], distr="logit").fit(method="newton", disp=0)
    agrees(notebook._output(fit), "ordered-logit")
    odd = OrderedModel(FRAME.said, FRAME[["age"]], distr="logit").fit(method="newton", disp=0)
    with pytest.raises(OutputError, match="'loglik' is not read"):
        from_statsmodels(odd, statistics=("loglik",))


@pytest.mark.parametrize("reml", [True, False])
def test_random_intercept_of_mixedlm_is_what_the_frame_gives(reml: bool) -> None:
    fits = [
        smf.mixedlm("wage ~ age + C(ill)", FRAME, groups="town"),
        smf.mixedlm("wage ~ age", FRAME, groups=FRAME.town),
        sm.MixedLM(FRAME.wage, X, groups=FRAME.town),
    ]
    for model in fits:
        output = agrees(notebook._output(model.fit(reml=reml, gtol=1e-7)), "random-intercept")
        assert (vars(output)["group"], vars(output)["likelihood"]) == ("town", "reml" if reml else "ml")


def test_errors_of_mixedlm_that_weighted_least_squares_has_not_are_refused() -> None:
    # Where age differs between few groups, statsmodels adds what is not known of the variance: 1.46 against 1.43.
    apart = FRAME.assign(five=FRAME.index % 5)
    apart["wage"] = apart.wage + 0.5 * (apart.five == 2)
    apart["age"] = apart.age + 6 * apart.five
    fit = smf.mixedlm("wage ~ age", apart, groups="five").fit(gtol=1e-7)
    with pytest.raises(OutputError, match="standard errors of the fit") as caught:
        notebook._output(fit)
    assert "statistics=('n',)" in str(caught.value.hint)
    assert vars(from_statsmodels(fit, statistics=("n",)))["statistics"] == ("n",)


def test_random_slopes_are_refused_with_the_kind_to_write() -> None:
    with warnings.catch_warnings(action="ignore"):  # statsmodels says that it did not converge
        fit = smf.mixedlm("wage ~ age", FRAME, groups="town", re_formula="~ ill").fit()
    with pytest.raises(OutputError, match="as kind random-slope"):
        notebook._output(fit)


@pytest.mark.parametrize("typ", [1, 2, 3])
def test_table_of_anova_lm_is_what_the_frame_gives(typ: int) -> None:
    table = sm.stats.anova_lm(smf.ols("wage ~ age*ill + C(town)", FRAME).fit(), typ=typ)
    with pytest.raises(OutputError, match=r"does not say which variable is its response.*response='wage'"):
        notebook._output(table)
    output = agrees(from_statsmodels(table, response="wage"), "anova")
    assert vars(output)["type"] == typ


def test_order_of_statsmodels_own_is_refused_for_type_1() -> None:
    # Numbers come after interactions of categories, so that type 1 takes them out in another order than R does.
    fit = smf.ols("wage ~ C(ill)*C(town) + age", FRAME).fit()
    with pytest.raises(OutputError, match="after interactions of categories"):
        from_statsmodels(sm.stats.anova_lm(fit, typ=1), response="wage")
    agrees(from_statsmodels(sm.stats.anova_lm(fit, typ=2), response="wage"), "anova")


def test_other_tables_of_anova_lm_are_refused_in_words() -> None:
    small, large = (smf.ols(f"wage ~ {terms}", FRAME).fit() for terms in ("age", "age + C(town)"))
    with pytest.raises(OutputError, match="is read for one model"):
        from_statsmodels(sm.stats.anova_lm(small, large), response="wage")


def test_zero_inflated_counts_are_what_the_frame_gives() -> None:
    fit = ZeroInflatedPoisson.from_formula("visits ~ age", FRAME).fit(disp=0, method="newton", maxiter=200)
    output = agrees(from_statsmodels(fit, statistics=("n",)), "zero-inflated")
    assert vars(output)["counts"] == "poisson"
    fit = ZeroInflatedNegativeBinomialP.from_formula("many ~ ill", FRAME).fit(disp=0, maxiter=500, gtol=1e-7)
    output = agrees(notebook._output(fit), "zero-inflated")
    assert vars(output)["counts"] == "negative-binomial"


def test_zero_inflated_models_that_are_no_such_kind_are_refused() -> None:
    fit = ZeroInflatedPoisson(FRAME.visits, X, exog_infl=X).fit(disp=0, maxiter=200)
    with pytest.raises(OutputError, match="the same odds to be 0 anyway"):
        notebook._output(fit)
    few = FRAME.assign(visits=np.where(FRAME.index % 3 == 0, 0, FRAME.index % 4))
    fit = ZeroInflatedPoisson.from_formula("visits ~ age", few).fit(disp=0, maxiter=200)
    with pytest.raises(OutputError, match=r"not those of its likelihood.*statistics=\('n',\)"):
        notebook._output(fit)


def test_means_by_groups_say_how_to_give_them() -> None:
    means = FRAME.groupby("town").wage.mean()
    with pytest.raises(OutputError, match=r"from_pandas\(table, statistic='mean', values='wage'\)"):
        notebook._output(means)
    agrees(divulge.from_pandas(means, statistic="mean", values="wage"), "means")
