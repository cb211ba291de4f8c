"""Keys as numbers: what is unseen in the synthetic rows, missing, or constant."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.measures.attackers.features import for_linear, for_trees
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("a", "categorical", np.array(["w", "x", "y", "z"], dtype=object)),
        Variable("b", "numeric", np.array([10, 20, 30]), missing=(None,)),
        Variable("c", "categorical", np.array(["low", "mid", "high"], dtype=object), is_ordered=True),
    )
)


def rows(*codes: tuple[int, int, int]) -> Table:
    return Table(SCHEMA, tuple(np.array(c) for c in zip(*codes, strict=True)))


def test_nominal_levels_are_ordered_by_the_response_and_ordered_ones_are_not() -> None:
    table = rows((0, 0, 2), (1, 1, 1), (2, 2, 0))
    features = for_trees(table, ("a", "c"), np.array([5.0, 1.0, 3.0]), 0)
    columns = features.of(table)
    assert np.argsort(columns[:, 0]).tolist() == [1, 2, 0]
    assert columns[:, 1].tolist() == [2.0, 1.0, 0.0]


def test_unseen_level_stands_in_the_middle() -> None:
    table = rows((0, 0, 0), (1, 0, 0))
    ranks = for_trees(table, ("a",), np.array([0.0, 10.0]), 0).lookups[0][:, 0]
    assert ranks[0] < ranks[2] < ranks[1]
    assert ranks[0] < ranks[3] < ranks[1]


def test_missing_number_is_the_mean_and_has_a_column_of_its_own() -> None:
    table = rows((0, 0, 0), (0, 2, 0), (0, 3, 0))
    columns = for_trees(table, ("b",), np.array([0, 1, 0]), 2).of(table)
    assert columns.tolist() == [[10.0, 0.0], [30.0, 0.0], [20.0, 1.0]]


def test_linear_columns_are_standardised_and_leave_out_the_most_frequent_level() -> None:
    table = rows((0, 0, 0), (0, 2, 0), (1, 2, 0))
    features = for_linear(table, ("a", "b", "c"))
    columns = features.of(table)
    assert columns.shape == (3, 2)
    assert columns[:, 0].tolist() == [0.0, 0.0, 1.0]
    assert columns[:, 1].mean() == pytest.approx(0.0)
    assert columns[:, 1].std() == pytest.approx(1.0)
    unseen = features.of(rows((3, 1, 2)))
    assert unseen[0, 0] == 0.0


def test_constant_number_is_all_zeros() -> None:
    table = rows((0, 1, 0), (1, 1, 0))
    assert for_linear(table, ("b",)).of(table).tolist() == [[0.0], [0.0]]
