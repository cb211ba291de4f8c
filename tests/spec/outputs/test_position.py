"""Quantiles that can be counted off, and how a printed one is recognised in other tables."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs.kinds.position import Position
from divulge.table import Table
from tests.spec.outputs.people import PEOPLE, drawn, figures


def test_median_lies_half_way_between_two_middle_values() -> None:
    found = figures(Position(variables=("AGE",), by=("SEX",)), PEOPLE)
    assert found == {"median AGE | SEX=f": 35, "median AGE | SEX=m": 60}


def test_quartiles_interpolate_and_their_distance_is_shown() -> None:
    # 10 20 30 40 60 100: h = 5 · 0.25 = 1.25, so 20 + 0.25 · 10; and 3.75, so 40 + 0.75 · 20.
    found = figures(Position(variables=("PAY",), quantiles=(0.25, 0.75), iqr=True), PEOPLE)
    assert found == {"p25 PAY": 22.5, "p75 PAY": 55, "IQR PAY": 32.5}


def test_weighted_median_is_a_value_that_occurs() -> None:
    # Weights 1 1 2 1 3 1 in the order of pay: half of 9 is reached at 40.
    assert figures(Position(variables=("PAY",), weights="W"), PEOPLE) == {"median PAY": 40}


def of(values: list[int], table: Table) -> Table:
    codes = [int(np.flatnonzero(table.schema["X"].values == v)[0]) for v in values]
    return Table(table.schema, (np.array(codes, dtype=np.uint8),))


GRID = drawn("X\n" + "\n".join(map(str, range(1, 10))))
"""The possible values 1 … 9."""


@pytest.mark.parametrize(
    ("released", "other", "is_reproduced"),
    [
        ([1, 3, 4, 9], [2, 3, 4, 5], True),  # 3.5 = (3 + 4) / 2
        ([1, 3, 4, 9], [1, 2, 5, 5], True),  # (2 + 5) / 2, from values farther apart
        ([1, 3, 4, 9], [3, 3, 4, 4, 4], False),  # with an odd number of rows no median is 3.5
        ([1, 3, 4, 9], [3, 3, 3, 4], False),
        ([1, 3, 4, 9], [3, 3, 4, 4, 4, 1], True),
        ([2, 4, 6, 8], [5, 5, 5], True),  # 5 itself, though nobody had it
        ([2, 4, 6, 8], [4, 4, 6, 6], True),
        ([2, 4, 6, 8], [4, 5, 6, 6], False),
        ([7], [7, 7, 7], True),
        ([7], [7, 7, 8, 8], False),
    ],
)
def test_printed_median_is_recognised_however_it_came_about(
    released: list[int], other: list[int], is_reproduced: bool
) -> None:
    output = Position(variables=("X",), decimals=1)
    printed = output.publish(output.evaluate(of(released, GRID)), GRID.schema)
    lowered = output.lower(GRID.schema, printed)
    residuals = lowered.residuals_at(of(other, GRID))
    assert bool(((residuals >= lowered.low) & (residuals <= lowered.high)).all()) is is_reproduced


def test_median_rounded_to_whole_numbers_may_be_any_that_rounds_to_it() -> None:
    output = Position(variables=("X",), decimals=0)
    printed = output.publish(output.evaluate(of([3, 4], GRID)), GRID.schema)  # 3.5 is printed as 4
    assert printed.values.tolist() == [4]
    lowered = output.lower(GRID.schema, printed)
    for values in ([3, 4], [4, 4], [4, 5], [4]):
        residuals = lowered.residuals_at(of(values, GRID))
        assert ((residuals >= lowered.low) & (residuals <= lowered.high)).all(), values


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"quantiles": (50.0,)}, "between 0 and 1 is needed, 50"),
        ({"quantiles": ()}, "at least one quantile"),
        ({"quantiles": (0.5, 0.5)}, "named twice"),
    ],
)
def test_position_rejects(fields: dict[str, tuple[float, ...]], message: str) -> None:
    with pytest.raises(OutputError, match=message):
        Position(variables=("AGE",), **fields)  # type: ignore[arg-type]
