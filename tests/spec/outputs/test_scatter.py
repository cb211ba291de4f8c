"""Counts on a grid of two variables, by eye and beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs.kinds.scatter import Scatter
from tests.spec.outputs.beside import CENSUS, frame
from tests.spec.outputs.people import PEOPLE, figures

PLOT = Scatter(x="AGE", y="PAY", x_breaks=(20, 40, 60), y_breaks=(0, 30, 100), margins=True)


def test_rectangles_and_margins_count_the_rows_inside_both() -> None:
    assert figures(PLOT, PEOPLE) == {
        "AGE [20,40) & PAY [0,30)": 2,
        "AGE [20,40) & PAY [30,100]": 1,
        "AGE [40,60] & PAY [0,30)": 0,
        "AGE [40,60] & PAY [30,100]": 3,
        "AGE [20,40)": 3,
        "AGE [40,60]": 3,
        "PAY [0,30)": 2,
        "PAY [30,100]": 4,
    }


def test_grid_has_y_upwards() -> None:
    grid = PLOT.grid(PEOPLE.schema)
    assert [row[0] for row in grid.rows] == ["[30,100]", "[0,30)", "Total"]
    assert grid.cells == ((1, 3, 7), (0, 2, 6), (4, 5, None))


def test_counts_are_those_of_numpy() -> None:
    data = frame()
    bins = [[0, 20, 50, 96], [1, 2, 4, 5]]
    theirs = np.histogram2d(data["AGE"], data["MSTATUS"].astype(float), bins=bins)[0]
    ours = Scatter(x="AGE", y="MSTATUS", x_breaks=tuple(bins[0]), y_breaks=tuple(bins[1])).evaluate(CENSUS)
    assert ours.values.tolist() == theirs.ravel().tolist()


def test_intervals_that_no_value_lies_in_are_counted_as_nothing() -> None:
    wide = Scatter(x="AGE", y="PAY", x_breaks=(0, 100, 200), y_breaks=(0, 500, 900))
    released = wide.publish(wide.evaluate(PEOPLE), PEOPLE.schema)
    assert wide.lower(PEOPLE.schema, released).residuals_at(PEOPLE).tolist() == [0, 0, 0, 0]
    assert released.values.tolist() == [6, 0, 0, 0]


def test_one_variable_twice_is_refused() -> None:
    with pytest.raises(OutputError, match="two different"):
        Scatter(x="AGE", y="AGE", x_breaks=(0, 1), y_breaks=(0, 1))
