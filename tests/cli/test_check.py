"""`divulge check`: every problem of a spec in plain words, what would be done, and how long it would take."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess.forecast import Forecast
from divulge.cli.check import _time_text
from tests.support.running import divulge


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four hundred people; three of them, and nobody else, live in town 9."""
    rng = np.random.default_rng(1)
    rows = [f"{s},{a},{t}" for s, a, t in rng.integers([1, 20, 1], [3, 60, 4], size=(397, 3)).tolist()]
    rows += ["1,30,9", "2,40,9", "1,50,9"]
    (tmp_path / "people.csv").write_text("SEX,AGE,TOWN\n" + "\n".join(rows) + "\n", encoding="utf-8")
    fields = [
        {"name": "SEX", "type": "integer", "categories": [1, 2], "missingValues": []},
        {"name": "AGE", "type": "integer", "constraints": {"minimum": 20, "maximum": 59}, "missingValues": []},
        {"name": "TOWN", "type": "integer", "categories": [1, 2, 3, 9], "missingValues": []},
    ]
    (tmp_path / "schema.json").write_text(json.dumps({"fields": fields}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spec(text: str) -> str:
    Path("spec.yaml").write_text("data: people.csv\nschema: schema.json\n" + text, encoding="utf-8")
    return "spec.yaml"


def document(text: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    assert divulge("check", spec(text), "--json", "--no-time") == code
    return dict(json.loads(capsys.readouterr().out))


GOOD = "outputs:\n  - {kind: crosstab, name: Ages, variables: [SEX, TOWN]}\n"


def test_good_spec_is_explained_without_doing_anything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {p.name for p in folder.iterdir()} | {"spec.yaml"}
    assert divulge("check", spec(GOOD)) == 0
    said = capsys.readouterr().out
    assert "Data: people.csv, 400 rows, 3 variables" in said
    assert "1. Ages: Counts of rows by SEX × TOWN. 8 figures, computed from the data." in said
    assert "Scenarios: 2 (every variable of the outputs as target, since the spec has none)" in said
    assert "SEX from TOWN; the intruder knows marginals" in said
    assert "Splits: 30 (repeated-halves)" in said
    assert "Policy (the default): refused from 1 exposed by more than 0.1" in said
    assert re.search(r"^Time: (about|at least) \d", said, re.MULTILINE)
    assert "Run it: divulge assess spec.yaml" in said
    assert {p.name for p in folder.iterdir()} == before


def test_thin_cells_are_counted_not_named(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = document(GOOD, capsys)["warnings"]
    assert warnings[0] == "outputs[0] (Ages): 2 of 8 cells hold fewer than 10 people."
    assert [w.partition(":")[0] for w in warnings[1:]] == ["TOWN"]  # a rare level, which inspect remarks on


def test_thin_levels_of_a_model_and_halves_that_lack_one_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    text = "outputs:\n  - {kind: linear, formula: AGE ~ C(TOWN)}\n  - {kind: means, variables: [AGE], by: [TOWN]}\n"
    warnings = document(text, capsys)["warnings"]
    assert "outputs[0]: 1 of 4 levels of TOWN hold fewer than 10 people." in warnings
    assert "outputs[1]: 1 of 4 groups by TOWN hold fewer than 10 people." in warnings


def test_output_that_halves_cannot_compute_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    # Of three people in town 9 many a half has fewer than the two that a slope needs.
    text = "outputs:\n  - {kind: linear, formula: AGE ~ SEX, where: TOWN = 9}\n"
    warnings = document(text, capsys)["warnings"]
    assert any("random halves it cannot be computed" in w for w in warnings)


def test_output_without_rows_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    problems = document("outputs:\n  - {kind: means, variables: [AGE], where: TOWN = 9 and AGE < 25}\n", capsys, 51)[
        "problems"
    ]
    assert problems[0]["where"] == "outputs[0]"
    assert problems[0]["message"] == "it cannot be computed from the data: No row is left to compute it from."


def test_all_problems_are_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = """outputs:
  - {kind: crosstab, variables: [SEX, TWON]}
  - {kind: means, variables: [AGE], where: SEX = 7}
  - {kind: linear, formula: "AGE ~ C(TOWN, Treatment(5))"}
  - {kind: frequencies, variables: [SEX], released: [1, 2, 3]}
scenario: {target: NAME}
policy: {delt: 0.2}
measures: [TCAPP]
design: {kind: halves}
"""
    problems = document(text, capsys, 50)["problems"]
    assert [p["where"] for p in problems] == [
        "policy.delt",
        "measures[0]",
        "design.kind",
        "outputs[0].variables[1]",
        "outputs[1].where",
        "outputs[2].formula",
        "outputs[3].released",
        "scenario.target",
    ]
    assert problems[3]["hint"] == "Did you mean 'TOWN'?"


def test_mistakes_in_the_words_and_in_the_data_are_one_list(capsys: pytest.CaptureFixture[str]) -> None:
    text = """outputs:
  - {kind: logit, formula: SEX ~ AGE}
  - {kind: crosstab, variables: [SEX, TWON], decmals: 2}
  - {kind: means, variables: [AGE], where: SEX = 7}
  - {kind: means, variables: [AGE], by: [SEX], decimals: 1, released: [30.123, 30]}
  - {kind: frequencies, variables: [SEX], where: AGE > 900}
  - {kind: frequencies, variables: [TOWN]}
scenario: {target: NAME}
entity: FIRM
holdout: nobody.csv
seed: first
"""
    problems = document(text, capsys, 50)["problems"]
    assert [p["where"].split(",")[0] for p in problems] == [
        "outputs[0].kind",
        "outputs[1].decmals",
        "seed",
        "holdout: nobody.csv",
        "outputs[1].variables[1]",
        "outputs[2].where",
        "outputs[3].released",
        "scenario.target",
        "entity",
        "outputs[4]",
    ]


def test_outputs_keep_their_numbers_where_one_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    text = "outputs:\n  - {kind: logit, formula: SEX ~ AGE}\n  - {kind: frequencies, variables: [TOWN]}\n"
    assert divulge("check", spec(text)) == 50
    assert "  2. " in capsys.readouterr().out


def test_assess_tells_every_mistake_in_the_data_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = """outputs:
  - {kind: crosstab, variables: [SEX, TWON]}
  - {kind: means, variables: [AGEE]}
"""
    assert divulge("assess", spec(text), "--json") == 45
    shown = json.loads(capsys.readouterr().out)
    assert [e["where"] for e in shown["errors"]] == ["outputs[0].variables[1]", "outputs[1].variables[0]"]


def test_problems_are_shown_before_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("check", spec("outputs:\n  - {kind: crosstab, variables: [SEX, TWON]}\n")) == 45
    said = capsys.readouterr().out
    assert said.startswith(
        "spec.yaml cannot be assessed: 1 problem.\n  - outputs[0].variables[1]: there is no variable"
    )
    assert "Run it" not in said


def test_missing_data_file_is_a_problem_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    Path("people.csv").unlink()
    assert document(GOOD, capsys, 30)["problems"][0]["where"].startswith("data")


def test_released_figures_that_the_data_do_not_give_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = document("outputs:\n  - {kind: frequencies, variables: [SEX], released: [100, 300]}\n", capsys)[
        "warnings"
    ]
    assert any("2 of 2 released figures are not what the data give" in w for w in warnings)


def test_spec_without_data_can_be_taught_not_assessed(capsys: pytest.CaptureFixture[str]) -> None:
    text = "schema: schema.json\nrows: 10\noutputs:\n  - {kind: frequencies, variables: [SEX], released: [4, 6]}\n"
    Path("class.yaml").write_text(text, encoding="utf-8")
    assert divulge("check", "class.yaml", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["can_be_assessed"] is False
    assert found["problems"] == []
    assert "not assessed" in found["warnings"][0]


def test_no_value_of_a_row_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("check", spec("outputs:\n  - {kind: crosstab, variables: [AGE, TOWN]}\n"), "--no-time") == 0
    said = capsys.readouterr().out
    assert not any(str(age) in said.replace("30 (repeated-halves)", "") for age in range(31, 39))


def test_time_is_given_with_its_range() -> None:
    text = _time_text(Forecast(200.0, 40.0, 900.0, 0.5, 6, 30, 3, 2, None))
    assert text.startswith("about 3 min, most likely between 40 s and 15 min. Timed here: 0.5 s a split (mean of 6)")
    assert "3 passes over the outputs, 2 processes" in text
    assert _time_text(Forecast(8000.0, 1.0, 9.0, 13.0, 1, 30, 1, 1, 60.0, at_least=True)).startswith(
        "at least 2.2 h, since a split"
    )


def test_estimate_is_of_the_right_size(capsys: pytest.CaptureFixture[str]) -> None:
    text = "outputs:\n  - {kind: frequencies, variables: [SEX]}\ndesign: {kind: repeated-halves, splits: 10}\n"
    assert divulge("check", spec(text), "--json") == 0
    found = json.loads(capsys.readouterr().out)["seconds"]
    assert (found["splits"], found["passes"], found["workers"]) == (10, 1, 1)
    assert 0 < found["low"] <= found["seconds"] <= found["high"] < 600


def test_digits_that_tell_nobody_apart_are_told_before_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    found = document("outputs:\n  - {kind: means, variables: [AGE], by: [SEX], decimals: 14, compute: true}\n", capsys)
    assert any("outputs[0]: 2 figures have digits far below what one person moves" in w for w in found["warnings"])
    plain = document("outputs:\n  - {kind: means, variables: [AGE], by: [SEX], decimals: 1, compute: true}\n", capsys)
    assert not any("digits" in w for w in plain["warnings"])


def test_more_digits_than_rows_have_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    output = "{kind: means, variables: [AGE], where: TOWN = 9, decimals: 14, compute: true}"
    found = document(f"outputs:\n  - {output}\n", capsys)
    assert any("More digits than data of this size can be told apart by" in w for w in found["warnings"])


def test_mean_that_no_group_of_its_size_has_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    # Three people in town 9: thirds of whole years end in .00, .33 or .67.
    output = "{kind: means, variables: [AGE], where: TOWN = 9, released: {AGE: 40.25}}"
    found = document(f"outputs:\n  - {output}\n", capsys)
    assert any("No search can meet these: no group of its size can have AGE as printed" in w for w in found["warnings"])
    possible = "{kind: means, variables: [AGE], where: TOWN = 9, released: {AGE: 40.33}}"
    found = document(f"outputs:\n  - {possible}\n", capsys)
    assert not any("No search can meet" in w for w in found["warnings"])


def test_budget_is_told_in_advance(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("check", spec(GOOD)) == 0
    assert "Budget: all searches together end after 60 s or so" in capsys.readouterr().out
