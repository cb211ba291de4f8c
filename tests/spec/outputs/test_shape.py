"""Spread and shape of a few numbers."""

from __future__ import annotations

import math

import pytest

from divulge.errors import SpecError
from divulge.outputs import Status
from divulge.outputs.kinds.shape import Shape
from tests.spec.outputs.people import drawn, figures

NUMBERS = drawn("G X W\na 2 1\na 4 1\na 4 2\na 6 1\nb 7 1\nb 7 3\nc 1 1")


def test_standard_deviation_divides_by_one_less_than_the_number_of_rows() -> None:
    assert figures(Shape(variables=("X",), show=("sd", "variance"), where="G = a"), NUMBERS) == pytest.approx(
        {"sd X": math.sqrt(8 / 3), "variance X": 8 / 3}
    )


def test_population_formulas_divide_by_the_number_of_rows() -> None:
    found = figures(Shape(variables=("X",), show=("variance",), where="G = a", formulas="population"), NUMBERS)
    assert found == {"variance X": 2}


def test_weights_count_as_rows() -> None:
    # 2 4 4 4 6: mean 4, squares 4 + 4.
    found = figures(Shape(variables=("X",), show=("variance", "skewness"), where="G = a", weights="W"), NUMBERS)
    assert found == pytest.approx({"variance X": 2, "skewness X": 0})


def test_kurtosis_is_zero_for_a_normal_distribution_and_here_below() -> None:
    # 2 4 4 6: m2 = 2, m4 = 8, so 8 / 4 − 3.
    found = figures(Shape(variables=("X",), show=("kurtosis",), where="G = a", formulas="population"), NUMBERS)
    assert found == {"kurtosis X": -1}


def test_equal_numbers_have_no_shape() -> None:
    output = Shape(variables=("X",), show=("sd", "skewness"), where="G = b")
    found = output.evaluate(NUMBERS)
    assert found.values[0] == 0
    assert math.isnan(found.values[1])
    assert found.status is Status.CONSTANT


def test_one_row_has_no_standard_deviation() -> None:
    assert Shape(variables=("X",), where="G = c").evaluate(NUMBERS).status is Status.CONSTANT


def test_shape_rejects_nothing_to_show() -> None:
    with pytest.raises(SpecError, match="at least one"):
        Shape(variables=("X",), show=())
