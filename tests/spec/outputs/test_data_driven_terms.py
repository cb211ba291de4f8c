"""Splines and polynomials whose columns depend on the rows beside R, in every kind of model: each once computed them as
if all values were as frequent as each other, but in linear, logistic and Poisson regressions."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.outputs.kinds.anova import Anova
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.kinds.fixed_effects import FixedEffects
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.kinds.quantile_regression import QuantileRegression
from divulge.table import Table, table_from_frame
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import FEW, agree_with_r, small_frame
from tests.spec.outputs.people import figures


def numbered() -> Table:
    return table_from_frame(small_frame()[["AGE", "SEX", "STATUS", "HOME", "ILL", "AREAP"]])


@pytest.mark.parametrize("basis", ["ns(AGE, 4)", "bs(AGE, df=5)"])
def test_splines_of_a_probit_model_have_their_knots_where_the_rows_are(basis: str) -> None:
    output = Probit(formula=f"TENURE ~ {basis} + SEX", information="expected")
    agree_with_r(output.evaluate(FEW), f"probit {basis[:2]}")


def test_polynomials_of_a_cox_model_are_orthogonal_over_the_rows() -> None:
    output = Cox(formula="AGE ~ poly(STATUS, 2) + SEX", event="ILL", observed="1")
    agree_with_r(output.evaluate(numbered()), "cox poly")


def test_natural_splines_with_given_knots_are_those_of_r() -> None:
    # R's order of an interaction's columns is ours.
    agree_with_r(Linear(formula="STATUS ~ ns(AGE, knots=[20, 45]) * C(SEX)").evaluate(numbered()), "linear ns")


def test_natural_splines_are_straight_beyond_the_rows() -> None:
    values, _ = VALUES["linear ns"]
    assert len(values) == 8
    table = numbered()
    schema = table.schema
    output = Linear(formula="STATUS ~ ns(AGE, 3)", where="AGE >= 20 and AGE <= 60")
    model = output.model_in(table)
    (term,) = [t for t in model.design.terms if t.variables and t.index.max() == 3]
    numbers, column = schema["AGE"].numbers, term.factors[0]
    assert column is not None
    beyond = np.flatnonzero(numbers > 60)[:3]
    steps = np.diff(column[beyond]) / np.diff(numbers[beyond])
    assert steps[0] == pytest.approx(steps[1])


def test_absorbed_effects_and_quantiles_know_the_rows_too() -> None:
    data, table = small_frame(), numbered()
    # A centred covariate has the coefficient of the covariate itself; its square does not.
    shifted = data.assign(OFF=(data["AGE"] - data["AGE"].mean()) ** 2)
    theirs = smf.ols("STATUS ~ AGE + OFF + C(AREAP)", shifted).fit().params[["AGE", "OFF"]]
    ours = FixedEffects(formula="STATUS ~ AGE + I(center(AGE)**2)", absorb="AREAP").evaluate(table).values
    assert ours == pytest.approx(theirs.to_numpy(), rel=1e-6)
    centre = figures(QuantileRegression(formula="AGE ~ center(STATUS)"), table)
    plain = figures(QuantileRegression(formula="AGE ~ STATUS"), table)
    assert centre["Intercept"] == pytest.approx(plain["Intercept"] + plain["STATUS"] * data["STATUS"].mean())


def test_analysis_of_variance_of_splines_is_that_of_its_linear_models() -> None:
    found = figures(Anova(formula="STATUS ~ SEX + ns(AGE, 4)", show=("df", "sum sq")), numbered())
    left = figures(Linear(formula="STATUS ~ SEX + ns(AGE, 4)", statistics=("r2",)), numbered())
    total = sum(value for name, value in found.items() if name.startswith("sum sq"))
    assert found["sum sq | Residual"] == pytest.approx((1.0 - left["r2"]) * total)
