"""What `inspect` knows, everybody says; a result folder belongs to one assessment; the top of a report says it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import divulge as package
from divulge.reports.blocks import Source, plain
from divulge.reports.formats.markdown import Markdown, _escaped
from divulge.reports.sections.verdict import summary
from tests.support.running import divulge

RNG = np.random.default_rng(8)  # any seed: people who have nothing to do with each other
N = 300
FRAME = pd.DataFrame(
    {
        "INCOME": np.where(np.arange(N) % 9 == 0, -9, RNG.integers(100, 400, N)),
        "SPOUSE": np.where(np.arange(N) % 7 == 0, -9, RNG.integers(100, 400, N)),
        "VISITS": RNG.poisson(2, N),
        "SEX": RNG.choice(["f", "m"], N),
        "GENDER": ["x"] * N,
        "WEIGHT": RNG.integers(1, 40, N),
    }
).assign(GENDER=lambda f: f.SEX.map({"f": "woman", "m": "man"}))
QUICK = "design: {splits: 2, curve: false}\nsynthesiser: {seconds: 0.1}\n"
OUTPUTS = """outputs:
  - {kind: linear, formula: VISITS ~ INCOME + SPOUSE, compute: true, name: "Visits: by income & <pay>"}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("people.csv", index=False)
    Path("s.yaml").write_text("data: people.csv\n" + OUTPUTS + QUICK, encoding="utf-8")
    return tmp_path


def _codes(document: dict[str, Any]) -> dict[str, list[str]]:
    return {f["code"]: list(f["variables"]) for f in document["findings"]}


def test_check_says_what_inspect_knows_once_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("check", "s.yaml", "--no-time", "--json") == 0
    warnings = json.loads(capsys.readouterr().out)["warnings"]
    coded = [w for w in warnings if "missing code" in w]
    assert len(coded) == 1
    assert "The same kind of remark holds of SPOUSE." in coded[0]
    pasted = json.loads(coded[0][coded[0].index('{"fields"') :])
    assert pasted["fields"][0]["missingValues"] == ["", "-9"]
    Path("f.json").write_text(json.dumps(pasted), encoding="utf-8")
    assert divulge("inspect", "people.csv", "--schema", "f.json", "--json") == 0
    assert json.loads(capsys.readouterr().out)["variables"][0]["missing"] == [None, -9]
    assert any("kind: poisson" in w for w in warnings)


def test_new_says_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("new", "n.yaml", "--data", "people.csv", "--crosstab", "SEX,GENDER", "--json") == 0
    assert _codes(json.loads(capsys.readouterr().out)) == {"derived": ["GENDER"]}


def test_weight_among_the_keys_is_remarked(capsys: pytest.CaptureFixture[str]) -> None:
    spec = "data: people.csv\noutputs: [{kind: crosstab, variables: [SEX], weights: WEIGHT, decimals: 0}]\n"
    Path("w.yaml").write_text(spec + "scenario: {target: SEX, keys: [WEIGHT]}\n" + QUICK, encoding="utf-8")
    divulge("check", "w.yaml", "--no-time", "--json")
    assert any("nobody knows a person's weight" in w for w in json.loads(capsys.readouterr().out)["warnings"])


def test_record_and_report_have_the_findings_and_another_assessment_goes_beside(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert divulge("assess", "s.yaml", "-o", "out", "--workers", "1") == 0
    shown = capsys.readouterr().out
    record = json.loads(Path("out/record.json").read_bytes())
    assert _codes(record)["coded-missing"] == ["INCOME", "SPOUSE"]
    assert shown.splitlines()[0] == "Visits: by income & <pay>"
    assert shown.splitlines()[1].startswith(f"{record['verdict'].upper()}: ")
    assert "What to do:" in shown
    text = Markdown().render(record)
    assert "What looks wrong in the data" in text
    assert r"\:" not in text
    assert "Visits: by income & &lt;pay>" in text
    # The same assessment again is the same folder; with other data it is another one.
    assert divulge("--quiet", "assess", "s.yaml", "-o", "out", "--workers", "1", "--json") == 0
    assert not Path("out-2").exists()
    FRAME.iloc[:-20].to_csv("people.csv", index=False)
    capsys.readouterr()
    assert divulge("assess", "s.yaml", "-o", "out", "--workers", "1", "--json") == 0
    assert "this one goes to out-2" in capsys.readouterr().err
    assert json.loads(Path("out/record.json").read_bytes())["rows"] == N
    assert json.loads(Path("out-2/record.json").read_bytes())["rows"] == N - 20
    assert divulge("report", "out", "--format", "markdown") == 0
    assert "out-2" in capsys.readouterr().err
    assert divulge("compare", "out", "--json") == 0


def test_notebook_says_what_inspect_knows() -> None:
    found = package.check(FRAME, pd.crosstab(FRAME.SEX, FRAME.GENDER), splits=2, seconds=0.1, workers=1, progress=False)
    assert "Mind: GENDER: says the same as 'SEX'" in repr(found)


def _record(exposed: int, high: float) -> dict[str, Any]:
    risk = {"marginal_risk": {"value": 0.001, "interval": [0.0, high]}}
    return {
        "verdict": "refuse",
        "rows": 12_960,
        "exposure": {"exposed": exposed},
        "policy": {"release_risk": 0.02},
        "risk": [risk],
        "splits": {"used": 30},
        "outputs": [{"number": 1, "name": None, "description": "Crosstab of A × B.", "figures": 15, "reproduced": 15}],
        "rules": {"findings": [{"rule": "threshold", "severity": "refuse", "figures": ["A=1 & B=2"]}]},
    }


@pytest.mark.parametrize(("power", "exposed", "shown"), [(0.95, 0, "0"), (0.4, 0, "–"), (0.4, 2, "2"), (None, 0, "0")])
def test_nobody_found_is_a_dash_where_nobody_would_have_been_found(
    power: float | None, exposed: int, shown: str
) -> None:
    record = _record(exposed, 0.0013)
    record["exposure"]["power"], record["policy"]["power"] = power, 0.9
    tile = summary(Source(record)).tiles[0]
    assert plain(tile.figure) == shown
    assert (plain(tile.note) == "not tested enough to say") == (shown == "–")


def test_output_that_nobody_could_compare_says_a_dash_in_the_terminal_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("--quiet", "assess", "s.yaml", "-o", "out", "--workers", "1") == 0
    line = next(one for one in capsys.readouterr().out.splitlines() if one.startswith("Visits") and "(linear)" in one)
    assert line.split()[-1] == "–", "two splits find nobody"
    text = Markdown().render(json.loads(Path("out/record.json").read_bytes()))
    assert "Nobody was found, and that says little" in text


def test_small_average_and_an_exposed_person_are_reconciled_in_a_sentence() -> None:
    seen = summary(Source(_record(2, 0.0013)))
    assert plain(seen.subject) == "Crosstab of A × B"
    assert "It hides the 2 who are exposed" in plain(seen.reconciled)
    assert plain(seen.about) == "The figures that it is about: A=1 & B=2."
    assert summary(Source(_record(2, 0.5))).reconciled == ()
    assert summary(Source(_record(0, 0.0013))).reconciled == ()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A=1 & B=2", "A=1 & B=2"),
        ("AGE_GROUP: 16-24 (all)", "AGE_GROUP: 16-24 (all)"),
        ("a*b [x](y) <b> |", r"a\*b \[x\](y) &lt;b> \|"),
        ("&lt; http://x www.y _z_", r"&amp;lt; http:\//x www\.y \_z\_"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("1.5", "1.5"),
    ],
)
def test_markdown_escapes_what_is_a_mark_and_nothing_else(text: str, shown: str) -> None:
    assert _escaped(text) == shown
