"""t tests on tables of a few people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.t_test import TTest
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("PAY", "numeric", np.arange(0, 100, 10)),
        Variable("BEFORE", "numeric", np.arange(0, 100, 10), missing=(None,)),
        Variable("SEX", "categorical", np.array(["f", "m"])),
        Variable("AREA", "categorical", np.array(["n", "s", "w"])),
    )
)


def table(pay: list[int], before: list[int] | None = None, sex: list[int] | None = None) -> Table:
    n = len(pay)
    columns = (pay, before or [0] * n, sex or [0] * n, [0] * n)
    return Table(SCHEMA, tuple(np.array(c, dtype=np.uint8) for c in columns))


def test_one_sample_is_compared_with_a_number() -> None:
    # Mean 20, variance 100, so the standard error of three rows is 10 / √3; (20 − 10) / that is √3.
    figures = TTest(variable="PAY", mean=10).evaluate(table([1, 2, 3]))
    assert figures.values[:2] == pytest.approx([3**0.5, 2])
    # With two degrees of freedom P(|T| > t) = 1 − t / √(2 + t²).
    assert figures.values[2] == pytest.approx(1 - 3**0.5 / 5**0.5)


def test_first_group_less_second() -> None:
    # Women 10, 20, 30 (variance 100), men 50, 60 (variance 50): 20 − 55 over √(100/3 + 50/2).
    rows = table([1, 2, 3, 5, 6], sex=[0, 0, 0, 1, 1])
    welch, pooled = TTest(variable="PAY", by="SEX"), TTest(variable="PAY", by="SEX", equal=True)
    assert welch.evaluate(rows).values[0] == pytest.approx(-35 / (100 / 3 + 25) ** 0.5)
    assert welch.evaluate(rows).values[1] == pytest.approx((100 / 3 + 25) ** 2 / ((100 / 3) ** 2 / 2 + 25**2))
    # Pooled variance (200 + 50) / 3.
    assert pooled.evaluate(rows).values[:2] == pytest.approx([-35 / (250 / 3 * (1 / 3 + 1 / 2)) ** 0.5, 3])


def test_pairs_are_compared_row_by_row() -> None:
    # Differences 10, 20, 30; the fourth row has no number before.
    figures = TTest(variable="PAY", paired="BEFORE").evaluate(table([2, 4, 6, 9], before=[1, 2, 3, 10]))
    assert figures.values[:2] == pytest.approx([20 / (10 / 3**0.5), 2])


def test_numbers_that_do_not_vary_have_no_t() -> None:
    assert TTest(variable="PAY").evaluate(table([2, 2, 2])).status is Status.CONSTANT
    assert TTest(variable="PAY", by="SEX").evaluate(table([1, 2], sex=[0, 1])).status is Status.CONSTANT


def test_t_test_rejects() -> None:
    with pytest.raises(OutputError, match="by: a variable with two values is needed, 'AREA' has 3"):
        TTest(variable="PAY", by="AREA").check(SCHEMA)
    with pytest.raises(OutputError, match="variable: a variable of numbers is needed"):
        TTest(variable="SEX").check(SCHEMA)
    with pytest.raises(OutputError, match="exclude each other"):
        TTest(variable="PAY", by="SEX", paired="BEFORE")
    with pytest.raises(OutputError, match="compared with itself"):
        TTest(variable="PAY", paired="PAY")
