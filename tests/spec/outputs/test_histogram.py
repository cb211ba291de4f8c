"""Histograms of a few people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs.kinds.histogram import Histogram
from divulge.table import Schema, Table, Variable

SCHEMA = Schema((Variable("AGE", "numeric", np.arange(0, 41)),))
TABLE = Table(SCHEMA, (np.array([0, 5, 10, 10, 19, 20, 30, 40], dtype=np.uint8),))


def test_intervals_are_closed_on_the_left_and_the_last_on_both_sides() -> None:
    found = Histogram(variable="AGE", breaks=(0, 10, 20, 30)).evaluate(TABLE)
    assert found.labels == ("AGE [0,10)", "AGE [10,20)", "AGE [20,30]")
    assert (
        found.values.tolist() == np.histogram([0, 5, 10, 10, 19, 20, 30, 40], [0, 10, 20, 30])[0].tolist() == [2, 3, 2]
    )


def test_intervals_may_be_closed_on_the_right_as_in_r() -> None:
    found = Histogram(variable="AGE", breaks=(0, 10, 20, 30), closed="right").evaluate(TABLE)
    assert found.labels == ("AGE [0,10]", "AGE (10,20]", "AGE (20,30]")
    assert found.values.tolist() == [4, 2, 1]


def test_breaks_ascend() -> None:
    with pytest.raises(OutputError, match="ascending"):
        Histogram(variable="AGE", breaks=(0, 10, 10))
