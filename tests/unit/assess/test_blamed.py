"""What the record says of blame, beside what an assessment without the blamed variable finds."""

from __future__ import annotations

import json

from divulge.assess import assess
from tests.support.assessing import CROSSTAB, people, ready
from tests.support.tables import small_table


def test_record_names_the_figure_that_gives_somebody_away() -> None:
    record = assess(ready(CROSSTAB), workers=1).record
    section = record["outputs"][0]["blame"]
    labels = [v["label"] for v in record["outputs"][0]["values"]]
    mostly = [label for label, grade in zip(labels, section["figures"], strict=True) if grade == 2]
    assert any(label.startswith("AREA=9") for label in mostly)
    assert section["sentence"].startswith("Mostly the figure")


def test_what_remains_without_a_variable_is_what_a_table_without_it_exposes() -> None:
    three = {**CROSSTAB, "variables": ["AREA", "SEX", "ILL"]}
    scenario = {"target": "ILL", "keys": ["AREA", "SEX"]}
    found = assess(ready(three, scenario=scenario), workers=1)
    without = {w["variable"]: w["exposed"] for w in found.record["outputs"][0]["blame"]["without"]}
    for name in ("AREA", "SEX"):
        left = [v for v in ("AREA", "SEX", "ILL") if v != name]
        fewer = {"target": "ILL", "keys": [k for k in ("AREA", "SEX") if k != name]}
        other = assess(ready({**CROSSTAB, "variables": left}, scenario=fewer), workers=1)
        now, then = other.results[0].scenarios[0].exposed, found.results[0].scenarios[0].exposed
        assert without[name] == int((now & then).sum()), name
    assert without["ILL"] == 0


def test_released_output_has_nothing_to_blame() -> None:
    sex = {"kind": "frequencies", "variables": ["SEX"], "compute": True}
    assert assess(ready(sex), workers=1).record["outputs"][0]["blame"] is None


def test_blame_tells_no_level_below_the_smallest_group() -> None:
    # The canary is a level that one person has, of a variable that is not in the table's labels alone.
    table = people()
    ill = ["canary", *(table.schema["ILL"].display[c] for c in table["ILL"][1:])]
    area = [table.schema["AREA"].display[c] for c in table["AREA"]]
    sex = [int(table.schema["SEX"].display[c]) for c in table["SEX"]]
    record = assess(ready(CROSSTAB, table=small_table(AREA=area, SEX=sex, ILL=ill)), workers=1).record
    assert "canary" not in json.dumps(record["outputs"][0]["blame"]["levels"])
