"""Linear regression on tables of a few people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.linear import Linear
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("PAY", "numeric", np.arange(0, 50, 10), missing=(-1,)),
        Variable("SEX", "categorical", np.array(["f", "m"])),
        Variable("YEARS", "numeric", np.arange(5)),
        Variable("NAME", "categorical", np.array(["a", "b"])),
    )
)


def table(pay: list[int], sex: list[int], years: list[int]) -> Table:
    """Codes: pay in tens, 5 is missing."""
    columns = (pay, sex, years, [0] * len(pay))
    return Table(SCHEMA, tuple(np.array(c, dtype=np.uint8) for c in columns))


# Women earn 10 and 20, men 30 and 40.
FOUR = table([1, 2, 3, 4], [0, 0, 1, 1], [0, 1, 0, 1])


def test_coefficient_of_a_group_is_the_difference_of_means() -> None:
    figures = Linear(formula="PAY ~ SEX", statistics=("se", "r2", "n")).evaluate(FOUR)
    assert figures.labels == ("Intercept", "SEX[T.m]", "r2", "n")
    # Squared residuals are 4 · 25, those about the mean of 25 are 500; variance 100 / 2 = 50.
    assert figures.values == pytest.approx([15, 20, 0.8, 4])
    assert figures.se is not None
    assert figures.se[:2] == pytest.approx([5, 50**0.5])


def test_perfect_line_has_an_r2_of_1_and_no_standard_error() -> None:
    figures = Linear(formula="PAY ~ YEARS", statistics=("r2",)).evaluate(table([0, 1, 2, 3], [0] * 4, [0, 1, 2, 3]))
    assert figures.values == pytest.approx([0, 10, 1], abs=1e-12)
    assert figures.se is not None
    assert figures.se[:2] == pytest.approx([0, 0], abs=1e-6)


def test_row_with_a_missing_response_takes_no_part() -> None:
    rows = table([1, 2, 3, 4, 5], [0, 0, 1, 1, 1], [0, 1, 0, 1, 4])
    assert Linear(formula="PAY ~ SEX", statistics=("n",)).evaluate(rows).values == pytest.approx([15, 20, 4])


def test_weight_of_two_is_two_rows_for_the_coefficients() -> None:
    weighted = Linear(formula="PAY ~ SEX", weights="YEARS").evaluate(table([1, 2, 3, 4], [0, 0, 1, 1], [1, 2, 1, 1]))
    assert weighted.values == pytest.approx([50 / 3, 35 - 50 / 3])


def test_two_rows_and_two_coefficients_leave_no_variance() -> None:
    figures = Linear(formula="PAY ~ SEX").evaluate(table([1, 3], [0, 1], [0, 0]))
    assert figures.status is Status.TOO_FEW_ROWS
    assert figures.values == pytest.approx([10, 20])
    assert figures.se is not None
    assert np.isnan(figures.se).all()


def test_constant_response_has_no_r2() -> None:
    figures = Linear(formula="PAY ~ SEX", statistics=("r2",)).evaluate(table([2, 2, 2, 2], [0, 0, 1, 1], [0] * 4))
    assert figures.status is Status.CONSTANT
    assert figures.values[:2] == pytest.approx([20, 0], abs=1e-9)


def test_linear_rejects_a_response_that_is_no_number() -> None:
    with pytest.raises(OutputError, match="formula: a response of numbers is needed, 'NAME'"):
        Linear(formula="NAME ~ SEX").check(SCHEMA)
