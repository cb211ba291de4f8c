"""Where everything is counts, an assessment costs what different rows cost and says what it says row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import Plan, assess, plan
from divulge.reports import Html
from divulge.spec import Inputs, parse_spec
from divulge.table import Table
from tests.support.assessing import people
from tests.support.tables import small_table

TABLE = {"kind": "crosstab", "variables": ["AREA", "SEX", "ILL"], "compute": True}
PART = {"kind": "crosstab", "variables": ["SEX", "ILL"], "compute": True}


def planned(table: Table, *outputs: dict[str, Any], **given: Any) -> Plan:
    assessment = parse_spec({"data": "none.csv", "outputs": list(outputs), **given}, Path())
    unknown, before = (None,) * len(assessment.outputs), (None,) * len(assessment.earlier)
    return plan(assessment, Inputs(table.schema, table, table.n_people, unknown, None, before))


def record_of(ready: Plan) -> dict[str, Any]:
    return assess(ready, workers=1).record


@pytest.mark.slow
@pytest.mark.parametrize("outputs", [(TABLE,), (TABLE, PART)], ids=["one", "one within another"])
def test_the_record_is_that_of_the_rows(outputs: tuple[dict[str, Any], ...]) -> None:
    rows = people()
    by_row, by_people = (record_of(planned(t, *outputs)) for t in (rows, rows.condensed()))
    assert by_people["condensed"] == {"different_rows": rows.condensed().n_rows, "people": 300, "risk": "exact"}
    assert "condensed" not in by_row
    for part in ("verdict", "reasons", "rules", "rows", "policy", "scenario", "emergent"):
        assert by_people.get(part) == by_row.get(part), part
    told = [{k: v for k, v in r["audit"].items() if k != "seconds"} for r in (by_row, by_people)]
    assert told[0] == told[1]
    assert _same(by_people["exposure"], by_row["exposure"])
    for one, other in zip(by_people["risk"], by_row["risk"], strict=True):
        assert one["scenario"] == other["scenario"]
        assert one["at"] == other["at"] == "full size"
        assert one["exposed"] == other["exposed"]
        # Sums in another order differ in the last digits.
        assert one["marginal_risk"]["value"] == pytest.approx(other["marginal_risk"]["value"], abs=1e-12)
        assert one["measures"].keys() == other["measures"].keys()
        for name, measure in one["measures"].items():
            if measure["original"] is None or other["measures"][name]["original"] is None:
                continue
            # Thirty halves each, drawn anew: means of shares of 150 people differ by a few hundredths at most.
            assert measure["original"] == pytest.approx(other["measures"][name]["original"], abs=0.05), name
    for one, other in zip(by_people["outputs"], by_row["outputs"], strict=True):
        for part in ("verdict", "reasons", "exposed", "reproduced", "figures", "values", "grid", "rules"):
            assert one[part] == other[part], part


def _same(one: Any, other: Any) -> bool:
    """Nested plain data that agree to the last digits."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (isinstance(one, float) and one == pytest.approx(other)))


@pytest.mark.parametrize(
    "outputs",
    [
        ({**TABLE, "statistic": "percentages"},),
        (PART, {"kind": "crosstab", "variables": ["AREA", "ILL"], "statistic": "row percentages", "compute": True}),
    ],
    ids=["shares", "shares beside counts"],
)
def test_shares_are_looked_for_by_different_rows(outputs: tuple[dict[str, Any], ...]) -> None:
    held = people().condensed()
    assert planned(held, *outputs).table.people is not None


def test_what_counts_do_not_say_is_looked_for_row_by_row() -> None:
    held = people().condensed()
    ready = planned(held, PART, {"kind": "gini", "variables": ["SEX"], "compute": True})
    assert ready.table.people is None
    assert ready.table.equals(held.expanded())


def test_measures_of_rows_and_other_designs_need_rows() -> None:
    held = people().condensed()
    assert planned(held, TABLE, measures=["DCAP"]).table.people is not None
    assert planned(held, TABLE, measures=["RAPID"]).table.people is None
    assert planned(held, TABLE, design={"kind": "folds", "folds": 2}).table.people is None
    assert planned(held, TABLE, scenario={"target": "ILL", "keys": []}).table.people is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_three_people_who_are_alone_are_found_among_millions(seed: int) -> None:
    rng = np.random.default_rng(seed)  # every seed must find them
    crowd = small_table(AREA=list("abc") * 6, SEX=[0, 1] * 9, ILL=list("xxxyyyzzz") * 2).condensed()
    alone = [("d", 0, "x"), ("d", 1, "y"), ("a", 2, "z")]
    table = small_table(
        AREA=[*(crowd.schema["AREA"].texts[c] for c in crowd["AREA"]), *(a for a, _, _ in alone)],
        SEX=[*(int(crowd.schema["SEX"].texts[c]) for c in crowd["SEX"]), *(s for _, s, _ in alone)],
        ILL=[*(crowd.schema["ILL"].texts[c] for c in crowd["ILL"]), *(i for _, _, i in alone)],
    )
    many = rng.integers(2_000_000, 4_000_000, crowd.n_rows)
    ready = planned(Table(table.schema, table.columns, np.concatenate([many, np.ones(3, dtype=np.int64)])), TABLE)
    found = assess(ready, workers=1)
    assert found.record["rows"] == int(many.sum()) + 3
    assert found.record["verdict"] == "refuse"
    assert found.record["exposure"]["exposed"] == 3
    assert np.flatnonzero(found.exposed).tolist() == list(range(crowd.n_rows, crowd.n_rows + 3))


def test_the_same_people_give_the_same_record_again() -> None:
    first, second = (
        record_of(planned(people().take(order).condensed(), TABLE)) for order in (slice(None), slice(None, None, -1))
    )
    del first["timings"], second["timings"]
    assert first == second


def test_no_row_of_few_people_is_described_in_the_record() -> None:
    record = record_of(planned(people().condensed(), TABLE))
    assert record["exposure"]["groups"] == []


def test_people_with_missing_values_are_not_in_the_table_and_not_exposed_by_it() -> None:
    area = ["a"] * 40 + ["b"] * 40 + ["c"] + [None] * 5
    table = small_table(AREA=area, SEX=[0, 1] * 43, ILL=["x", "y", "y"] * 27 + ["x"] * 5)
    held = table.condensed()
    ready = planned(held, TABLE)
    assert ready.table.people is not None
    found = assess(ready, workers=1)
    missing = held.schema["AREA"].is_missing[held["AREA"]]
    assert held.count(missing) == 5
    assert not (found.exposed & missing).any()
    # The one of area c is alone there.
    assert held.count(found.exposed & (held["AREA"] == 2)) == 1
    assert found.record["verdict"] == "refuse"
    assert found.record["rows"] == 86


def test_every_report_says_that_it_is_exact() -> None:
    record = record_of(planned(people().condensed(), TABLE))
    page = Html().render(record)
    assert "risk and exposure are exact" in page
