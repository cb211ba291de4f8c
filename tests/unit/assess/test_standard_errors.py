"""How near is near enough for a test: standard errors of kinds that print none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from divulge.assess.splits.standard_errors import near_of
from divulge.objective import Target
from divulge.objective.reproduction import Reproduction
from divulge.outputs import Output
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.kinds.totals import Totals
from divulge.table import Table
from tests.support.tables import small_table

MEANS = Means(variables=("PAY",), by=("SEX",), decimals=6)


def _people(n: int = 400) -> Table:
    rng = np.random.default_rng(5)  # any
    sex = [int(i >= 9) for i in range(n)]  # nine of one, the others of the other
    return small_table(
        PAY=[int(p) for p in rng.integers(0, 900, n)], AGE=[int(a) for a in rng.integers(20, 90, n)], SEX=sex
    )


def _near(outputs: tuple[Output, ...], number: int, off: np.ndarray) -> list[bool]:
    """Whether figures that are off by so much are near."""
    people, output = _people(), outputs[number]
    figures = output.evaluate(people)
    released = output.publish(figures, people.schema)
    values = released.values + off
    target = Target(output, released)
    found = Reproduction(
        target, released.labels, released.values, values, released.agrees(values), figures.status, figures.se
    )
    return near_of(outputs, number, figures, found, people).tolist()


def _mean_errors() -> np.ndarray:
    pay, sex = (people[name] for people in [_people()] for name in ("PAY", "SEX"))
    numbers = _people().schema["PAY"].numbers[pay]
    return np.array([numbers[sex == s].std() / np.sqrt((sex == s).sum()) for s in (0, 1)])


def test_mean_is_near_within_a_twentieth_of_its_standard_error_where_ten_people_are_behind_it() -> None:
    assert _near((MEANS,), 0, 0.049 * _mean_errors()) == [False, True]
    assert _near((MEANS,), 0, 0.051 * _mean_errors()) == [False, False]
    assert _near((MEANS,), 0, np.zeros(2)) == [True, True]


def test_standard_deviation_and_correlation_are_near_in_theirs() -> None:
    people = _people()
    pay = people.schema["PAY"].numbers[people["PAY"]][people["SEX"] == 1]
    # The error of a standard deviation from the fourth moment (Kendall & Stuart 1977, 10.13).
    fourth, square = ((pay - pay.mean()) ** 4).mean(), pay.var()
    error = np.sqrt((fourth - square**2) / (4 * square * len(pay)))
    shape = Shape(variables=("PAY",), by=("SEX",), decimals=6)
    assert _near((shape,), 0, np.array([0.0, 0.048 * error])) == [True, True]  # n and n − 1 are told apart by 1 %
    assert _near((shape,), 0, np.array([0.0, 0.052 * error])) == [True, False]
    correlation = Correlation(variables=("PAY", "AGE"), decimals=6)
    assert _near((correlation,), 0, np.array([0.04 / np.sqrt(400)])) == [True]
    assert _near((correlation,), 0, np.array([0.1 / np.sqrt(400)])) == [False]


@pytest.mark.parametrize(
    "output",
    [
        Crosstab(variables=("SEX",)),
        Crosstab(variables=("SEX", "AGE"), statistic="row percentages", decimals=6),
        Totals(variables=("PAY",), by=("SEX",), decimals=0),
    ],
    ids=lambda output: output.describe(),
)
def test_count_or_total_is_never_near_without_being_as_printed(output: Output) -> None:
    n = len(output.evaluate(_people()).labels)
    off = np.zeros(n)
    off[-1] = 10 * output.precision().half_units(np.ones(1))[0]
    assert _near((output,), 0, off)[-1] is False


def test_two_means_of_the_same_numbers_have_to_be_as_printed_both() -> None:
    # All of them beside all but one: the difference is one person's number.
    both = (MEANS, replace(MEANS, by=(), where="AGE > 20"))
    assert _near(both, 0, 0.01 * _mean_errors()) == [False, False]
    assert _near((MEANS, replace(MEANS, variables=("AGE",))), 0, 0.01 * _mean_errors()) == [False, True]
