"""Models of condensed people: what is said is what is said row by row, at any number of people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.table import Table
from tests.support.tables import small_table
from tests.unit.assess.test_counted_pass import planned, record_of

_DESIGN = {"kind": "repeated-halves", "splits": 20, "stop_early": False, "curve": False}


def crowd(n_rows: int = 1000, alone: bool = False) -> Table:
    """People of four areas, who are ill or not, with some visits; one of them perhaps alone in a fifth area."""
    rng = np.random.default_rng(3)  # any seed will do: verdicts are clear
    area, sex, job = rng.integers(1, 5, n_rows), rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows)
    ill = (rng.random(n_rows) < 0.3 + 0.2 * sex).astype(int)
    visits = np.minimum(rng.poisson(0.8 + 0.3 * sex), 3)
    areas = [str(a) for a in area]
    if alone:
        areas[0], ill[0] = "9", 1
    return small_table(
        AREA=areas,
        SEX=[int(s) for s in sex],
        ILL=["xy"[i] for i in ill],
        JOB=[f"j{j}" for j in job],
        VISITS=[int(v) for v in visits],
    )


def record(table: Table, *outputs: dict[str, Any], **given: Any) -> dict[str, Any]:
    made = [{"compute": True, **output} for output in outputs]
    return record_of(planned(table, *made, design=_DESIGN, measures=["DCAP"], **given))


_KINDS = {
    "logistic": {"kind": "logistic", "formula": "ILL ~ C(AREA) + SEX"},
    "with errors": {"kind": "logistic", "formula": "ILL ~ SEX + C(JOB)", "statistics": ["se", "n"]},
    "linear": {"kind": "linear", "formula": "VISITS ~ SEX + C(JOB)", "statistics": ["se", "r2"]},
    "some people": {"kind": "poisson", "formula": "VISITS ~ SEX", "where": "AREA != 4"},
    "multinomial": {"kind": "multinomial", "formula": "JOB ~ SEX"},
    "means": {"kind": "means", "variables": ["VISITS"], "by": ["AREA", "JOB"], "decimals": 2},
    "totals": {"kind": "totals", "variables": ["VISITS"], "by": ["AREA"]},
    "shares of a total": {"kind": "totals", "variables": ["VISITS"], "by": ["AREA"], "statistic": "percentages"},
    "spread": {"kind": "shape", "variables": ["VISITS"], "by": ["SEX"], "decimals": 3},
    "percentages": {"kind": "crosstab", "variables": ["SEX", "ILL"], "statistic": "row percentages", "decimals": 1},
    "shares of all": {"kind": "crosstab", "variables": ["SEX", "ILL"], "statistic": "proportions"},
}


@pytest.mark.slow
@pytest.mark.parametrize("output", _KINDS.values(), ids=_KINDS)
def test_safe_models_are_embedded_and_released(output: dict[str, Any]) -> None:
    found = record(crowd().condensed(), output)
    assert found["condensed"]["risk"] == "expected"
    assert found["verdict"] == "release"
    assert found["exposure"]["exposed"] == 0
    assert found["exposure"]["power"] == 1.0
    assert found["outputs"][0]["reproduced"] == found["outputs"][0]["figures"]


_AS_ROWS = ("logistic", "some people", "totals", "percentages")


@pytest.mark.slow
@pytest.mark.parametrize("output", [_KINDS[name] for name in _AS_ROWS], ids=_AS_ROWS)
def test_the_answers_are_those_of_the_rows(output: dict[str, Any]) -> None:
    rows = crowd()
    by_row, by_people = (record(t, output) for t in (rows, rows.condensed()))
    for part in ("verdict", "rules", "rows", "policy"):
        assert by_people[part] == by_row[part], part
    assert by_people["exposure"]["exposed"] == by_row["exposure"]["exposed"] == 0
    assert by_people["outputs"][0]["figures"] == by_row["outputs"][0]["figures"]
    for risk, theirs in zip(by_people["risk"], by_row["risk"], strict=True):
        assert risk["scenario"] == theirs["scenario"]
        # Intervals of 95 %, of halves that were drawn apart, and of searches that add noise of their own.
        mine, other = risk["marginal_risk"]["interval"], theirs["marginal_risk"]["interval"]
        assert mine[0] <= other[1] + 0.001
        assert other[0] <= mine[1] + 0.001
        measured = [r["measures"]["DCAP"]["original"] for r in (risk, theirs)]
        assert measured[0] == pytest.approx(measured[1], abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 100_000], ids=["few", "many"])
def test_somebody_whom_a_level_of_their_own_gives_away_is_found_among_any_number(times: int) -> None:
    held = crowd(alone=True).condensed()
    assert held.people is not None
    alone = held["AREA"] == held.schema["AREA"].texts.index("9")
    many = Table(held.schema, held.columns, np.where(alone, 1, times * held.people))
    found = record(many, {"kind": "logistic", "formula": "ILL ~ C(AREA, Treatment(1)) + SEX"})
    assert found["condensed"]["people"] == many.n_people
    assert found["verdict"] == "refuse"
    assert found["exposure"]["exposed"] == 1
    assert found["outputs"][0]["reproduced"] == found["outputs"][0]["figures"]


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 100_000], ids=["few", "many"])
def test_somebody_whose_mean_is_their_own_value_is_found_among_any_number(times: int) -> None:
    held = crowd(alone=True).condensed()
    assert held.people is not None
    alone = held["AREA"] == held.schema["AREA"].texts.index("9")
    many = Table(held.schema, held.columns, np.where(alone, 1, times * held.people))
    found = record(many, {"kind": "means", "variables": ["VISITS"], "by": ["AREA"]})
    assert found["condensed"]["people"] == many.n_people
    assert found["verdict"] == "refuse"
    assert found["exposure"]["exposed"] == 1
    assert found["reasons"][0].startswith("1 person is exposed"), "by the contrast, not by rules alone"


@pytest.mark.slow
def test_without_such_a_level_nobody_is_exposed() -> None:
    # Fails where suspects are left out and what they leave behind is still seen.
    found = record(crowd(alone=True).condensed(), {"kind": "logistic", "formula": "ILL ~ C(JOB) + SEX"})
    assert found["exposure"]["exposed"] == 0
    assert found["verdict"] == "release"


@pytest.mark.slow
def test_a_model_and_a_table_are_assessed_together() -> None:
    rows = crowd()
    pair = [{"kind": "linear", "formula": "VISITS ~ SEX"}, {"kind": "crosstab", "variables": ["SEX", "ILL"]}]
    by_row, by_people = (record(t, *pair) for t in (rows, rows.condensed()))
    assert by_people["condensed"]["risk"] == "expected"
    assert by_people["verdict"] == by_row["verdict"]
    assert [o["verdict"] for o in by_people["outputs"]] == [o["verdict"] for o in by_row["outputs"]]
    assert all(o["reproduced"] == o["figures"] for o in by_people["outputs"])


def test_errors_that_are_sums_over_rows_and_models_of_different_people_go_row_by_row() -> None:
    held = crowd().condensed()
    model = {"kind": "linear", "formula": "VISITS ~ SEX", "compute": True}
    assert planned(held, model).table.people is not None
    assert planned(held, {**model, "where": "AREA != 4"}, model).table.people is None
    robust = planned(crowd(), {**model, "errors": "HC1", "statistics": ["se"]})
    assert not robust.outputs[0].condenses
