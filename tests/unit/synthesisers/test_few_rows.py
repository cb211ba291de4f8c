"""Few rows: what all combinations would find is found, and what is found is right."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.objective import Outcome
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.lowering.sizes import common_sizes
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.few_rows import Row, meet
from divulge.synthesisers.descent.printed_intervals import Box
from divulge.table import Schema, Table, Variable
from tests.support.objectives import objective_of


@given(seed=st.integers(0, 10**6))
def test_rows_meet_exactly_where_some_combination_fits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, n_figures = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    rows = []
    for _ in range(n_rows):
        shifts = rng.integers(-9, 10, (4, n_figures)) * 1.5
        rows.append(Row(rng.permutation(4), shifts))
    errors = rng.integers(-12, 13, n_figures) * 1.0
    found = meet(rows, errors, rng)
    # Sums are multiples of ½, so that the margin, a millionth, rules out those at ±1 alone.
    sums = [
        sum(row.shifts[k] for row, k in zip(rows, places, strict=True)) for places in product(range(4), repeat=n_rows)
    ]
    fits = [bool((np.abs(errors + s) < 1).all()) for s in sums]
    assert (found is not None) == any(fits)
    if found is not None:
        made = sum(row.shifts[row.codes.tolist().index(code)] for row, code in zip(rows, found, strict=True))
        assert (np.abs(errors + made) < 1).all()


@given(seed=st.integers(0, 10**6))
def test_narrowed_intervals_are_parts_of_the_printed_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    box = Box(rng.normal(0, 3, 4), rng.uniform(0.1, 2, 4), np.arange(4))
    narrow = box.narrowed(rng.normal(0, [1e-6, 0.1, 1.0, 100.0], (20, 4)))
    # Errors are from the middle, in half units: where now is, in the figures' own units, stays.
    middle = box.errors * box.half - narrow.errors * narrow.half
    assert (np.abs(middle) + narrow.half <= box.half * (1 + 1e-9)).all()
    inside = np.abs(box.errors) <= 1
    assert (np.abs(narrow.errors[inside]) <= 1 + 1e-9).all()


def test_sizes_of_two_means_of_the_same_people_are_common() -> None:
    assert common_sizes([np.array([3, 6, 9]), np.array([2, 4, 6, 8])]).tolist() == [6, 9]  # 9 > 8: above, all will do
    assert common_sizes([np.array([3]), np.array([], dtype=int)]).tolist() == [3]  # what no size can carry asks nothing


@pytest.mark.slow
def test_means_of_groups_of_two_are_met() -> None:
    rng = np.random.default_rng(5)  # any
    group = np.repeat(np.arange(4), [200, 5, 2, 2])
    values = tuple(int(v) for v in np.arange(15) ** 2)
    schema = Schema((Variable("group", "categorical", ("a", "b", "c", "d")), Variable("score", "numeric", values)))
    table = Table(schema, (group, rng.integers(0, 15, len(group))))
    output = Means(variables=("score",), by=("group",), decimals=2)
    found = Descent(seconds=300, start="model").embed(objective_of(table, output), table.n_rows, 1)
    assert found.outcome is Outcome.REPRODUCED


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])  # any
def test_coefficient_printed_as_nothing_does_not_lead_astray(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hours, level = rng.integers(0, 3000, 600), np.repeat([0, 1], [594, 6])
    y = rng.random(600) < 1 / (1 + np.exp(-(0.002 * (hours - 1500) + 0.5 * level)))
    schema = Schema(
        (
            Variable("hours", "numeric", tuple(range(3000))),
            Variable("level", "categorical", ("common", "rare")),
            Variable("y", "numeric", (0, 1)),
        )
    )
    table = Table(schema, (hours, level, y.astype(int)))
    # 0.002 per hour is printed as 0.00: half a unit is fifty standard errors.
    output = Logistic(formula="y ~ hours + C(level)", decimals=2)
    found = Descent(seconds=300, start="model").embed(objective_of(table, output), 600, seed)
    assert found.outcome is Outcome.REPRODUCED
