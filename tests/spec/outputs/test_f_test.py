"""F tests on tables of a few people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.f_test import FTest
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("PAY", "numeric", np.arange(0, 100, 10)),
        Variable("AREA", "categorical", np.array(["n", "s", "w"])),
        Variable("YEARS", "numeric", np.arange(6)),
    )
)


def table(pay: list[int], area: list[int], years: list[int] | None = None) -> Table:
    columns = (pay, area, years or [0] * len(pay))
    return Table(SCHEMA, tuple(np.array(c, dtype=np.uint8) for c in columns))


SIX = table([1, 3, 3, 5, 5, 7], [0, 0, 1, 1, 2, 2])


def test_analysis_of_variance_compares_between_with_within() -> None:
    # Means 20, 40, 60: between 2 · (20² + 0 + 20²) = 1600 on 2; within 6 · 10² = 600 on 3.
    figures = FTest(formula="PAY ~ AREA").evaluate(SIX)
    assert figures.labels == ("statistic", "df", "df residual", "p")
    assert figures.values[:3] == pytest.approx([800 / 200, 2, 3])
    # With two degrees of freedom above, P(F > f) = (1 + 2 f / 3)^(−3/2).
    assert figures.values[3] == pytest.approx((1 + 2 * 4 / 3) ** -1.5)


def test_level_that_nobody_has_costs_no_degree_of_freedom() -> None:
    figures = FTest(formula="PAY ~ AREA").evaluate(table([1, 3, 3, 5], [0, 0, 1, 1]))
    assert figures.status is Status.OK
    assert figures.values[:3] == pytest.approx([400 / (400 / 2), 1, 2])


def test_regression_f_is_its_t_squared() -> None:
    figures = FTest(formula="PAY ~ YEARS", show=("statistic",)).evaluate(table([1, 2, 2, 4], [0] * 4, [0, 1, 2, 3]))
    # Slope 9 with squared residuals 70: 9² · 5 / (70 / 2).
    assert figures.values == pytest.approx([81 * 5 / 35])


def test_perfect_fit_has_no_f() -> None:
    figures = FTest(formula="PAY ~ YEARS").evaluate(table([1, 2, 3], [0] * 3, [0, 1, 2]))
    assert figures.status is Status.CONSTANT


def test_f_test_rejects_a_model_without_intercept() -> None:
    with pytest.raises(OutputError, match="formula: an intercept and something else"):
        FTest(formula="PAY ~ 0 + YEARS").check(SCHEMA)
    with pytest.raises(OutputError, match="formula: an intercept and something else"):
        FTest(formula="PAY ~ 1").check(SCHEMA)
