"""Contributions to totals: by entity, with weights in three conventions, and the kernel against its obvious twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.contributions import Case
from divulge.contributions.case import N_LARGEST, Weighting
from divulge.kernels.largest import largest_by_group
from divulge.outputs.kinds.totals import Totals
from divulge.table import Table
from tests.reference.largest import largest_by_group as obvious
from tests.support.tables import small_table

# Handbook on SDC 2025, sampling weights: 100 stands for 4 contributors, 10 for 7.
WEIGHTED = small_table(v=[100, 10], w=[4, 7])


def case_of(table: Table, **more: Any) -> Case:
    weights = more.pop("weights", None)
    output = Totals(variables=("v",), compute=True, weights=weights)
    return Case(0, output, output.publish(output.evaluate(table), table.schema), table, **more)


@pytest.mark.parametrize(
    ("weighting", "top"), [("repeat", [100, 100, 100]), ("total", [100, 10, 0]), ("public", [400, 70, 0])]
)
def test_weights_count_in_three_ways(weighting: Weighting, top: list[float]) -> None:
    case = case_of(WEIGHTED, weights="w")
    found = case.contributions(case.behind[0], weighting)
    assert found.total.tolist() == [470]
    assert found.largest[0, :3].tolist() == top


def test_contributions_of_an_entity_are_summed_first() -> None:
    case = case_of(small_table(v=[5, -3, 4, 1], f=["A", "A", "B", "B"]), entity="f")
    found = case.contributions(case.behind[0])
    assert found.total.tolist() == [7]
    assert found.largest[0, :3].tolist() == [5, 2, 0]
    assert case.units(case.behind[0]).tolist() == [2]


def test_waived_contribution_is_among_the_others() -> None:
    case = case_of(small_table(v=[100, 50, 9], w=[1, 0, 0]), waiver="w")
    found = case.contributions(case.behind[0])
    assert found.protected.tolist() == [50]
    assert found.others[0, 0] == 100


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 9)), max_size=40), st.integers(1, 4))
def test_largest_are_those_of_sorting(rows: list[tuple[int, int]], n_largest: int) -> None:
    group = np.array([g for g, _ in rows], dtype=np.int64)
    value = np.array([v for _, v in rows], dtype=float)
    found = largest_by_group(group, value, 4, n_largest)
    assert found.tolist() == obvious(group, value, 4, n_largest)
    assert N_LARGEST >= 3
