"""Digits that tell nobody apart, that hold more than rows have, and that no rows can have."""

from __future__ import annotations

from dataclasses import replace
from math import comb, log2

import numpy as np
import pytest

from divulge.demo import simulated_census
from divulge.outputs import Output
from divulge.outputs.digits import as_embedded, digits_of, less_until_told
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.lowering.influence import influence
from divulge.outputs.released.precision import Precision, printed
from divulge.table import Schema, Table, Variable

CENSUS = simulated_census(400)

SMOOTH: tuple[Output, ...] = (
    Means(variables=("AGE",), by=("SEX",), decimals=14),
    Shape(variables=("AGE",), by=("SEX",), decimals=14),
    Linear(formula="AGE ~ SEX + C(LTILL)", decimals=12),
    Logistic(formula="TENURE ~ AGE + SEX", decimals=12),
    Poisson(formula="ETHGROUP ~ AGE + SEX", decimals=12),
    Correlation(variables=("AGE", "ETHGROUP"), decimals=12),
    Crosstab(variables=("SEX", "TENURE"), statistic="row percentages", decimals=10),
)


def _released(output: Output, table: Table = CENSUS):  # type: ignore[no-untyped-def]
    return output.publish(output.evaluate(table), table.schema)


@pytest.mark.parametrize("output", SMOOTH, ids=lambda o: o.kind)
def test_what_a_row_moves_is_what_leaving_it_out_changes(output: Output) -> None:
    found = influence(output, _released(output), CENSUS)
    assert found is not None
    whole = output.evaluate(CENSUS).values
    for row in (0, 7, 123):
        rest = output.evaluate(CENSUS.take(np.delete(np.arange(CENSUS.n_rows), row))).values
        # First order: what is left is of the size of one row in a few hundred.
        assert (np.abs(whole - rest - found.moves[row]) <= 0.05 * np.abs(found.moves).max(axis=0)).all()


@pytest.mark.parametrize("output", SMOOTH, ids=lambda o: o.kind)
def test_digits_far_below_what_one_person_moves_are_left_out_of_the_search(output: Output) -> None:
    released = _released(output)
    digits = digits_of(output, released, CENSUS)
    assert digits.useful is not None
    fewer = as_embedded(released, digits.useful)
    found = influence(output, released, CENSUS)
    assert found is not None
    typical = found.typical()
    # Never so coarse that two people who differ by a fiftieth of the usual are not told apart.
    assert (2 * fewer.half <= typical / 50).all()
    # What the data give stays as printed.
    assert fewer.agrees(output.evaluate(CENSUS).values).all()
    assert any("digits far below what one person moves them by" in s for s in digits.sentences())


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_usual_digits_are_embedded_as_printed(decimals: int) -> None:
    output = Means(variables=("AGE",), by=("SEX",), decimals=decimals)
    assert digits_of(output, _released(output), CENSUS).useful is None


def test_counts_have_no_idle_digits() -> None:
    output = Crosstab(variables=("SEX", "TENURE"))
    assert digits_of(output, _released(output), CENSUS).useful is None


def _few(n: int, least: int = 0, most: int = 9) -> Table:
    schema = Schema((Variable("x", "numeric", np.arange(least, most + 1)),))
    return Table(schema, (np.arange(n) % (most - least + 1),))


def test_rows_have_as_many_bits_as_there_are_sets_of_them() -> None:
    output = Means(variables=("x",), decimals=1)
    group = digits_of(output, _released(output, _few(7)), _few(7)).groups[0]
    assert group.people == 7
    assert group.secret == pytest.approx(log2(comb(7 + 9, 7)))  # ten values, seven people


@pytest.mark.parametrize("statistic", ["proportions", "row percentages", "column percentages"])
def test_percentages_of_a_few_people_are_no_matter_of_digits(statistic: str) -> None:
    # One decimal tells which of 23 counts it is, as a table is there to tell.
    output = Crosstab(variables=("SEX", "TENURE"), statistic=statistic, decimals=1)  # type: ignore[arg-type]
    table = CENSUS.take(slice(22))
    assert list(digits_of(output, _released(output, table), table).sentences()) == []


def test_a_mean_of_few_printed_whole_holds_more_than_its_rows_have() -> None:
    output = Means(variables=("x",), decimals=14)
    digits = digits_of(output, _released(output, _few(7)), _few(7))
    assert any("More digits than data of this size can be told apart by" in s for s in digits.sentences())
    assert less_until_told(output, _released(output, _few(7)), _few(7), 14) in range(8, 15)


def test_a_mean_that_no_seven_whole_numbers_have_is_found_before_any_search() -> None:
    output = Means(variables=("x",), decimals=2)
    table = _few(7)
    label = output.labels(table.schema)
    for mean, is_possible in ((3.29, True), (3.14, True), (3.15, False), (3.00, True), (3.45, False)):
        released = printed(label, np.array([mean]), Precision(decimals=2))
        # The truth, by trying every total.
        assert is_possible == any(round(total / 7, 2) == mean for total in range(64))
        assert (not digits_of(output, released, table).no_sizes) == is_possible


def test_without_data_any_size_up_to_the_number_of_rows_will_do() -> None:
    output = Means(variables=("x",), decimals=2)
    released = printed(output.labels(_few(7).schema), np.array([3.45]), Precision(decimals=2))
    assert digits_of(output, released, _few(7), is_data=False).no_sizes
    assert not digits_of(output, released, _few(20), is_data=False).no_sizes  # 69 / 20


def test_what_is_withheld_stays_withheld() -> None:
    output = Means(variables=("AGE",), by=("SEX",), decimals=14)
    released = _released(output)
    hidden = replace(
        released,
        values=np.array([np.nan, released.values[1]]),
        low=np.array([20.0, released.low[1]]),
        high=np.array([50.0, released.high[1]]),
    )
    useful = digits_of(output, hidden, CENSUS).useful
    assert useful is not None
    fewer = as_embedded(hidden, useful)
    assert (fewer.low[0], fewer.high[0]) == (20.0, 50.0)
    assert np.isnan(fewer.values[0])
