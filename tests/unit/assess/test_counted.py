"""Exposure from counts: as if each person were left out in turn; certainty in a small class counts by itself."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.assess import assess
from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.task import make_task
from divulge.assess.statistics.counted import count_exposures
from divulge.policy import Policy
from divulge.synthesisers import Descent
from divulge.table import Table
from tests.support.assessing import CROSSTAB, ready
from tests.support.tables import small_table


def _table(n_rows: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    return small_table(
        A=[int(a) for a in rng.integers(0, 9, n_rows)],
        B=[int(b) for b in rng.integers(0, 3, n_rows)],
        C=[int(c) for c in rng.integers(0, 2, n_rows)],
    )


@pytest.mark.parametrize("seed", range(5))
def test_counted_exposure_is_that_of_leaving_each_person_out(seed: int) -> None:
    table = _table(60, seed)
    plan = ready({"kind": "crosstab", "variables": ["A", "B", "C"], "compute": True}, table=table)
    task = make_task(plan.outputs, scenarios_for((), plan.outputs, table.schema), table, (), Descent(), 1)
    counted = count_exposures(task.lookups, plan.outputs, plan.printed, task.table, Policy())
    for lookup, found in zip(task.lookups, counted, strict=True):
        assert found is not None
        own, whole = lookup.cell_of_row, lookup.scores(lookup.counts(table))
        for person in range(table.n_rows):
            others = table.take(np.arange(table.n_rows) != person)
            without = lookup.scores(lookup.counts(others))[own[person]]
            assert found.exposures[person] == pytest.approx(whole[own[person]] - without)


@pytest.mark.parametrize(
    "change",
    [{"statistic": "percentages"}, {"threshold": 3}, {"base": 3}, {"where": "B < 2"}, {"weights": "A"}],
)
def test_what_is_no_exact_count_of_everybody_is_not_counted(change: dict[str, object]) -> None:
    plan = ready({"kind": "crosstab", "variables": ["A", "B", "C"], "compute": True, **change}, table=_table(60, 1))
    assert plan.outputs[0].counted_together(plan.table, plan.printed[0]) == ()


def test_crosstab_without_the_people_whose_value_is_missing_is_counted_too() -> None:
    area = ["x"] * 20 + ["y"] + [None] * 5  # somebody is alone in area y
    table = small_table(AREA=area, ILL=["yes"] * 10 + ["no"] * 10 + ["yes"] + ["no"] * 5)
    plan = ready({"kind": "crosstab", "variables": ["AREA", "ILL"], "compute": True}, table=table)
    task = make_task(plan.outputs, scenarios_for((), plan.outputs, table.schema), table, (), Descent(), 1)
    counted = count_exposures(task.lookups, plan.outputs, plan.printed, task.table, Policy())
    by_area = next(c for c, one in zip(counted, task.lookups, strict=True) if one.scenario.target == "ILL")
    assert by_area is not None
    assert np.flatnonzero(by_area.certain).tolist() == [20]
    assert (by_area.exposures[21:] == 0).all(), "who is in no cell changes no count"


def test_keys_outside_the_crosstab_are_not_counted() -> None:
    plan = ready(
        {"kind": "crosstab", "variables": ["A", "B"], "compute": True},
        table=_table(300, 1),
        scenario={"keys": ["A", "C"], "target": "B"},
    )
    scenarios = scenarios_for(plan.assessment.scenarios, plan.outputs, plan.table.schema)
    task = make_task(plan.outputs, scenarios, plan.table, (), Descent(), 1)
    assert [lookup.scenario.keys for lookup in task.lookups] == [("A", "C"), ("A",)]
    counted = count_exposures(task.lookups, plan.outputs, plan.printed, task.table, Policy())
    assert [one is not None for one in counted] == [False, True]


def _villages(size: int, n_villages: int) -> Table:
    """Small villages where everybody has the value that nearly all others have too."""
    rng = np.random.default_rng(3)
    small = [f"s{v}" for v in range(n_villages) for _ in range(size)]
    large = [f"v{v}" for v in rng.integers(0, 3, 500)]
    ill = ["no"] * len(small) + ["yes" if x else "no" for x in rng.random(500) < 0.18]
    return small_table(VILLAGE=[*small, *large], ILL=ill)


@pytest.mark.parametrize(("size", "verdict", "n_exposed"), [(1, "refuse", 5), (2, "refuse", 10), (12, "release", 0)])
def test_certainty_in_a_small_class_is_exposure_however_likely_the_value_was(
    size: int, verdict: str, n_exposed: int
) -> None:
    table = _villages(size, 5)
    output = {"kind": "crosstab", "variables": ["VILLAGE", "ILL"], "compute": True}
    found = assess(ready(output, table=table, scenario={"keys": ["VILLAGE"], "target": "ILL"}), workers=1)
    assert found.record["exposure"]["exposed"] == n_exposed
    if verdict == "refuse":
        assert found.verdict == verdict
        assert f"{n_exposed} people are exposed: a value of theirs is made certain" in found.record["reasons"][0]
        assert np.flatnonzero(found.exposed).tolist() == list(range(n_exposed))


def test_where_everybody_has_one_value_nothing_is_learnt() -> None:
    table = small_table(VILLAGE=["a", *["b"] * 99], ILL=["no"] * 100)
    output = {"kind": "crosstab", "variables": ["VILLAGE", "ILL"], "compute": True}
    found = assess(ready(output, table=table, scenario={"keys": ["VILLAGE"], "target": "ILL"}), workers=1)
    assert found.record["exposure"]["exposed"] == 0


def test_person_alone_is_found_with_the_fewest_splits() -> None:
    design = {"kind": "repeated-halves", "splits": 2, "curve": False}
    found = assess(ready(CROSSTAB, design=design), workers=1)
    assert (found.verdict, np.flatnonzero(found.exposed).tolist()) == ("refuse", [0])
    assert found.record["risk"][0]["at"] == "full size"
