"""What is already out about the same data: judged together with the new, never held against it, granted where known."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from divulge.assess import plan
from divulge.assess.splits.granted import _granted_in_part
from divulge.objective import Target
from divulge.spec import read_spec
from tests.support.acro_folders import table_entry, write_folder
from tests.support.running import divulge

DESIGN = "design: {kind: repeated-halves, splits: 30, curve: false}\n"
WITH_ALL = "{kind: crosstab, variables: [OWNS, SEX], compute: true, where: OWNS < 2}"
WITHOUT_ONE = "{kind: crosstab, variables: [OWNS, SEX], where: TOWN < 21 and OWNS < 2, compute: true}"
COARSE = "{kind: crosstab, variables: [SEX, OWNS], compute: true}"
FINE = "{kind: crosstab, variables: [TOWN, OWNS], compute: true}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _people(*last: str) -> None:
    """Six hundred people in four towns, and then some."""
    drawn = np.random.default_rng(1).integers(0, [2, 2, 4], size=(600, 3)).tolist()
    rows = [f"{sex},{owns},{town}" for sex, owns, town in drawn]
    Path("people.csv").write_text("\n".join(["SEX,OWNS,TOWN", *rows, *last]) + "\n", encoding="utf-8")


def _assess(new: str, earlier: str | None, more: str = "") -> dict[str, Any]:
    before = "" if earlier is None else f"earlier:\n  - {earlier}\n"
    Path("spec.yaml").write_text(f"data: people.csv\noutputs:\n  - {new}\n{before}{DESIGN}{more}", encoding="utf-8")
    shutil.rmtree("out", ignore_errors=True)  # another assessment would go beside it
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1) == 0
    record: dict[str, Any] = json.loads(Path("out/record.json").read_text(encoding="utf-8"))
    return record


@pytest.mark.parametrize(("new", "earlier"), [(WITH_ALL, WITHOUT_ONE), (WITHOUT_ONE, WITH_ALL)])
def test_earlier_table_that_differs_by_one_person_is_caught_with_the_new_one(
    folder: Path, new: str, earlier: str
) -> None:
    _people("1,1,21")
    record = _assess(new, earlier, "scenario: {knows: earlier outputs}\n")
    assert record["outputs"][0]["exposed"] == 0
    assert record["outputs"][0]["verdict"] == "release"
    cumulative = record["cumulative"]
    assert cumulative["earlier"]["exposed"] == 0
    assert record["emergent"]["exposed"] == cumulative["adds"]["exposed"] == 1
    assert record["verdict"] == "refuse"
    assert any("by none of them alone" in r for r in record["reasons"])
    assert "Assessed together with 1 output that was released before about the same data." in record["reasons"]


def test_what_earlier_outputs_give_away_is_not_held_against_the_new_one(folder: Path) -> None:
    _people("0,1,21", "0,1,22", "0,1,23")
    record = _assess(COARSE, FINE)
    assert record["cumulative"]["earlier"]["exposed"] == 3
    assert record["cumulative"]["adds"]["exposed"] == 0
    assert record["exposure"]["exposed"] == 3
    assert record["verdict"] == "release", record["reasons"]
    assert record["cumulative"]["releases"] == ["earlier[0]"]
    assert len(record["outputs"]) == 1


def test_granted_knowledge_leaves_the_contrast_as_it_is(folder: Path) -> None:
    _people("0,1,21", "0,1,22", "0,1,23")
    scenario = "scenario: {target: OWNS, keys: [SEX, TOWN], knows: %s}\n"
    without = _assess(COARSE, None, scenario % "marginals")["risk"][0]
    record = _assess(COARSE, FINE, scenario % "earlier outputs")
    alone = record["outputs"][0]["risk"][0]
    assert alone["knows"] == "earlier outputs"
    assert alone["exposed"] == record["outputs"][0]["exposed"] == 0
    low, high = alone["marginal_risk"]["interval"]
    assert low - 0.003 < without["marginal_risk"]["value"] < high + 0.003  # each varies by about 0.001


def test_earlier_counts_are_expected_in_proportion_in_every_part(folder: Path) -> None:
    _people()
    Path("spec.yaml").write_text(f"data: people.csv\noutputs:\n  - {COARSE}\nearlier:\n  - {FINE}\n", encoding="utf-8")
    ready = plan(read_spec("spec.yaml"))
    for size in (600, 300, 75):
        target = _granted_in_part([Target(ready.outputs[1], ready.printed[1])], ready.table, size, 1)[0]
        counts = ready.outputs[1].evaluate(ready.table).values
        given = target.released
        assert given.values == pytest.approx(counts * size / 600, rel=0.2)
        assert given.values.sum() == pytest.approx(size)
        width = (given.high - given.low).max()
        assert width <= 1.0 if size == 600 else width > 10.0
        for draw in range(20):
            part = np.zeros(600, dtype=bool)
            part[np.random.default_rng(draw).permutation(600)[:size]] = True
            assert given.agrees(ready.outputs[1].evaluate(ready.table.take(part)).values).all()


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("scenario: {knows: earlier outputs}\n", 50, "scenario.knows: no earlier outputs are named"),
        (
            "earlier:\n  - {kind: crosstab, variables: [WAGE]}\n",
            45,
            "earlier[0].variables[0]: there is no variable",
        ),
        ("earlier:\n  - {kind: xtab}\n", 50, "earlier[0].kind: there is no kind of output 'xtab'"),
        ("earlier:\n  - {kind: crosstab, variable: [SEX]}\n", 50, "this field is missing"),
    ],
)
def test_earlier_outputs_that_make_no_sense_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, said: str
) -> None:
    _people()
    Path("spec.yaml").write_text(f"data: people.csv\noutputs:\n  - {COARSE}\n{text}", encoding="utf-8")
    assert divulge("assess", "spec.yaml", "-o", "out") == code
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


def test_folder_as_it_was_handed_in_is_judged_beside_what_a_ledger_says_was_released(folder: Path) -> None:
    _people("1,1,21")
    Path("first.yaml").write_text(f"data: people.csv\noutputs:\n  - {WITHOUT_ONE}\n{DESIGN}", encoding="utf-8")
    assert divulge("--quiet", "ledger", "add", "first.yaml", "--by", "ann", "--ledger", "l.sqlite") == 0
    frame = pd.read_csv("people.csv")
    Path("handed").mkdir()
    pd.crosstab(frame.OWNS, frame.SEX).to_csv("handed/table.csv")
    words = ("--quiet", "assess", "handed", "--data", "people.csv", "-o", "out")
    assert divulge(*words, "--ledger", "l.sqlite") == 0
    record = json.loads(Path("out/record.json").read_text(encoding="utf-8"))
    (release,) = record["cumulative"]["releases"]
    assert ", output 1 (released " in release
    assert record["cumulative"]["adds"]["exposed"] == 1


def test_folder_of_acro_is_judged_beside_what_a_ledger_says_was_released(folder: Path) -> None:
    _people("1,1,21")
    Path("first.yaml").write_text(f"data: people.csv\noutputs:\n  - {WITHOUT_ONE}\n{DESIGN}", encoding="utf-8")
    assert divulge("--quiet", "ledger", "add", "first.yaml", "--by", "ann", "--ledger", "l.sqlite") == 0
    frame = pd.read_csv("people.csv")
    write_folder(folder / "acro", {"t": table_entry(pd.crosstab(frame.OWNS, frame.SEX), "a.crosstab(df.OWNS, df.SEX)")})
    words = ("--quiet", "acro", "acro", "--data", "people.csv", "-o", "out", "--workers", 1)
    assert divulge(*words) == 0
    assert json.loads(Path("out/record.json").read_text(encoding="utf-8"))["cumulative"] is None
    assert divulge(*words, "--ledger", "l.sqlite") == 0
    record = json.loads(Path("out/record.json").read_text(encoding="utf-8"))
    assert record["cumulative"]["adds"]["exposed"] == 1
    assert record["verdict"] == "refuse"


@pytest.mark.parametrize("option", ["--scheduler", "--exposed-rows"])
def test_option_that_a_folder_would_pass_over_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    Path("handed").mkdir()
    assert divulge("assess", "handed", "--data", "people.csv", option, "x") == 2
    assert f"{option}: a folder is assessed without this option" in capsys.readouterr().err
