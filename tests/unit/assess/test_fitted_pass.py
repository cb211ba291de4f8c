"""Several tables, rounded and withheld ones, of condensed people: what is said is what is said row by row."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import Candidate, assess
from divulge.assess.fitted import work
from divulge.assess.fitted.work import why_not_fitted
from divulge.assess.statistics.left_out import left_out_parts
from divulge.spec import Inputs, parse_spec
from divulge.table import Table
from tests.support.tables import small_table
from tests.unit.assess.test_counted_pass import planned, record_of

_PAIRS = (["AREA", "SEX"], ["SEX", "ILL"], ["AREA", "JOB"])


def crowd(n_rows: int = 500, alone: bool = True) -> Table:
    """People of four areas, one of them perhaps alone in a fifth."""
    rng = np.random.default_rng(3)  # any seed will do: verdicts are clear
    area, sex, job = rng.integers(1, 5, n_rows), rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows)
    ill = (rng.random(n_rows) < 0.2 + 0.1 * sex).astype(int) + (area == 2)
    areas = [str(a) for a in area]
    return small_table(
        AREA=["9", *areas[1:]] if alone else areas,
        SEX=[int(s) for s in sex],
        ILL=["xyz"[i] for i in ill],
        JOB=[f"j{j}" for j in job],
    )


def tables(**given: Any) -> list[dict[str, Any]]:
    return [{"kind": "crosstab", "variables": names, "compute": True, **given} for names in _PAIRS]


def record(table: Table, *outputs: dict[str, Any], **given: Any) -> dict[str, Any]:
    design = {"kind": "repeated-halves", "splits": 20, "stop_early": False, "curve": False}
    return record_of(planned(table, *outputs, design=design, measures=["DCAP"], **given))


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{}, {"base": 5}, {"threshold": 10}], ids=["exact", "rounded", "withheld"])
def test_the_answers_are_those_of_the_rows(changed: dict[str, Any]) -> None:
    rows = crowd()
    by_row, by_people = (record(t, *tables(**changed)) for t in (rows, rows.condensed()))
    assert by_people["condensed"]["risk"] == "expected"
    for part in ("verdict", "rules", "rows", "policy"):
        assert by_people[part] == by_row[part], part
    assert by_people["exposure"]["exposed"] == by_row["exposure"]["exposed"]
    assert by_people["exposure"]["power"] == 1.0
    for one, other in zip(by_people["risk"], by_row["risk"], strict=True):
        assert one["scenario"] == other["scenario"]
        risk, theirs = one["marginal_risk"], other["marginal_risk"]
        # Of look-ups by more and by fewer keys the riskier counts, and where two are near each other that may differ.
        if one["at"] == other["at"]:
            # Intervals of 95 %, of halves that were drawn apart, and of searches that add noise of their own.
            assert risk["interval"][0] <= theirs["interval"][1] + 0.001
            assert theirs["interval"][0] <= risk["interval"][1] + 0.001
        assert one["measures"]["DCAP"]["original"] == pytest.approx(other["measures"]["DCAP"]["original"], abs=0.03)
    for one, other in zip(by_people["outputs"], by_row["outputs"], strict=True):
        for part in ("verdict", "exposed", "figures", "rules"):
            assert one[part] == other[part], part
        assert one["reproduced"] == one["figures"]


@pytest.mark.slow
def test_somebody_whom_two_tables_give_away_is_found_though_their_cells_are_withheld() -> None:
    held = crowd().condensed()
    by_tables = record(held, *tables(threshold=10))
    assert by_tables["exposure"]["exposed"] == 1
    assert by_tables["emergent"]["exposed"] == 1
    assert record(held, tables(threshold=10)[0])["exposure"]["exposed"] == 0
    nobody = record(crowd(alone=False).condensed(), *tables(threshold=10))
    assert nobody["exposure"]["exposed"] == 0


@pytest.mark.slow
def test_the_record_is_the_same_however_many_workers_there_are() -> None:
    ready = planned(crowd().condensed(), *tables(base=5), measures=["DCAP"])
    found = [assess(ready, workers=workers).record for workers in (1, 3)]
    for one in found:
        one.pop("timings")
        one["audit"] = {k: v for k, v in one["audit"].items() if k != "seconds"}
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_screen_and_a_report_say_how_it_was_worked_out() -> None:
    from divulge.reports import Html

    ready = planned(crowd().condensed(), *tables()[:2], measures=["DCAP"])
    html = Html().render(assess(ready, workers=1).record)
    text = html if isinstance(html, str) else html.decode()
    assert "an intruder expects from the counts" in text
    assert "risk and exposure are exact" not in text


def test_more_possible_combinations_than_fit_go_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    held = crowd().condensed()
    assert planned(held, *tables()).table.people is not None
    monkeypatch.setattr(work, "LARGEST", 20)
    assert planned(held, *tables()).table.people is None


def test_quantiles_go_row_by_row() -> None:
    median = {"kind": "position", "variables": ["SEX"], "by": ["AREA"], "compute": True}
    held = crowd().condensed()
    assert planned(held, *tables(), median).table.people is None
    ready = planned(held, *tables())
    assert not why_not_fitted(ready.outputs, ready.printed, ready.scenarios((0, 1, 2)), held.schema)
    assert why_not_fitted(ready.outputs, ready.printed, [_without_keys()], held.schema) == "a scenario has no keys"


def _without_keys() -> Any:
    from divulge.scenario import Scenario

    return Scenario((), "ILL")


def test_no_two_of_a_small_group_are_left_out_together() -> None:
    group, sizes = np.array([0, 0, 0, 1, 1, -1]), np.array([3, 60])
    parts = left_out_parts(np.arange(6), [(group, sizes)], [])
    assert sorted(i for part in parts for i in part.tolist()) == list(range(6))
    for part in parts:
        assert (group[part] == 0).sum() <= 1
        assert (group[part] == 1).sum() <= 3


@pytest.mark.slow
def test_somebody_in_everybody_less_some_is_found_however_many_people_there_are() -> None:
    table = {"kind": "crosstab", "variables": ["SEX", "ILL"], "compute": True}
    rows, pair = crowd(), (table, {**table, "where": "AREA != 9"})
    held = rows.condensed()
    assert held.people is not None
    # A thousand of everybody but of the one who is alone.
    alone = held["AREA"] == held.schema["AREA"].texts.index("9")
    many = Table(held.schema, held.columns, np.where(alone, 1, 1000 * held.people))
    by_row, by_people, by_many = (record(t, *pair) for t in (rows, held, many))
    for found in (by_people, by_many):
        assert found["condensed"]["risk"] == "expected"
        assert found["verdict"] == by_row["verdict"] == "refuse"
        assert found["emergent"]["exposed"] == by_row["emergent"]["exposed"] == 1
        assert all(o["reproduced"] == o["figures"] for o in found["outputs"])


def test_tables_of_different_parts_of_the_people_go_row_by_row() -> None:
    # One less the other is a count of few, which scaling would see ever later the more people there are.
    table = {"kind": "crosstab", "variables": ["SEX", "ILL"], "compute": True}
    held = crowd().condensed()
    assert planned(held, {**table, "where": "AREA != 4"}, {**table, "where": "AREA != 9"}).table.people is None
    assert planned(held, {**table, "where": "AREA != 9"}).table.people is not None
    assert planned(held, table, {**table, "where": "AREA != 9", "threshold": 10}).table.people is None
    coarse = {**table, "coarser": {"ILL": {"merge": [["x", "y"]]}}}
    assert planned(held, tables()[0], coarse).table.people is None
    assert planned(held, coarse).table.people is not None


def test_withheld_cells_of_people_of_whom_some_are_left_out_go_row_by_row() -> None:
    rows = crowd(300)
    gone = small_table(
        SEX=[None if i < 5 else int(c) for i, c in enumerate(rows["SEX"])],
        ILL=["xyz"[c] for c in rows["ILL"]],
        AREA=[f"a{c}" for c in rows["AREA"]],
    )
    pair = [{"kind": "crosstab", "variables": v, "compute": True} for v in (["SEX", "ILL"], ["SEX", "AREA"])]
    held = gone.condensed()
    assert planned(held, *pair).table.people is not None
    assert planned(held, *({**one, "threshold": 10} for one in pair)).table.people is None


@pytest.mark.slow
def test_what_was_released_before_counts_as_row_by_row() -> None:
    rows, (first, second, third) = crowd(), tables(threshold=10)
    by_row, by_people = (record(t, second, third, earlier=[first]) for t in (rows, rows.condensed()))
    assert by_people["condensed"]["risk"] == "expected"
    assert by_people["verdict"] == by_row["verdict"]
    for part in ("exposed", "releases", "outputs"):
        assert by_people["cumulative"][part] == by_row["cumulative"][part], part
    for part in ("adds", "earlier"):
        assert by_people["cumulative"][part]["exposed"] == by_row["cumulative"][part]["exposed"]
    for one, other in zip(by_people["cumulative"]["scenarios"], by_row["cumulative"]["scenarios"], strict=True):
        # Both know what is added to a few thousandths.
        assert one["adds"] == pytest.approx(other["adds"], abs=0.006)


def test_many_rows_are_held_once_where_nobody_asks_for_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    from divulge.assess import plan as planning

    rows, (first, second, third) = crowd(), tables()
    assessment = parse_spec({"data": "none.csv", "outputs": [first, second], "measures": ["DCAP"]}, Path())
    inputs = Inputs(rows.schema, rows, rows.n_people, (None, None))
    before = [Candidate("release 1", third)]
    assert planning(assessment, inputs, before, condenses=True).table.people is None
    monkeypatch.setattr(sys.modules["divulge.assess.plan"], "MANY", 500)
    assert planning(assessment, inputs, before).table.people is None
    ready = planning(assessment, inputs, before, condenses=True)
    assert ready.table.n_people == 500
    assert ready.table.n_rows < 100
    assert set(ready.table.names) == {"AREA", "SEX", "ILL", "JOB"}
    gini = {"kind": "gini", "variables": ["SEX"], "by": ["AREA"], "compute": True}
    with_gini = parse_spec({"data": "none.csv", "outputs": [first, gini]}, Path())
    assert planning(with_gini, inputs, condenses=True).table.people is None


@pytest.mark.parametrize(
    ("outputs", "why"),
    [
        ([{"kind": "gini", "variables": ["SEX"], "by": ["ILL"]}], "output 1 (gini) is worked out from rows"),
        ([{"kind": "crosstab", "variables": ["SEX", "ILL"]}], "rows were asked for"),
    ],
)
def test_many_people_who_are_assessed_row_by_row_are_told_why(
    outputs: list[dict[str, Any]], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [{**one, "compute": True} for one in outputs]
    rows = crowd(300)
    assert planned(rows, *given).why_rows == ""
    monkeypatch.setattr(sys.modules["divulge.assess.plan"], "MANY", 300)
    assert planned(rows, *given).why_rows == why


@pytest.mark.slow
def test_the_record_says_why_many_people_were_assessed_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    from divulge.reports import Html

    monkeypatch.setattr(sys.modules["divulge.assess.plan"], "MANY", 300)
    median = {"kind": "position", "variables": ["SEX"], "by": ["ILL"], "compute": True}
    found = record(crowd(300).condensed(), median)
    why = "output 1: some figures are no sums over people"
    assert found["row_by_row"] == {"people": 300, "why": why}
    assert "condensed" not in found
    html = Html().render(found)
    assert why in (html if isinstance(html, str) else html.decode())
