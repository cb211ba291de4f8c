"""Everything printed is a figure: digits, standard errors and who made them are held against the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.means import Means
from divulge.outputs.released.computed import compute
from divulge.outputs.released.reading import read_released
from divulge.table import Table
from tests.support.tables import small_table

RNG = np.random.default_rng(24)  # any seed: errors whose spread grows with x, so that estimators differ
X = RNG.integers(0, 10, 300)
Y = np.round(2 + 0.5 * X + RNG.normal(size=300) * (1 + X), 1)


def _table() -> Table:
    return small_table(x=X.tolist(), y=Y.tolist())


def _released(errors: str, **fields: Any) -> Linear:
    """The model with figures as a program would print them."""
    made = Linear(formula="y ~ x", errors=errors, statistics=("se",), decimals=4, se_decimals=4)  # type: ignore[arg-type]
    found = made.evaluate(_table())
    assert found.se is not None
    released = {
        label: {"coef": f"{value:.4f}", "se": f"{se:.4f}"}
        for label, value, se in zip(found.labels, found.values, found.se, strict=True)
    }
    return Linear(formula="y ~ x", released=released, decimals=4, se_decimals=4, **fields)


@pytest.mark.parametrize("errors", ["model", "HC0", "HC1", "HC2", "HC3"])
def test_estimator_of_printed_standard_errors_is_found_and_named(errors: str) -> None:
    table = _table()
    output = _released(errors)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert vars(computed.output)["errors"] == errors
    assert computed.agrees is not None
    assert computed.agrees.all()
    assert ("standard errors" in computed.output.describe()) == (errors != "model")


def test_standard_error_that_no_estimator_gives_does_not_agree() -> None:
    table = _table()
    output = _released("model")
    assert isinstance(output.released, dict)
    wrong = {**output.released, "x": {**output.released["x"], "se": "0.9160"}}
    output = replace(output, released=wrong)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.tolist() == [True, False]


@pytest.mark.parametrize(
    ("released", "message"),
    [
        ({"y | x=0": 7.1, "y | x=1": 4.588}, "'y | x=1' is given as 4.588, with 3 decimals, but decimals says 1"),
        ({"y | x=0": "7.10", "y | x=1": 4.5}, None),
    ],
    ids=["more digits", "a trailing zero"],
)
def test_more_digits_than_decimals_says_are_an_error_that_shows_the_figure(
    released: dict[str, Any], message: str | None
) -> None:
    table = small_table(x=[0, 1] * 20, y=list(range(40)))
    output = Means(variables=("y",), by=("x",), released=released, decimals=1)
    if message is None:
        read_released(output, table.schema, None, table.n_rows)
        return
    with pytest.raises(OutputError) as caught:
        read_released(output, table.schema, None, table.n_rows)
    assert message in str(caught.value)
    assert "decimals: 3" in str(caught.value.hint)


def test_more_digits_of_a_standard_error_than_se_decimals_says_are_an_error() -> None:
    table = _table()
    output = replace(_released("model"), se_decimals=2)
    with pytest.raises(OutputError, match="the standard error of 'Intercept'"):
        read_released(output, table.schema, None, table.n_rows)
