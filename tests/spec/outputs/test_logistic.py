"""Logistic regression beside statsmodels, and what it refuses."""

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
from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs import Figures, Status
from divulge.outputs.kinds.logistic import Logistic
from divulge.table import Schema, Table, Variable

CENSUS = simulated_census(4000)


def frame(table: Table) -> pd.DataFrame:
    """The table as statsmodels takes it: categories with all their levels in the schema's order, the response 0/1."""
    data = table.to_pandas()
    for variable in table.schema:
        if variable.kind == "categorical":
            data[variable.name] = pd.Categorical(data[variable.name], categories=variable.texts)
    return data.assign(RENTS=(table["TENURE"] == 1).astype(float))


def agree(figures: Figures, expected: Any) -> bool:
    """Coefficients and standard errors, label by label: patsy orders columns otherwise and counts splines from 0."""
    own = {label: (v, se) for label, v, se in zip(figures.labels, figures.values, figures.se, strict=True)}
    other = {
        re.sub(r"(bs\(.*?\)\[)(\d+)\]", lambda m: f"{m[1]}{int(m[2]) + 1}]", label): (v, se)
        for label, v, se in zip(expected.params.index, expected.params, expected.bse, strict=True)
    }
    assert set(own) == set(other)
    np.testing.assert_allclose([own[x][0] for x in own], [other[x][0] for x in own], rtol=1e-8)
    np.testing.assert_allclose([own[x][1] for x in own], [other[x][1] for x in own], rtol=1e-6)
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    "terms",
    [
        "AGE + C(AREAP, Treatment('59')) + LTILL + SEX",
        "AGE*LTILL + C(MSTATUS):SEX",
        "np.log(AGE + 1) + I(AGE**2) - 1",
        "bs(AGE, 5) + SEX",
        "bs(AGE, df=4):SEX + C(AREAP)",
        "0 + C(SEX):C(LTILL) + center(AGE)",
    ],
)
def test_coefficients_equal_those_of_statsmodels(terms: str) -> None:
    expected = smf.logit(f"RENTS ~ {terms}", frame(CENSUS)).fit(disp=0, tol=1e-10, maxiter=100)
    figures = Logistic(formula=f"TENURE ~ {terms}").evaluate(CENSUS)
    assert figures.status is Status.OK
    assert agree(figures, expected)


def test_where_and_weights_do_what_they_say() -> None:
    adults = frame(CENSUS.take(CENSUS["AGE"] >= 18))
    expected = smf.glm(
        "RENTS ~ AGE + SEX", adults, family=sm.families.Binomial(), freq_weights=adults["AGE"].to_numpy()
    ).fit(tol=1e-14)
    figures = Logistic(formula="TENURE ~ AGE + SEX", where="AGE >= 18", weights="AGE").evaluate(CENSUS)
    assert agree(figures, expected)


def test_event_says_which_value_counts_as_one() -> None:
    data = frame(CENSUS).assign(MARRIED=(CENSUS["MSTATUS"] == 1).astype(float))
    expected = smf.logit("MARRIED ~ SEX", data).fit(disp=0, tol=1e-14)
    for event in ("2", "Married", "MSTATUS = Married"):
        figures = Logistic(formula="MSTATUS ~ SEX", event=event).evaluate(CENSUS)
        np.testing.assert_allclose(figures.values, expected.params, rtol=1e-8)


SCHEMA = Schema(
    (
        Variable("OUT", "categorical", np.array(["no", "yes"]), missing=(None,)),
        Variable("GROUP", "categorical", np.array(["a", "b", "c"])),
        Variable("X", "numeric", np.arange(5)),
    )
)


def table(out: list[int], group: list[int], x: list[int] | None = None) -> Table:
    columns = (out, group, x if x is not None else [0, 1, 2, 3, 4] * (len(out) // 5 + 1))
    return Table(SCHEMA, tuple(np.array(c[: len(out)], dtype=np.uint8) for c in columns))


def test_coefficient_of_a_group_is_its_log_odds_ratio() -> None:
    # In group a 1 of 4 is yes (odds 1/3), in b 2 of 4 (odds 1), in c 3 of 4 (odds 3).
    rows = table([0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1], [0] * 4 + [1] * 4 + [2] * 4)
    assert Logistic(formula="OUT ~ GROUP").evaluate(rows).values == pytest.approx(np.log([1 / 3, 3, 9]))


def test_row_with_a_missing_response_takes_no_part() -> None:
    rows = table([0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 2, 2], [0] * 4 + [1] * 4 + [2] * 6)
    assert Logistic(formula="OUT ~ GROUP").evaluate(rows).values == pytest.approx(np.log([1 / 3, 3, 9]))


@pytest.mark.slow
def test_group_that_is_all_yes_separates() -> None:
    figures = Logistic(formula="OUT ~ GROUP").evaluate(table([0, 1, 0, 1, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2]))
    assert figures.status is Status.SEPARATED
    assert figures.concerned == ("GROUP[T.c]",)
    assert figures.values[2] == np.inf
    # The others are those of the limit: the odds are 1 in group a and in group b.
    assert figures.values[:2] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_coefficient_without_a_finite_value_says_that_nobody_in_its_group_is_yes() -> None:
    nobody = table([0, 1, 0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 1, 1, 2, 2])
    output = Logistic(formula="OUT ~ GROUP", decimals=2)
    released = output.publish(output.evaluate(nobody), SCHEMA)
    assert released.values[2] == -np.inf
    lowered = output.lower(SCHEMA, released)

    def off(rows: Table) -> float:
        return float(lowered.residuals.linearise(lowered.totals(rows), rows)[0][2] - lowered.high[2])

    assert off(nobody) < 0
    somebody = table([0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 2, 2])
    assert off(somebody) > 0
    assert not released.agrees(output.evaluate(somebody).values)[2]


def test_reference_level_without_a_yes_leaves_the_others_as_they_are_without_it() -> None:
    outcomes, groups = [0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0], [0] * 4 + [1] * 8
    figures = Logistic(formula="OUT ~ GROUP + X").evaluate(table(outcomes, groups))
    assert figures.status is Status.SEPARATED
    assert figures.values[0] == -np.inf
    assert figures.values[1] == np.inf
    alone = Logistic(formula="OUT ~ X", where="GROUP = 'b'").evaluate(table(outcomes, groups))
    assert figures.values[3] == pytest.approx(alone.values[1])
    assert figures.se is not None
    assert alone.se is not None
    assert figures.se[3] == pytest.approx(alone.se[1])


def test_coefficients_that_only_separated_rows_speak_of_are_not_given() -> None:
    # Nobody in a or b is yes: of b beside a nothing can be known.
    figures = Logistic(formula="OUT ~ GROUP").evaluate(table([0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 2, 2, 2]))
    assert figures.values.tolist()[0] == -np.inf
    assert np.isnan(figures.values[1])
    assert figures.values[2] == np.inf


@pytest.mark.parametrize("seed", [0, 1, 2])  # any; of 0 there was a finite coefficient with an error of 16,289
def test_where_every_row_is_separated_no_coefficient_has_a_finite_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    year, x, z = rng.integers(0, 3, 60), rng.integers(0, 9, 60), rng.integers(0, 2, 60)
    variables = (
        Variable("OUT", "categorical", ("0", "1")),
        Variable("YEAR", "categorical", ("78", "85", "90")),
        Variable("X", "numeric", tuple(map(float, range(9)))),
        Variable("Z", "categorical", ("k", "l")),
    )
    columns = zip((year > 0, year, x, z), variables, strict=True)
    rows = Table(Schema(variables), tuple(c.astype(v.dtype) for c, v in columns))
    figures = Logistic(formula="OUT ~ YEAR + X + Z").evaluate(rows)
    assert figures.status is Status.SEPARATED
    assert figures.values[:3].tolist() == [-np.inf, np.inf, np.inf]
    assert np.isnan(figures.values[3:]).all()
    assert figures.se is not None
    assert np.isnan(figures.se).all()


def test_number_that_tells_yes_from_no_separates() -> None:
    figures = Logistic(formula="OUT ~ X").evaluate(table([0, 0, 0, 1, 1] * 3, [0] * 15))
    assert figures.status is Status.SEPARATED
    assert figures.concerned == ("Intercept", "X")


def test_response_that_is_always_yes_separates() -> None:
    figures = Logistic(formula="OUT ~ 1").evaluate(table([1] * 6, [0] * 6))
    assert figures.status is Status.SEPARATED


def test_level_without_rows_vanishes_and_the_others_are_fitted() -> None:
    figures = Logistic(formula="OUT ~ GROUP").evaluate(table([0, 0, 0, 1, 0, 0, 1, 1], [0] * 4 + [1] * 4))
    assert figures.status is Status.VANISHED_LEVEL
    assert figures.concerned == ("GROUP[T.c]",)
    assert figures.values[:2] == pytest.approx(np.log([1 / 3, 3]))


def test_column_that_others_give_is_collinear() -> None:
    rows = table([0, 1, 0, 1, 1, 0, 0, 1, 1, 0], [0, 1] * 5)
    figures = Logistic(formula="OUT ~ X + I(2*X + 1)").evaluate(rows)
    assert figures.status is Status.COLLINEAR
    assert figures.concerned == ("I(2 * X + 1)",)


def test_too_few_rows_are_said_to_be_so() -> None:
    figures = Logistic(formula="OUT ~ GROUP + X").evaluate(table([0, 1], [0, 1]))
    assert figures.status in (Status.TOO_FEW_ROWS, Status.VANISHED_LEVEL, Status.SEPARATED)
    assert np.isnan(figures.values).any()


def test_function_without_a_finite_value_fails_the_fit_only_where_somebody_has_it() -> None:
    output = Logistic(formula="OUT ~ log(X)")
    assert output.evaluate(table([0, 1, 1, 0, 1, 0], [0] * 6, [1, 2, 3, 4, 1, 3])).status is Status.OK
    assert output.evaluate(table([0, 1, 1, 0, 1, 0], [0] * 6, [0, 2, 3, 4, 1, 3])).status is Status.FAILED


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"formula": "MSTATUS ~ AGE"}, "formula: a response with two values is needed, 'MSTATUS' has 5"),
        ({"formula": "AGE ~ SEX"}, "'AGE' has 96"),
        ({"formula": "I(AGE / 2) ~ SEX"}, "a response of 0 and 1 is needed"),
        ({"formula": "TENURE ~ C(AREAP, Treatment(99))"}, "formula: .*has no value 99 to be the reference"),
        ({"formula": "TENURE ~ AGE + (SEX"}, "formula: cannot read .* at character 16"),
        ({"formula": "TENURE ~ SEX", "event": "Lodge"}, "event: 'TENURE' has no value 'Lodge'"),
    ],
    ids=["five values", "a number", "a function", "no such reference", "open bracket", "no such event"],
)
def test_logistic_rejects(fields: dict[str, str], message: str) -> None:
    with pytest.raises(OutputError, match=message):
        Logistic(**fields).check(CENSUS.schema)


def test_logistic_rejects_unknown_variable_with_the_nearest_name() -> None:
    with pytest.raises(UnknownVariableError, match=r"formula.*Did you mean 'SEX'"):
        Logistic(formula="TENURE ~ SEXX").check(CENSUS.schema)


def test_lowered_coefficients_are_exact_at_the_table_itself() -> None:
    output = Logistic(formula="TENURE ~ AGE*LTILL + C(AREAP)", where="AGE >= 16", weights="AGE")
    figures = output.evaluate(CENSUS)
    exact = dataclasses.replace(output.publish(figures, CENSUS.schema), values=figures.values)
    lowered = output.lower(CENSUS.schema, exact)
    assert figures.se is not None
    assert np.abs(lowered.residuals_at(CENSUS) / figures.se).max() < 1e-9
