"""The second look: who is looked at, who is left out together, and how surely somebody would have been found."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.assess import assess
from divulge.assess.arithmetic import work_out
from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.task import Task, make_task
from divulge.assess.statistics.exposure import _test_weights as weights_of
from divulge.assess.statistics.suspects import (
    MOST_NAMED,
    OUT_AT_ONCE,
    behind_figures,
    in_small_groups,
    leave_out,
    named_by_findings,
)
from divulge.designs import BLOCK
from divulge.synthesisers import Descent
from divulge.table import Table
from tests.support.assessing import REGRESSION, ready
from tests.support.tables import small_table

MEANS = {"kind": "means", "variables": ["INCOME"], "by": ["AREA"], "compute": True, "decimals": 0}


def _people() -> Table:
    """Two hundred people; two share an area, one is alone in another."""
    rng = np.random.default_rng(2)
    area = ["pair", "pair", "alone", *(f"a{a}" for a in rng.integers(0, 3, 197))]
    return small_table(AREA=area, INCOME=[int(x) for x in rng.integers(1, 90, 200)])


TABLE = _people()


def _task() -> Task:
    plan = ready(MEANS, table=TABLE, scenario={"keys": ["AREA"], "target": "INCOME"})
    scenarios = scenarios_for(plan.assessment.scenarios, plan.outputs, TABLE.schema)
    return make_task(plan.outputs, scenarios, TABLE, (), Descent(), 1)


def test_people_of_small_groups_are_looked_at_in_any_case() -> None:
    task = _task()
    assert np.flatnonzero(in_small_groups(task.outputs, task.table)).tolist() == [0, 1, 2]


def test_people_whom_rules_and_arithmetic_name_are_looked_at_and_the_fewest_come_first() -> None:
    rows = np.arange(1000)
    few, more, far_too_many = rows < 4, (rows >= 10) & (rows < 70), rows >= MOST_NAMED
    found = named_by_findings((far_too_many, more, few), 1000)
    assert (found == (few | more)).all()
    assert not named_by_findings((), 1000).any()


def test_people_behind_a_figure_are_those_of_its_group() -> None:
    task = _task()
    assert np.flatnonzero(behind_figures(task.outputs[0], ("INCOME | AREA=pair",), TABLE)).tolist() == [0, 1]
    assert not behind_figures(task.outputs[0], ("INCOME | AREA=nowhere",), TABLE).any()


def test_withheld_cell_that_follows_from_others_names_the_people_in_it() -> None:
    cells = {("p", "x"): 40, ("p", "y"): 30, ("q", "x"): 25, ("q", "y"): 7}
    pairs = [pair for pair, n in cells.items() for _ in range(n)]
    table = small_table(A=[a for a, _ in pairs], B=[b for _, b in pairs])
    output = {"kind": "crosstab", "variables": ["A", "B"], "threshold": 10, "margins": True, "compute": True}
    plan = ready(output, table=table)
    named = work_out(plan).named((0,), plan)
    assert [95, 96, 97, 98, 99, 100, 101] in [np.flatnonzero(people).tolist() for people in named]


def test_hardly_anybody_is_left_out_and_never_two_of_a_small_class() -> None:
    suspects = np.zeros(200, dtype=bool)
    suspects[:40] = True
    splits = leave_out(suspects, _task().lookups, 2 * BLOCK, 0, 1)
    out = np.array([s.rows()[1] for s in splits]).T
    assert not out[40:].any()
    assert out[:40].any(axis=1).all()
    assert (out.sum(axis=0) <= OUT_AT_ONCE * 200).all()
    assert not (out[0] & out[1]).any()
    assert len({s.run for s in splits}) == len(splits)


@pytest.mark.slow
def test_one_suspect_alone_is_out_for_half_of_each_block_at_random() -> None:
    suspects = np.arange(200) == 2
    out = np.array([[s.rows()[1][2] for s in leave_out(suspects, _task().lookups, BLOCK, 0, k)] for k in range(400)])
    assert (out.sum(axis=1) == BLOCK // 2).all()
    # Every split as often as any other: 200 of 400, within four standard deviations.
    assert (np.abs(out.sum(axis=0) - 200) < 40).all()


def test_weights_are_one_in_the_mean_and_those_most_likely_exposed_have_half() -> None:
    tested, first = np.arange(1000) < 800, np.arange(1000) < 10
    weights = weights_of(tested, first)
    assert weights[tested].mean() == pytest.approx(1.0)
    assert weights[first].sum() == pytest.approx(400)
    assert (weights_of(tested, None) == 1).all()
    assert (weights_of(first, first) == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize(("splits", "is_enough"), [(2, False), (4, False), (10, False), (30, True)])
def test_few_splits_have_no_power_and_are_never_released(splits: int, is_enough: bool) -> None:
    design = {"kind": "repeated-halves", "splits": splits, "curve": False, "stop_early": False}
    found = assess(ready(REGRESSION, design=design), workers=1)
    assert (found.record["exposure"]["power"] >= 0.9) == is_enough
    if not is_enough:
        assert found.verdict == "review"
        assert any("would have found them with a probability of" in reason for reason in found.record["reasons"])


@pytest.mark.slow
def test_person_alone_in_a_mean_is_exposed_at_full_size() -> None:
    design = {"kind": "repeated-halves", "splits": 20, "curve": False}
    plan = ready(MEANS, table=TABLE, scenario={"keys": ["AREA"], "target": "INCOME"}, design=design)
    found = assess(plan, workers=1)
    assert found.verdict == "refuse"
    assert found.exposed[2]
    assert found.results[0].scenarios[0].exposures[2] > plan.policy.delta
