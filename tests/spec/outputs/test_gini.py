"""Inequality of a few numbers."""

from __future__ import annotations

import math

import pytest

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.gini import Gini
from tests.spec.outputs.people import drawn, figures

NUMBERS = drawn("G X W\na 1 1\na 3 1\nb 5 2\nb 5 1\nc 0 1")


def test_of_two_people_with_1_and_3() -> None:
    # |1 − 3| twice, over 2 · 4 · 2.
    assert figures(Gini(variables=("X",), where="G = a"), NUMBERS) == {"X": 0.25}


def test_equal_shares_have_no_inequality_and_nothing_to_share_none_at_all() -> None:
    found = Gini(variables=("X",), by=("G",)).evaluate(NUMBERS)
    assert found.values[1] == pytest.approx(0)
    assert math.isnan(found.values[2])
    assert found.status is Status.CONSTANT


def test_gini_rejects_negative_values() -> None:
    with pytest.raises(OutputError, match="negative"):
        Gini(variables=("X",)).check(drawn("X\n-1\n2").schema)
