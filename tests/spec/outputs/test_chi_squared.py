"""χ² tests on tables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs import Status, read_released
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("SEX", "categorical", np.array(["f", "m"])),
        Variable("VOTE", "categorical", np.array(["red", "green", "blue"])),
    )
)


def table(f: tuple[int, int, int], m: tuple[int, int, int]) -> Table:
    votes = np.repeat([0, 1, 2, 0, 1, 2], [*f, *m]).astype(np.uint8)
    return Table(SCHEMA, (np.repeat([0, 1], [sum(f), sum(m)]).astype(np.uint8), votes))


def test_statistic_adds_squared_differences_over_what_is_expected() -> None:
    # 10 of each sex, 10 of each of two colours: 5 are expected everywhere, 8 and 2 are there: 4 · 9 / 5.
    figures = ChiSquared(variables=("SEX", "VOTE")).evaluate(table((8, 2, 0), (2, 8, 0)))
    assert figures.labels == ("statistic", "df", "p")
    assert figures.values[:2] == pytest.approx([7.2, 1])
    # For one degree of freedom p is that of a normal √7.2 on both sides.
    assert figures.values[2] == pytest.approx(0.00729036, abs=1e-8)


def test_yates_takes_half_a_row_off_each_difference() -> None:
    figures = ChiSquared(variables=("SEX", "VOTE"), correction=True, show=("statistic",)).evaluate(
        table((8, 2, 0), (2, 8, 0))
    )
    assert figures.values == pytest.approx([4 * 2.5**2 / 5])


def test_values_that_nobody_has_cost_no_degree_of_freedom() -> None:
    output = ChiSquared(variables=("SEX", "VOTE"), show=("df",))
    assert output.evaluate(table((8, 2, 1), (2, 8, 1))).values == [2]
    assert output.evaluate(table((8, 2, 0), (2, 8, 0))).values == [1]


def test_one_sex_alone_has_no_test() -> None:
    figures = ChiSquared(variables=("SEX", "VOTE")).evaluate(table((8, 2, 1), (0, 0, 0)))
    assert figures.status is Status.CONSTANT


def test_p_value_may_be_released_as_below_something() -> None:
    released = read_released(
        ChiSquared(variables=("SEX", "VOTE"), released={"statistic": "7.200", "df": 1, "p": "<0.010"}), SCHEMA
    )
    assert released is not None
    assert released.agrees(np.array([7.2, 1, 0.00729])).all()
    assert not released.agrees(np.array([7.2, 1, 0.02])).all()


def test_chi_squared_rejects_what_cannot_be() -> None:
    with pytest.raises(OutputError, match="two different variables"):
        ChiSquared(variables=("SEX", "SEX"))
    with pytest.raises(OutputError, match="'p' is given as"):
        read_released(ChiSquared(variables=("SEX", "VOTE"), released=[1.0, 2, 1.2]), SCHEMA)
    with pytest.raises(OutputError, match="'df' is given as 3"):
        read_released(ChiSquared(variables=("SEX", "VOTE"), released=[1.0, 3, 0.5]), SCHEMA)
