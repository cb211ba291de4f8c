"""Linear, Poisson and multinomial regression beside statsmodels; statistics beside coefficients; what they refuse."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.demo import simulated_census
from divulge.errors import OutputError
from divulge.outputs import Figures, Output, Status, read_released
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.kinds.poisson import Poisson
from divulge.table import Table

CENSUS = simulated_census(3000)


def frame(table: Table = CENSUS) -> pd.DataFrame:
    """The table as statsmodels takes it: categories with all their levels, in the schema's order."""
    data = table.to_pandas()
    for variable in table.schema:
        if variable.kind == "categorical":
            data[variable.name] = pd.Categorical(data[variable.name], categories=variable.texts)
    return data


def ours(figures: Figures) -> pd.DataFrame:
    return pd.DataFrame({"value": figures.values, "se": figures.se}, index=list(figures.labels))


def agree(figures: Figures, expected: Any) -> None:
    """Coefficients and standard errors, label by label: patsy orders columns otherwise and counts splines from 0."""

    def counted_from_one(label: str) -> str:
        return re.sub(r"(bs\(.*?\)\[)(\d+)\]", lambda m: f"{m[1]}{int(m[2]) + 1}]", label)

    theirs = pd.DataFrame({"value": expected.params, "se": expected.bse}).rename(index=counted_from_one)
    both = ours(figures).loc[theirs.index]
    np.testing.assert_allclose(both["value"], theirs["value"], rtol=1e-8)
    np.testing.assert_allclose(both["se"], theirs["se"], rtol=1e-6)


TERMS = [
    "SEX*TENURE + C(AREAP, Treatment('60'))",
    "bs(AGE, 4):SEX + C(LTILL, Sum)",
    "I(AGE**2) + np.sqrt(AGE) + SEX:LTILL - 1",
    "scale(AGE, ddof=0) + LTILL:scale(AGE, ddof=0)",
]


@pytest.mark.parametrize("terms", TERMS)
def test_linear_coefficients_equal_those_of_statsmodels(terms: str) -> None:
    data = frame().assign(Y=np.log(CENSUS["AGE"] + 5.0))
    agree(Linear(formula=f"log(AGE + 5) ~ {terms}").evaluate(CENSUS), smf.ols(f"Y ~ {terms}", data).fit())


@pytest.mark.slow
@pytest.mark.parametrize("terms", [TERMS[0], "SEX:LTILL + C(AREAP)", "bs(AGE, 5)", "0 + AGE:SEX + C(MSTATUS)"])
def test_poisson_coefficients_equal_those_of_statsmodels(terms: str) -> None:
    data = frame().assign(Y=CENSUS["ETHGROUP"] + 1.0)
    expected = smf.glm(f"Y ~ {terms}", data, family=sm.families.Poisson()).fit(tol=1e-13)
    # The values of ETHGROUP are the numbers 1 to 10, which do for a count here.
    agree(Poisson(formula=f"ETHGROUP ~ {terms}").evaluate(CENSUS), expected)


@pytest.mark.parametrize("terms", ["AGE + SEX*LTILL", "bs(AGE, 4) + TENURE", "np.log(AGE + 1):SEX"])
def test_multinomial_coefficients_equal_those_of_statsmodels(terms: str) -> None:
    expected = smf.mnlogit(f"Y ~ {terms}", frame().assign(Y=CENSUS["AREAP"])).fit(disp=0, tol=1e-10, maxiter=50)
    figures = Multinomial(formula=f"AREAP ~ {terms}").evaluate(CENSUS)
    assert figures.status is Status.OK
    shown = ours(figures)
    for k, text in enumerate(CENSUS.schema["AREAP"].texts[1:]):
        part = shown[shown.index.str.startswith(f"AREAP={text} & ")]
        order = [f"AREAP={text} & {_counted(label)}" for label in expected.params.index]
        np.testing.assert_allclose(part.loc[order, "value"], expected.params.iloc[:, k], rtol=1e-8)
        np.testing.assert_allclose(part.loc[order, "se"], expected.bse.iloc[:, k], rtol=1e-6)


def _counted(label: str) -> str:
    return re.sub(r"(bs\(.*?\)\[)(\d+)\]", lambda m: f"{m[1]}{int(m[2]) + 1}]", label)


STATISTICS = ("se", "r2", "loglik", "n")


def test_statistics_of_a_linear_model_equal_those_of_statsmodels() -> None:
    for terms in ("SEX + TENURE", "0 + C(SEX)", "0 + AREAP:TENURE"):
        expected = smf.ols(f"AGE ~ {terms}", frame()).fit()
        beside = ours(Linear(formula=f"AGE ~ {terms}", statistics=STATISTICS).evaluate(CENSUS))["value"]
        found = beside[["r2", "loglik", "n"]].tolist()
        assert found == pytest.approx([expected.rsquared, expected.llf, expected.nobs], rel=1e-10)
    numbers = smf.ols("ETH ~ 0 + AGE", frame().assign(ETH=CENSUS["ETHGROUP"] + 1.0)).fit()
    beside = ours(Linear(formula="ETHGROUP ~ 0 + AGE", statistics=STATISTICS).evaluate(CENSUS))["value"]
    assert beside["r2"] == pytest.approx(numbers.rsquared, rel=1e-10)  # about 0, not about the mean


def test_weighted_linear_model_equals_weighted_least_squares() -> None:
    adults = CENSUS.take(CENSUS["AGE"] >= 18)
    data = frame(adults).assign(Y=adults["ETHGROUP"] + 1.0)
    expected = smf.wls("Y ~ SEX + TENURE", data, weights=data["AGE"]).fit()
    figures = Linear(
        formula="ETHGROUP ~ SEX + TENURE", where="AGE >= 18", weights="AGE", statistics=STATISTICS
    ).evaluate(CENSUS)
    agree(figures, expected)
    found = ours(figures)["value"][["r2", "loglik", "n"]].tolist()
    assert found == pytest.approx([expected.rsquared, expected.llf, expected.nobs], rel=1e-10)


@pytest.mark.slow
def test_statistics_of_other_models_equal_those_of_statsmodels() -> None:
    data = frame().assign(RENTS=1.0 * (CENSUS["TENURE"] == 1), Y=CENSUS["AREAP"])
    cases: list[tuple[Output, Any]] = [
        (Logistic(formula="TENURE ~ AGE + SEX", statistics=STATISTICS), smf.logit("RENTS ~ AGE + SEX", data)),
        (Poisson(formula="AGE ~ SEX + LTILL", statistics=STATISTICS), smf.poisson("AGE ~ SEX + LTILL", data)),
        (Multinomial(formula="AREAP ~ AGE", statistics=STATISTICS), smf.mnlogit("Y ~ AGE", data)),
    ]
    for output, model in cases:
        expected = model.fit(disp=0, method="newton", tol=1e-10)
        found = ours(output.evaluate(CENSUS))["value"][["r2", "loglik", "n"]].tolist()
        # statsmodels finds the model without predictors by search, so 1 − R² is good to about 1e-8.
        assert found == pytest.approx([expected.prsquared, expected.llf, expected.nobs], rel=1e-9, abs=1e-8)


@pytest.mark.slow
def test_lowered_statistics_and_standard_errors_are_exact_at_the_table_itself() -> None:
    for output in (
        Linear(formula="AGE ~ SEX*TENURE", statistics=STATISTICS, where="AGE >= 16", weights="AGE"),
        Logistic(formula="TENURE ~ AGE*SEX", statistics=STATISTICS),
        Poisson(formula="AGE ~ SEX + LTILL", statistics=STATISTICS),
    ):
        figures = output.evaluate(CENSUS)
        released = output.publish(figures, CENSUS.schema)
        lowered = output.lower(CENSUS.schema, dataclasses.replace(released, values=figures.values, se=figures.se))
        assert lowered.n_residuals == len(figures.values) + 3 + (output.kind != "poisson")
        assert np.abs(lowered.residuals_at(CENSUS)).max() < 1e-6


def test_change_of_standard_errors_is_predicted_to_first_order() -> None:
    rows = CENSUS.take(np.repeat(np.arange(600), 20))
    for output in (
        Linear(formula="AGE ~ SEX*TENURE", statistics=("se",)),
        Logistic(formula="TENURE ~ AGE + SEX", statistics=("se",)),
        Poisson(formula="AGE ~ SEX + LTILL", statistics=("se",)),
    ):
        figures = output.evaluate(rows)
        released = output.publish(figures, rows.schema)
        lowered = output.lower(rows.schema, dataclasses.replace(released, values=figures.values, se=figures.se))
        totals = lowered.totals(rows)
        _, jacobian = lowered.residuals.linearise(totals, rows)
        for row in range(0, 600, 40):
            columns = [c.copy() for c in rows.columns]
            columns[0][row] = 95 - columns[0][row]
            columns[5][row] = 1 - columns[5][row]
            changed = Table(rows.schema, tuple(columns))
            predicted = (jacobian @ (lowered.totals(changed) - totals))[len(figures.values) :]
            actual = output.evaluate(changed).se - figures.se
            assert np.abs(predicted - actual).max() < 0.05 * np.abs(actual).max()


def test_released_coefficients_may_be_written_as_other_programs_do() -> None:
    output = Linear(
        formula="AGE ~ C(AREAP, Treatment(57)) + SEX:LTILL",
        statistics=("r2", "n"),
        released={
            "const": 1,
            "AREAP_58": 2,
            "AREAP[T.59]": 3,
            "C(AREAP)[T.60]": 4,
            "AREAP=Solihull": 5,
            "AREAPWalsall": 6,
            "63.AREAP": 7,
            "LTILL[T.No]": 8,
            "LTILL[1]:SEX[T.2]": 9,
            "SEX_2 # LTILL_2": 10,
            "R-squared": 0.5,
            "N": 3000,
        },
    )
    released = read_released(output, CENSUS.schema)
    assert released is not None
    assert released.values.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5, 3000]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (Linear(formula="TENURE ~ AGE", released=[0.1]), "2 figures are needed, 1 value is given.*'AGE'"),
        (
            Linear(formula="AGE ~ SEX", statistics=("r2",), released=[1, 2, 1.5]),
            "'r2' is given as 1.5.*between 0 and 1",
        ),
        (Logistic(formula="TENURE ~ 1", statistics=("n",), released=[1, 9e9]), "'n' is given as .*cannot be"),
        (
            Linear(formula="AGE ~ SEX", released={"Intercept": 1, "SEXES": 2}),
            "no figure 'SEXES'.*The figures are: 'Intercept'",
        ),
    ],
    ids=["one missing", "impossible R²", "too many rows", "unknown term"],
)
def test_released_numbers_that_cannot_be_are_rejected(output: Output, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        read_released(output, CENSUS.schema, n_rows=3000)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (Poisson(formula="I(AGE - 20) ~ SEX"), "a response of counts is needed"),
        (Multinomial(formula="log(AGE) ~ SEX"), "a response with several values is needed"),
        (Linear(formula="AGE ~ SEX + (TENURE"), "at character 13"),
    ],
    ids=["below 0", "a function", "open bracket"],
)
def test_regressions_reject(output: Output, message: str) -> None:
    with pytest.raises(OutputError, match=message) as error:
        output.check(CENSUS.schema)
    assert error.value.where == "formula"
