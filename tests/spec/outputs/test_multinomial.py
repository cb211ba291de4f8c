"""Multinomial regression on tables of a few people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.outputs import Status
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("VOTE", "categorical", np.array(["red", "green", "blue"])),
        Variable("SEX", "categorical", np.array(["f", "m"])),
    )
)


def table(f: tuple[int, int, int], m: tuple[int, int, int]) -> Table:
    """So many votes for each party, by sex."""
    votes = np.repeat([0, 1, 2, 0, 1, 2], [*f, *m]).astype(np.uint8)
    return Table(SCHEMA, (votes, np.repeat([0, 1], [sum(f), sum(m)]).astype(np.uint8)))


@pytest.mark.slow
def test_coefficients_are_log_odds_against_the_first_value() -> None:
    figures = Multinomial(formula="VOTE ~ SEX").evaluate(table((2, 4, 8), (3, 3, 27)))
    assert figures.labels == (
        "VOTE=green & Intercept",
        "VOTE=green & SEX[T.m]",
        "VOTE=blue & Intercept",
        "VOTE=blue & SEX[T.m]",
    )
    assert figures.values == pytest.approx(np.log([2, 1 / 2, 4, 9 / 4]))


def test_value_that_nobody_has_vanishes() -> None:
    figures = Multinomial(formula="VOTE ~ SEX").evaluate(table((2, 4, 0), (3, 3, 0)))
    assert figures.status is Status.VANISHED_LEVEL
    assert figures.concerned == ("VOTE=blue & Intercept", "VOTE=blue & SEX[T.m]")
    assert figures.values[:2] == pytest.approx(np.log([2, 1 / 2]))


def test_value_that_no_man_has_separates() -> None:
    figures = Multinomial(formula="VOTE ~ SEX").evaluate(table((2, 4, 8), (3, 3, 0)))
    assert figures.status is Status.SEPARATED
    assert figures.concerned == ("VOTE=blue & SEX[T.m]",)


def test_response_with_two_values_gives_the_logistic_model() -> None:
    figures = Multinomial(formula="SEX ~ VOTE").evaluate(table((2, 4, 8), (3, 3, 27)))
    assert figures.values == pytest.approx(np.log([3 / 2, (3 / 4) / (3 / 2), (27 / 8) / (3 / 2)]))
