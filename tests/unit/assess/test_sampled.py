"""Of many people whose rows must be searched for, suspects are looked at by themselves and the rest by a sample."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from divulge.assess import Plan, assess
from divulge.assess.arithmetic import work_out
from divulge.assess.sampled import Sample
from divulge.assess.statistics.sample_size import people_wanted, precision_of
from divulge.policy import Policy
from divulge.reports import Html
from divulge.table import Schema, Table, Variable
from tests.unit.assess.test_counted_pass import planned, record_of

_MEDIAN = {"kind": "position", "variables": ["PAY"], "by": ["AREA"], "decimals": 0, "compute": True}
_DESIGN = {"kind": "repeated-halves", "splits": 20, "stop_early": False, "curve": False}

_ROUGH = {"release_risk": 0.2, "refuse_risk": 0.3, "widest_interval": 0.2}
"""Five hundred people tell a marginal risk to 0.04: what may be released is more than that."""


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four thousand people are many, and five hundred tell of them."""
    monkeypatch.setattr(sys.modules["divulge.assess.plan"], "MANY", 4000)
    for name in ("divulge.assess.plan", "divulge.assess.sampled"):
        monkeypatch.setattr(sys.modules[name], "people_wanted", lambda policy, n_figures: 500)


def crowd(alone: bool = False, n: int = 4000) -> Table:
    """People of four areas with a wage; the first perhaps alone in a fifth area."""
    rng = np.random.default_rng(5)  # any seed will do: verdicts are clear
    area, pay = rng.integers(0, 4, n), rng.integers(0, 60, n)
    if alone:
        area[0] = 4
    areas = Variable("AREA", "categorical", np.array(list("abcde"), dtype=object))
    return Table(Schema((areas, Variable("PAY", "numeric", np.arange(60) * 1000))), (area, pay))


def plan_of(table: Table, output: dict[str, Any]) -> Plan:
    own = {**output, "empty": "allow"} if output is _MEDIAN else output
    return planned(table, own, design=_DESIGN, measures=["DCAP"])


def test_the_size_follows_from_the_precision_that_the_policy_asks_for() -> None:
    assert people_wanted(Policy(), 1) == 38_416
    assert precision_of(38_416) == pytest.approx(Policy().widest_interval / 4)
    assert people_wanted(Policy(widest_interval=0.04), 1) == 38_416 / 4
    assert people_wanted(Policy(), 200) == 80_000, "many figures learn more of each person"
    assert people_wanted(Policy(widest_interval=0.001), 1) == 250_000


@pytest.mark.parametrize("held", [False, True], ids=["rows", "condensed"])
def test_suspects_are_all_taken_and_nobody_else_is_called_exposed(held: bool) -> None:
    table = crowd(alone=True).condensed() if held else crowd(alone=True)
    ready = plan_of(table, _MEDIAN)
    assert ready.is_sampled
    assert (ready.table.people is not None) == held
    sample = Sample.of(ready, work_out(ready))
    assert sample.n_drawn == 500
    assert sample.suspects.sum() == sample.n_suspects == 1
    assert sample.power == 1.0
    (row,) = sample.row[sample.suspects]
    assert ready.table["AREA"][row] == 4


def test_every_group_has_people_in_the_sample() -> None:
    table = crowd()
    rare = Table(table.schema, (np.where(np.arange(4000) < 60, 4, table["AREA"]), table["PAY"]))
    ready = plan_of(rare, _MEDIAN)
    found = Sample.of(ready, work_out(ready)).table.frequencies("AREA")
    # Forty of sixty people, of whom seven would be drawn by chance.
    assert found[4] >= 40
    assert (found[:4] > 80).all()


@pytest.mark.slow
def test_the_record_says_who_was_looked_at_and_how_precisely_that_tells() -> None:
    found = record_of(plan_of(crowd(alone=True), _MEDIAN))
    assert found["sampled"]["people"] == 4000
    assert (found["sampled"]["drawn"], found["sampled"]["suspects"]) == (500, 1)
    assert found["sampled"]["precision"] == pytest.approx(precision_of(500))
    assert "row_by_row" not in found
    assert "condensed" not in found
    assert found["verdict"] == "refuse"
    assert found["exposure"]["exposed"] == 1
    for risk in found["risk"]:
        low, high = risk["marginal_risk"]["interval"]
        assert high - low >= 2 * precision_of(500), "the choice of people is in the interval"
    whole = plan_of(crowd(alone=True), _MEDIAN).printed[0].values.tolist()
    assert [cell["released"] for cell in found["outputs"][0]["values"]] == whole, "not the medians of the sample"
    html = Html().render(found)
    assert "who may be exposed in the whole" in (html if isinstance(html, str) else html.decode())


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False], ids=["somebody alone", "nobody alone"])
@pytest.mark.parametrize(
    "output",
    [_MEDIAN, {**_MEDIAN, "quantiles": [0.1, 0.9]}],
    ids=["medians", "deciles"],
)
def test_the_sample_says_what_all_rows_say(output: dict[str, Any], alone: bool) -> None:
    own = {**output, "empty": "allow"}
    for seed in (1, 2):
        sampled = planned(crowd(alone), own, design=_DESIGN, measures=["DCAP"], seed=seed, policy=_ROUGH)
        every = replace(sampled, why_rows="")
        assert sampled.is_sampled
        assert not every.is_sampled
        found, rows = assess(sampled, workers=1), assess(every, workers=1)
        assert found.verdict is rows.verdict
        assert np.array_equal(found.exposed, rows.exposed)
        for one, other in zip(found.record["risk"], rows.record["risk"], strict=True):
            low, high = one["marginal_risk"]["interval"]
            assert low <= other["marginal_risk"]["value"] <= high


def test_somebody_far_from_all_others_is_a_suspect() -> None:
    table = crowd()
    pay = Variable("PAY", "numeric", np.append(np.arange(60) * 1000, 50_000_000))
    far = Table(Schema((table.schema["AREA"], pay)), (table["AREA"], np.where(np.arange(4000) == 7, 60, table["PAY"])))
    model = {"kind": "gini", "variables": ["PAY"], "by": ["AREA"], "empty": "allow", "compute": True}
    ready = planned(far, model, design=_DESIGN, measures=["DCAP"])
    sample = Sample.of(ready, work_out(ready))
    assert 7 in sample.row[sample.suspects]


@pytest.mark.slow
def test_fine_numbers_are_put_near_where_they_are_and_those_of_suspects_stay() -> None:
    rng = np.random.default_rng(6)  # any seed will do
    pay = Variable("PAY", "numeric", np.arange(0, 1_000_000, 50))
    table = crowd(alone=True)
    fine = np.minimum(np.exp(rng.normal(10, 0.7, 4000)) // 50, 19_999).astype(np.int64)
    held = Table(Schema((table.schema["AREA"], pay)), (table["AREA"], fine))
    ready = plan_of(held, _MEDIAN)
    sample = Sample.of(ready, work_out(ready))
    drawn, before = sample.table, 50.0 * held["PAY"][sample.row]
    now = drawn.schema["PAY"].numbers[drawn["PAY"]]
    assert drawn.schema["PAY"].n_values <= 1001
    # Hits are told to a twentieth of the spread; a grid should not show in them.
    assert np.abs(now - before).max() < 0.05 * before.std()
    assert np.array_equal(now[sample.suspects], before[sample.suspects])


def test_few_people_and_rows_that_were_asked_for_are_not_sampled() -> None:
    assert not plan_of(crowd(n=900), _MEDIAN).is_sampled
    table = {"kind": "crosstab", "variables": ["AREA", "PAY"], "compute": True}
    assert not plan_of(crowd(), table).is_sampled
