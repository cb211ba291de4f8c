"""Correlations, tests, ratios and survival equal pandas, scipy, statsmodels and lifelines on random tables."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import assume, given
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter, NelsonAalenFitter
from scipy import stats
from statsmodels.tools.sm_exceptions import SingularMatrixWarning

from divulge.outputs import Output, Status
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.f_test import FTest
from divulge.outputs.kinds.ratios import Ratios
from divulge.outputs.kinds.survival import Survival
from divulge.outputs.kinds.t_test import TTest
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("x", "numeric", np.array([1990.0, 1991.5, 2000.0, 2001.0, 2010.25]), missing=(None,)),
        Variable("z", "numeric", np.arange(-3, 9)),
        Variable("g", "categorical", np.array(["a", "b", "c"])),
        Variable("h", "categorical", np.array([1, 2])),
        Variable("w", "numeric", np.arange(1, 4)),
    )
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    n = draw(st.integers(8, 80))
    shares = [rng.dirichlet(np.full(v.n_codes, draw(st.sampled_from([0.5, 5.0])))) for v in SCHEMA]
    return Table(SCHEMA, tuple(rng.choice(len(p), n, p=p).astype(np.uint8) for p in shares))


def value_of(output: Output, table: Table) -> np.ndarray:
    figures = output.evaluate(table)
    assume(figures.status is Status.OK)
    return figures.values


@given(tables())
def test_correlations_equal_those_of_pandas(table: Table) -> None:
    data = table.to_pandas()[["x", "z", "w"]]
    for rows, expected in (("complete", data.dropna().corr()), ("pairwise", data.corr())):
        found = value_of(Correlation(variables=("x", "z", "w"), rows=rows), table)
        upper = expected.to_numpy()[np.triu_indices(3, 1)]
        np.testing.assert_allclose(found, upper, rtol=1e-9, atol=1e-12)


@given(tables())
def test_weighted_correlation_equals_that_of_repeated_rows(table: Table) -> None:
    found = value_of(Correlation(variables=("x", "z"), weights="w"), table)
    data = table.to_pandas()
    repeated = data.loc[data.index.repeat(data["w"])][["x", "z"]].corr()
    np.testing.assert_allclose(found, [repeated.iloc[0, 1]], rtol=1e-9, atol=1e-12)


@given(tables(), st.booleans())
def test_chi_squared_equals_that_of_scipy(table: Table, correction: bool) -> None:
    for pair in (("g", "h"), ("h", "w"), ("g", "z")):
        found = value_of(ChiSquared(variables=pair, correction=correction), table)
        counts = np.zeros([SCHEMA[n].n_values for n in pair])
        np.add.at(counts, (table[pair[0]], table[pair[1]]), 1)
        counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        expected = stats.chi2_contingency(counts, correction=correction)
        np.testing.assert_allclose(found, [expected.statistic, expected.dof, expected.pvalue], rtol=1e-8, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")  # scipy's, where a group does not vary
@given(tables(), st.booleans())
def test_t_tests_equal_those_of_scipy(table: Table, equal: bool) -> None:
    data = table.to_pandas()
    for variable in ("x", "z"):
        known = data.dropna(subset=[variable])
        groups = [known.loc[known["h"] == text, variable] for text in ("1", "2")]
        found = value_of(TTest(variable=variable, by="h", equal=equal), table)
        expected = stats.ttest_ind(*groups, equal_var=equal)
        np.testing.assert_allclose(found, [expected.statistic, expected.df, expected.pvalue], rtol=1e-8, atol=1e-12)
        single = stats.ttest_1samp(known[variable], 3.0)
        found = value_of(TTest(variable=variable, mean=3.0), table)
        np.testing.assert_allclose(found, [single.statistic, single.df, single.pvalue], rtol=1e-8, atol=1e-12)


@given(tables())
def test_paired_t_test_equals_that_of_scipy(table: Table) -> None:
    data = table.to_pandas().dropna()
    found = value_of(TTest(variable="x", paired="z"), table)
    expected = stats.ttest_rel(data["x"], data["z"])
    np.testing.assert_allclose(found, [expected.statistic, expected.df, expected.pvalue], rtol=1e-8, atol=1e-12)


@given(tables())
def test_analysis_of_variance_equals_that_of_scipy(table: Table) -> None:
    data = table.to_pandas()
    groups = [part["z"].to_numpy() for _, part in data.groupby("g")]
    assume(len(groups) > 1)
    found = value_of(FTest(formula="z ~ g", show=("statistic", "p")), table)
    expected = stats.f_oneway(*groups)
    np.testing.assert_allclose(found, [expected.statistic, expected.pvalue], rtol=1e-8, atol=1e-12)


@pytest.mark.slow
@given(tables())
def test_regression_f_equals_that_of_statsmodels(table: Table) -> None:
    found = value_of(FTest(formula="z ~ center(x)*h + w"), table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularMatrixWarning)  # newer versions say so; the next line asks
        expected = smf.ols("z ~ center(x)*h + w", table.to_pandas().dropna()).fit()
    assume(expected.df_model == found[1])  # a column may be collinear, which statsmodels does not count
    values = [expected.fvalue, expected.df_model, expected.df_resid, expected.f_pvalue]
    np.testing.assert_allclose(found, values, rtol=1e-7, atol=1e-12)


@given(tables(), st.sampled_from([0.9, 0.95]))
def test_ratios_equal_those_of_statsmodels(table: Table, level: float) -> None:
    # The table of statsmodels has the exposed group and the event first.
    counts = [[float(((table["g"] == g) & (table["h"] == h)).sum()) for h in (1, 0)] for g in (1, 0)]
    assume(np.min(counts) > 0)
    two_by_two = sm.stats.Table2x2(np.array(counts))
    for measure, value, interval in (
        ("odds", two_by_two.oddsratio, two_by_two.oddsratio_confint(1 - level)),
        ("risk", two_by_two.riskratio, two_by_two.riskratio_confint(1 - level)),
    ):
        figures = Ratios(outcome="h", exposure="g", measure=measure, interval=level).evaluate(table)
        np.testing.assert_allclose(figures.values[:3], [value, *interval], rtol=1e-10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # lifelines' own
@given(tables(), st.booleans())
def test_survival_equals_that_of_lifelines(table: Table, is_weighted: bool) -> None:
    data = table.to_pandas().assign(time=lambda d: d["z"] + 4.0)
    shown = Survival(
        time="z",
        event="h",
        by=("g",),
        weights="w" if is_weighted else None,
        show=("survival", "cumulative hazard", "at risk"),
    )
    figures = shown.evaluate(table)
    found = dict(zip(figures.labels, figures.values.tolist(), strict=True))
    times = SCHEMA["z"].values.tolist()
    for group, part in data.groupby("g"):
        weights = part["w"] if is_weighted else None
        events = part["h"] == "2"
        fitted = KaplanMeierFitter().fit(part["time"], events, weights=weights)
        hazard = NelsonAalenFitter(nelson_aalen_smoothing=False).fit(part["time"], events, weights=weights)
        for time in times:
            at = f"z={time} | g={group}"
            assert found[f"survival {at}"] == pytest.approx(fitted.survival_function_at_times(time + 4.0).iloc[0])
            assert found[f"cumulative hazard {at}"] == pytest.approx(
                hazard.cumulative_hazard_at_times(time + 4.0).iloc[0]
            )
            alive = part["time"] >= time + 4.0
            assert found[f"at risk {at}"] == (part["w"][alive].sum() if is_weighted else alive.sum())
