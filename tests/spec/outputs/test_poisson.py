"""Poisson regression on tables of a few people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.outputs import Status
from divulge.outputs.kinds.poisson import Poisson
from divulge.table import Schema, Table, Variable
from tests.spec.outputs.beside import FEW, agree_with_r

SCHEMA = Schema(
    (Variable("VISITS", "numeric", np.arange(8)), Variable("SEX", "categorical", np.array(["f", "m", "x"])))
)


def table(visits: list[int], sex: list[int]) -> Table:
    return Table(SCHEMA, (np.array(visits, dtype=np.uint8), np.array(sex, dtype=np.uint8)))


def test_coefficient_of_a_group_is_the_log_of_the_ratio_of_means() -> None:
    figures = Poisson(formula="VISITS ~ SEX", where="SEX in (f, m)").evaluate(table([1, 3, 5, 7, 7], [0, 0, 1, 1, 2]))
    assert figures.status is Status.VANISHED_LEVEL
    assert figures.values[:2] == pytest.approx(np.log([2, 3]))
    assert figures.se is not None
    # The variance of a log mean is one over the sum of counts: 4 and 12.
    assert figures.se[:2] == pytest.approx(np.sqrt([1 / 4, 1 / 4 + 1 / 12]))


def test_group_without_any_visit_separates() -> None:
    figures = Poisson(formula="VISITS ~ SEX").evaluate(table([1, 3, 5, 7, 0, 0], [0, 0, 1, 1, 2, 2]))
    assert figures.status is Status.SEPARATED
    assert figures.concerned == ("SEX[T.x]",)
    assert figures.values[:2] == pytest.approx(np.log([2, 3]))


def test_log_likelihood_of_a_constant_is_that_of_its_mean() -> None:
    figures = Poisson(formula="VISITS ~ 1", statistics=("r2", "loglik", "n")).evaluate(table([0, 1, 2], [0, 1, 2]))
    # The mean is 1: Σ y log 1 − 1 − log y!.
    assert figures.values == pytest.approx([0, 0, -3 - np.log(2), 3], abs=1e-12)


def test_large_counts_beside_small_ones_do_not_overflow() -> None:
    figures = Poisson(formula="VISITS ~ SEX").evaluate(table([0, 0, 0, 1, 7, 7, 7, 7], [0, 0, 0, 0, 1, 1, 2, 2]))
    assert figures.status is Status.OK
    assert figures.values == pytest.approx(np.log([0.25, 28, 28]))


def test_errors_with_a_dispersion_are_those_of_quasi_poisson_in_r() -> None:
    agree_with_r(Poisson(formula="AGE ~ SEX + TENURE", errors="quasi").evaluate(FEW), "quasi-poisson")
