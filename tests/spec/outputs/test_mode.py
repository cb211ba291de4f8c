"""The most frequent values of seven people."""

from __future__ import annotations

import pytest

from divulge.errors import OutputError
from divulge.outputs import read_released
from divulge.outputs.kinds.mode import Mode
from tests.spec.outputs.people import PEOPLE, figures


def test_mode_of_numbers_is_the_number() -> None:
    assert figures(Mode(variables=("AGE",), by=("AREA",)), PEOPLE) == {"AGE | AREA=n": 20, "AGE | AREA=s": 60}


def test_mode_of_categories_is_their_place_with_the_text_beside() -> None:
    found = Mode(variables=("SEX", "AREA")).evaluate(PEOPLE)
    assert found.values.tolist() == [1, 2]
    assert found.texts == ("f", "s")


def test_of_equally_frequent_values_the_first_counts() -> None:
    assert figures(Mode(variables=("AGE",), where="SEX = f"), PEOPLE) == {"AGE": 20}


def test_weights_decide() -> None:
    assert figures(Mode(variables=("SEX",), weights="W"), PEOPLE) == {"SEX": 1}
    assert figures(Mode(variables=("SEX",), weights="W", where="AREA = s"), PEOPLE) == {"SEX": 2}


def test_released_mode_may_be_given_as_text() -> None:
    output = Mode(variables=("SEX",), released={"SEX": "m"})
    released = read_released(output, PEOPLE.schema)
    assert released is not None
    assert released.values.tolist() == [2]


def test_mode_rejects_a_number_that_is_no_value() -> None:
    with pytest.raises(OutputError, match="'AGE' is given as 21, no value of 'AGE'"):
        read_released(Mode(variables=("AGE",), released={"AGE": 21}), PEOPLE.schema)
