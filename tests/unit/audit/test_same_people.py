"""Figures of several outputs about the same people, with data and without."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.audit.report import Audited, Status
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.outputs import OUTPUTS
from divulge.outputs.released.reading import read_released
from divulge.table import Schema, Table
from tests.support.tables import small_table
from tests.unit.audit.test_run import submitted

KINDS = {kind.kind: kind for kind in OUTPUTS}
ANSWERS = small_table(y=[1, 2, 3, 4, 5])
MEAN = ("means", {"variables": ["y"], "released": {"y": 2.857}})
SPREAD = ("shape", {"variables": ["y"], "released": {"sd y": 1.574}})
MEDIAN = ("position", {"variables": ["y"], "quantiles": [0.5], "released": {"median y": 3}})


def _printed(schema: Schema, n_rows: int | None, *outputs: tuple[str, dict[str, Any]], **more: Any) -> Audited:
    made = tuple(KINDS[kind](**fields) for kind, fields in outputs)
    released = tuple(r for o in made if (r := read_released(o, schema, None, n_rows)) is not None)
    return audit(Submission(schema, made, released, n_rows, **more), AuditSettings(to_the_end=True))


def test_seven_answers_leave_two_samples_and_with_the_median_one_without_any_data() -> None:
    # uwedragon's example.
    (finding,) = _printed(ANSWERS.schema, 7, MEAN, SPREAD).findings
    assert finding.sentence == "The figures of 'y' leave 2 samples of 7 people, which share 4 values."
    assert "leave one sample of 7" in _printed(ANSWERS.schema, 7, MEAN, SPREAD, MEDIAN).findings[-1].sentence


def test_nothing_is_put_together_where_nobody_knows_how_many_they_are() -> None:
    assert _printed(ANSWERS.schema, None, MEAN, SPREAD).findings == ()


def test_mean_that_was_released_before_counts_with_the_spread_that_is_new() -> None:
    kind, fields = MEAN
    mean = KINDS[kind](**fields)
    released = read_released(mean, ANSWERS.schema, None, 7)
    assert released is not None
    (finding,) = _printed(ANSWERS.schema, 7, SPREAD, earlier=(("May", mean, released),)).findings
    assert "2 samples" in finding.sentence


@pytest.mark.slow
def test_means_of_whole_numbers_give_perturbed_counts_away() -> None:
    # Handbook on SDC 2025, section 5.7: 9, 14 and 19 were 8, 12 and 20.
    schema = small_table(g=["a", "b", "c"] * 21, y=[*range(61), 0, 0]).schema
    keys = {"kind": "cell-key", "most": 2, "variance": 1.0}
    counts = ("crosstab", {"variables": ["g"], "released": {"g=a": 9, "g=b": 14, "g=c": 19}, "method": keys})
    means = {"y | g=a": 11.25, "y | g=b": 7.916666667, "y | g=c": 9.25}
    found = _printed(schema, None, counts, ("means", {"variables": ["y"], "by": ["g"], "released": means}))
    assert [(c.low, c.high, c.status) for c in found.cells] == [(n, n, Status.EXACT) for n in (8, 12, 20)]
    assert found.cells[0].chain == "of 7 to 11 people only 8 can have the printed mean of y"
    coarse = {"y | g=a": 11, "y | g=b": 8, "y | g=c": 9}
    found = _printed(schema, None, counts, ("means", {"variables": ["y"], "by": ["g"], "released": coarse}))
    assert {c.status for c in found.cells} == {Status.PROTECTED}


def test_people_who_are_held_once_are_counted_as_many() -> None:
    table = small_table(y=[1, 5], g=["a", "b"])
    many = Table(table.schema, table.columns, people=table["y"].astype("int64") * 0 + 20)
    groups = ("means", {"variables": ["y"], "by": ["g"]}), ("shape", {"variables": ["y"], "by": ["g"]})
    assert not [f for f in audit(submitted(many, *groups)).findings if f.rule == "few samples"]
