"""What was released before counts: two tables that differ by one person are caught at the second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import Candidate, assess, plan
from divulge.spec import parse_spec

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
