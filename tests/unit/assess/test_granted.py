"""Earlier outputs that are granted: expected in proportion in every size of part, and light beside the outputs."""

from __future__ import annotations

import pytest

from divulge.assess.conduct import _task
from divulge.assess.recipe import LIGHT
from divulge.assess.splits.granted import granted_by_size
from divulge.designs import Folds, RepeatedHalves
from divulge.objective import Target
from tests.support.assessing import CROSSTAB, ready

SEX = {"kind": "crosstab", "variables": ["SEX"], "compute": True}
KNOWING = ready(CROSSTAB, earlier=[SEX], scenario={"knows": "earlier outputs"})
EARLIER = [Target(KNOWING.outputs[1], KNOWING.printed[1])]


def test_every_part_of_a_design_has_its_size() -> None:
    halves = RepeatedHalves(splits_wanted=10)
    odd = KNOWING.table.take(slice(0, 299))
    sizes = set(granted_by_size(EARLIER, odd, halves, 1))
    used = (*halves.splits(299, 1), *halves.curve_at(299, 1))
    assert {int(s.rows()[0].sum()) for s in used} | {299} == sizes
    assert set(granted_by_size(EARLIER, KNOWING.table, Folds(folds=3), 1)) == {200, 300}


def test_count_is_expected_in_proportion_and_counts_little() -> None:
    found = granted_by_size(EARLIER, KNOWING.table, Folds(folds=3), 1)
    assert found[300][0].released.values == pytest.approx(KNOWING.figures[1].values)
    assert found[200][0].released.values == pytest.approx(KNOWING.figures[1].values * 2 / 3, rel=0.1)
    assert found[200][0].output.weight == LIGHT


def test_earlier_outputs_are_granted_to_new_ones_alone_and_embedded_with_all() -> None:
    alone, together = (_task(KNOWING, indices, KNOWING.table) for indices in ((0,), (0, 1)))
    assert len(alone.recipe(dict(enumerate(KNOWING.printed[:1])), 300).earlier) == 1
    assert together.recipe(dict(enumerate(KNOWING.printed)), 300).earlier == ()
    assert "SEX" in alone.table.names


def test_nothing_is_granted_where_the_scenario_does_not_say_so() -> None:
    plain = ready(CROSSTAB, earlier=[SEX])
    assert _task(plain, (0,), plain.table).granted == {}
