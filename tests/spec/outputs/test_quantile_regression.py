"""Quantile regression beside R's quantreg and statsmodels; of groups it is their quantiles."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.quantile_regression import QuantileRegression
from divulge.table import Table
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import CENSUS
from tests.support.tables import small_table


def engel() -> Table:
    """Income and expenditure on food of 235 Belgian households (Engel 1857)."""
    data = sm.datasets.engel.load_pandas().data
    return small_table(income=data["income"].tolist(), foodexp=data["foodexp"].tolist())


def test_of_groups_it_is_their_medians() -> None:
    table = small_table(y=[1, 2, 9, 4, 5, 30], g=["a", "a", "a", "b", "b", "b"])
    found = QuantileRegression(formula="y ~ g").evaluate(table)
    assert found.labels == ("Intercept", "g[T.b]")
    assert found.values == pytest.approx([2.0, 3.0])


def test_the_line_passes_through_two_people_and_one_far_away_does_not_move_it() -> None:
    lines = [
        QuantileRegression(formula="y ~ x").evaluate(small_table(y=[1, 2, 3, 4, far], x=[1, 2, 3, 4, 5])).values
        for far in (50, 5000)
    ]
    assert lines[0] == pytest.approx([0.0, 1.0])
    assert lines[1] == pytest.approx(lines[0])


@pytest.mark.parametrize("tau", [0.25, 0.5, 0.9])
@pytest.mark.parametrize("density", ["iid", "nid", "ker"])
def test_it_is_that_of_quantreg(tau: float, density: str) -> None:
    output = QuantileRegression(
        formula="foodexp ~ income",
        quantile=tau,
        density=density,  # type: ignore[arg-type]
        statistics=("se",),
    )
    found = output.evaluate(engel())
    values, errors = VALUES[f"quantile {tau:g} {density}"]
    assert found.values == pytest.approx(values, rel=1e-9)
    assert found.se == pytest.approx(errors, rel=1e-9)


@pytest.mark.parametrize(("tau", "density", "vcov"), [(0.5, "kernel", "robust"), (0.25, "kernel-iid", "iid")])
def test_it_is_that_of_statsmodels(tau: float, density: str, vcov: str) -> None:
    data = sm.datasets.engel.load_pandas().data
    theirs = smf.quantreg("foodexp ~ income", data).fit(q=tau, vcov=vcov)
    output = QuantileRegression(
        formula="foodexp ~ income",
        quantile=tau,
        density=density,  # type: ignore[arg-type]
        statistics=("se",),
    )
    found = output.evaluate(engel())
    # Theirs stops at changes of 1e-6.
    assert found.values == pytest.approx(theirs.params.to_numpy(), rel=1e-5)
    assert found.se == pytest.approx(theirs.bse.to_numpy(), rel=1e-6)


@pytest.mark.parametrize("density", ["kernel", "kernel-iid"])
def test_no_row_near_the_plane_leaves_no_standard_error(density: str) -> None:
    table = small_table(y=[52] * 13 + [0, 14, 32], x=list(range(16)))  # the quarters of its residuals are one
    output = QuantileRegression(formula="y ~ x", quantile=0.75, density=density, statistics=("se",))  # type: ignore[arg-type]
    assert np.isnan(output.evaluate(table).se).all()


def test_the_order_of_rows_and_their_repetition_change_nothing() -> None:
    output = QuantileRegression(formula="AGE ~ SEX + C(MSTATUS)", quantile=0.3)
    order = np.random.default_rng(1).permutation(CENSUS.n_rows)  # any order
    once = output.evaluate(CENSUS).values
    assert np.array_equal(output.evaluate(CENSUS.take(np.repeat(order, 3))).values, once)


def test_a_response_of_words_and_other_errors_are_refused() -> None:
    with pytest.raises(OutputError, match="numbers is needed"):
        QuantileRegression(formula="g ~ y").check(small_table(y=[1, 2], g=["a", "b"]).schema)
    with pytest.raises(OutputError, match="robust and clustered"):
        QuantileRegression(formula="AGE ~ SEX", errors="HC1")
    assert QuantileRegression(formula="AGE ~ SEX").evaluate(CENSUS.take(slice(0))).status is Status.EMPTY
