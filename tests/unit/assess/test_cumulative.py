"""What was released before counts: two tables that differ by one person are caught at the second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import Candidate, assess, plan
from divulge.assess.earlier import Earlier, choose_earlier
from divulge.assess.scenarios import scenarios_with_earlier
from divulge.scenario import Scenario
from divulge.spec import parse_output, parse_spec
from divulge.table import read_table
from divulge.table.frictionless import parse_schema

ALL: dict[str, Any] = {"kind": "crosstab", "variables": ["SEX", "ILL"], "compute": True}
ALL_BUT_ONE: dict[str, Any] = {**ALL, "where": "AREA != 9"}
DESIGN = {"kind": "repeated-halves", "splits": 20}  # the fewest at which one person can be told from chance


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hundred people, one of whom lives alone in area 9; JOB has nothing to do with anything."""
    rng = np.random.default_rng(7)
    area, sex, ill, job = (
        rng.integers(1, 4, 300),
        rng.integers(0, 2, 300),
        rng.integers(0, 3, 300),
        rng.integers(0, 2, 300),
    )
    area[0] = 9
    path = tmp_path_factory.mktemp("data") / "people.csv"
    rows = "".join(f"{a},{'FM'[s]},{'xyz'[i]},{j}\n" for a, s, i, j in zip(area, sex, ill, job, strict=True))
    path.write_text("AREA,SEX,ILL,JOB\n" + rows, encoding="utf-8")
    return path


def _assess(people: Path, outputs: list[dict[str, Any]], before: list[Candidate], **given: Any) -> dict[str, Any]:
    spec = {"data": people.name, "outputs": outputs, "design": DESIGN, "measures": ["TCAP"], "seed": 1, **given}
    return assess(plan(parse_spec(spec, people.parent), None, before), workers=1).record


@pytest.mark.slow
def test_tables_that_differ_by_one_person_are_caught_at_the_second(people: Path) -> None:
    first = _assess(people, [ALL], [])
    alone = _assess(people, [ALL_BUT_ONE], [])
    second = _assess(people, [ALL_BUT_ONE], [Candidate("release 1", ALL)])
    for record in (first, alone):
        assert record["exposure"]["exposed"] == 0
        assert record["cumulative"] is None
    assert second["verdict"] == "refuse"
    cumulative = second["cumulative"]
    assert cumulative["releases"] == ["release 1"]
    assert cumulative["adds"]["exposed"] == 1
    assert cumulative["earlier"]["exposed"] == 0
    assert any("1 more" in reason for reason in second["reasons"])


def _chosen(people: Path, *documents: dict[str, Any]) -> Earlier:
    table = read_table(people)
    candidates = [Candidate(f"release {i}", d) for i, d in enumerate(documents, start=1)]
    return choose_earlier(candidates, [parse_output(ALL_BUT_ONE)], (), table)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"kind": "crosstab", "variables": ["JOB"], "compute": True}, "shares no variable: it is about JOB"),
        ({"kind": "crosstab", "variables": ["SEX", "INCOME"], "compute": True}, "no variable 'INCOME'"),
        ({"kind": "crosstab", "variables": ["SEX"], "released": [1, 299]}, "2 of its figures"),
        (ALL_BUT_ONE, "The same output"),
        ({"kind": "custom", "function": "a:b", "variables": ["SEX"]}, "cannot be"),
    ],
    ids=["other variables", "variable gone", "other data", "same output", "code"],
)
def test_earlier_output_that_is_left_out_says_why(people: Path, document: dict[str, Any], why: str) -> None:
    found = _chosen(people, document)
    assert len(found) == 0
    assert why in found.left_out[0].why


def test_same_earlier_output_is_embedded_once(people: Path) -> None:
    found = _chosen(people, ALL, {**ALL, "name": "the same"})
    assert [one.release for one in found.kept] == ["release 1"]
    assert found.left_out[0].release == "release 2"


def test_variables_of_the_scenario_are_shared_too(people: Path) -> None:
    wanted = Candidate("release 1", {"kind": "crosstab", "variables": ["JOB"], "compute": True})
    scenario = Scenario(("SEX",), "JOB")
    assert len(choose_earlier([wanted], [parse_output(ALL)], [scenario], read_table(people))) == 1


def test_too_many_variables_are_taken_with_one_earlier_output_at_a_time() -> None:
    fields = [
        {"name": f"V{i}", "type": "integer", "categories": list(range(100)), "missingValues": []} for i in range(12)
    ]
    schema = parse_schema({"fields": fields})
    pairs = [parse_output({"kind": "crosstab", "variables": [f"V{i}", f"V{i + 1}"]}) for i in range(11)]
    few = scenarios_with_earlier((), pairs[:1], pairs[1:3], schema)
    many = scenarios_with_earlier((), pairs[:1], pairs[1:], schema)
    assert max(len(a.variables) for a in few) == 4
    assert max(len(a.variables) for a in many) == 4
    assert {v for a in many for v in a.variables} == set(schema.names)


@pytest.mark.slow
def test_what_was_exposed_before_is_not_held_against_a_harmless_output(people: Path) -> None:
    full = Candidate("release 1", {"kind": "crosstab", "variables": ["AREA", "SEX", "ILL"], "compute": True})
    record = _assess(people, [{"kind": "crosstab", "variables": ["SEX"], "compute": True}], [full])
    cumulative = record["cumulative"]
    assert cumulative["earlier"]["exposed"] >= 1
    assert cumulative["adds"]["exposed"] == 0
    assert not any("is exposed:" in r or "are exposed:" in r for r in record["reasons"])
