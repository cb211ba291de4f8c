"""`divulge embed`: earlier outputs are reproduced beside the new ones, as an assessment would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.table import read_schema, read_table, write_schema
from tests.support.assessing import people
from tests.support.running import divulge

NEW = "outputs:\n  - {kind: crosstab, variables: [AREA], compute: true}\n"
BEFORE = "earlier:\n  - {kind: crosstab, variables: [SEX, ILL], compute: true}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from divulge.table import write_table

    monkeypatch.chdir(tmp_path)
    write_table(people(), tmp_path / "people.csv")
    return tmp_path


def _embed(spec: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    Path("spec.yaml").write_text("data: people.csv\n" + spec, encoding="utf-8")
    assert divulge("--quiet", "embed", "spec.yaml", "-o", "synthetic.csv", "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _counts() -> list[int]:
    """Rows of the synthetic data by SEX and ILL."""
    table, original = read_table("synthetic.csv"), read_table("people.csv")
    pairs = [(s, i) for s in original.schema["SEX"].values for i in original.schema["ILL"].values]
    rows = list(zip(*(table.schema[n].values[table[n]] for n in ("SEX", "ILL")), strict=True))
    return [rows.count(pair) for pair in pairs]


@pytest.mark.parametrize("scenario", ["", "scenario: {knows: earlier outputs}\n"], ids=["embedded", "granted"])
def test_earlier_outputs_are_reproduced_beside_the_new_ones(
    folder: Path, capsys: pytest.CaptureFixture[str], scenario: str
) -> None:
    alone = _embed(NEW, capsys)
    without = _counts()
    found = _embed(NEW + BEFORE + scenario, capsys)
    assert (found["status"], found["outputs"][0]["reproduced"]) == ("reproduced", 1.0)
    assert [len(found["outputs"]), len(found["earlier"])] == [1, 1]
    assert found["earlier"][0]["reproduced"] == 1.0
    assert _counts() == [int(f["released"]) for f in found["earlier"][0]["figures"]] != without
    assert alone["earlier"] == []


def test_granted_outputs_that_contradict_the_new_ones_give_way(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = np.add(read_table("people.csv").frequencies("AREA"), [0, 2, -2, 0])
    before = f"earlier:\n  - {{kind: crosstab, variables: [AREA], where: AREA != 0, released: {counts.tolist()}}}\n"
    hurried = "synthesiser: {kind: descent, seconds: 2}\n"
    found = _embed(NEW + before + "scenario: {knows: earlier outputs}\n" + hurried, capsys)
    assert found["outputs"][0]["reproduced"] == 1.0
    assert found["status"] == "reproduced"
    assert found["earlier"][0]["reproduced"] < 1.0


def test_granting_earlier_outputs_without_any_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("spec.yaml").write_text("data: people.csv\n" + NEW + "scenario: {knows: earlier outputs}\n", encoding="utf-8")
    assert divulge("embed", "spec.yaml") == 50
    assert "no earlier outputs are named" in capsys.readouterr().err


def test_class_gets_data_that_reproduce_what_was_published_before(folder: Path) -> None:
    write_schema(read_table("people.csv").schema, Path("s.json"))
    assert "SEX" in read_schema(Path("s.json"))
    published = read_table("people.csv").frequencies("SEX").tolist()
    spec = "schema: s.json\nrows: 300\noutputs:\n  - {kind: crosstab, variables: [AREA], released: [1, 99, 100, 100]}\n"
    spec += f"earlier:\n  - {{kind: crosstab, variables: [SEX], released: {published}}}\n"
    Path("teach.yaml").write_text(spec, encoding="utf-8")
    assert divulge("--quiet", "teach", "teach.yaml", "-o", "class") == 0
    data = read_table(next(Path("class").glob("*.csv")))
    assert data.frequencies("SEX").tolist() == published


def test_figures_printed_whole_are_embedded_to_the_digits_that_matter(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _embed("outputs:\n  - {kind: means, variables: [SEX], by: [ILL], decimals: 14, compute: true}\n", capsys)
    assert found["status"] == "reproduced"
    useful = found["digits"][0]["embedded_decimals"]
    assert max(useful) < 8
    assert "digits far below what one person moves" in found["digits"][0]["sentences"][0]
    assert divulge("--quiet", "embed", "spec.yaml") == 0
    assert "outputs[0]: 3 figures have digits far below what one person moves" in capsys.readouterr().out


SCORES = """{"fields": [
 {"name": "score", "type": "integer", "constraints": {"minimum": 1, "maximum": 7}},
 {"name": "arm", "type": "string", "constraints": {"enum": ["a", "b"]}}]}"""


def test_figures_that_no_group_can_have_are_told_before_the_search_and_met_as_nearly_as_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # 145 / 28 = 5.18 and 146 / 28 = 5.21 (Brown & Heathers 2017); 126 / 30 = 4.20.
    monkeypatch.chdir(tmp_path)
    Path("schema.json").write_text(SCORES, encoding="utf-8")
    means = 'by: [arm], decimals: 2, released: {"score | arm = a": 5.19, "score | arm = b": 4.20}'
    counts = '{kind: frequencies, variables: [arm], released: {"arm = a": 28, "arm = b": 30}}'
    outputs = f"outputs:\n  - {{kind: means, variables: [score], {means}}}\n  - {counts}\n"
    Path("spec.yaml").write_text(f"schema: schema.json\nrows: 58\n{outputs}", encoding="utf-8")
    assert divulge("--quiet", "embed", "spec.yaml") == 0
    told = capsys.readouterr().out
    said = "no group of its size can have score | arm=a as printed"
    assert told.index(said) < told.index("1 of 2 figures reproduced")
    assert divulge("--quiet", "embed", "spec.yaml", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "nearest"
    assert [f["reproduced"] for f in found["outputs"][0]["figures"]] == [False, True]
    assert found["outputs"][0]["figures"][0]["value"] == pytest.approx(145 / 28, abs=1e-9)
    assert found["seconds"] < 30  # a tenth of a second by itself
