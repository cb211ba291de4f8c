"""`divulge compute` and `divulge outputs` as people and scripts use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from divulge.outputs import OUTPUTS
from tests.support.running import said

CSV = "SEX,AGE,TENURE\n" + "f,10,rent\nf,20,own\nm,30,own\nm,40,rent\nm,50,rent\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def computed(capsys: pytest.CaptureFixture[str], outputs: str, *options: str) -> Any:
    Path("s.yaml").write_text(f"data: d.csv\noutputs:\n{outputs}", encoding="utf-8")
    code, out, err = said(capsys, "compute", "s.yaml", "--json", *options)
    assert code == 0, err
    return json.loads(out)["outputs"]


def test_json_has_the_fixed_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (output,) = computed(capsys, "  - {kind: crosstab, variables: [SEX], released: {SEX=f: 2, SEX=m: 4}}")
    assert (output["kind"], output["status"]) == ("crosstab", "ok")
    assert output["figures"] == [
        {"label": "SEX=f", "value": 2.0, "released": 2.0, "agrees": True},
        {"label": "SEX=m", "value": 3.0, "released": 4.0, "agrees": False},
    ]


def test_computed_output_says_what_would_be_published(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (output,) = computed(capsys, "  - {kind: means, variables: [AGE], by: [SEX], decimals: -1}")
    assert [f["published"] for f in output["figures"]] == [20.0, 40.0]
    assert [f["value"] for f in output["figures"]] == [15.0, 40.0]


def test_people_see_which_figures_do_not_agree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text(
        "data: d.csv\noutputs:\n  - {kind: crosstab, variables: [SEX], released: {SEX=f: 2, SEX=m: 4}}\n",
        encoding="utf-8",
    )
    code, out, _ = said(capsys, "compute", "s.yaml")
    assert code == 0
    assert "1 of 2 released figures agree with the data. These do not: SEX=m." in out


def test_suppressed_cells_are_not_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text(
        "data: d.csv\noutputs:\n  - {kind: crosstab, variables: [SEX], threshold: 3}\n", encoding="utf-8"
    )
    _, out, _ = said(capsys, "compute", "s.yaml")
    shown = [line.split() for line in out.splitlines()]
    assert ["SEX=f", "suppressed"] in shown
    assert ["SEX=m", "3"] in shown


@pytest.mark.parametrize(
    ("outputs", "where", "code"),
    [
        ("[{kind: means, variables: [AGE], where: AGE > 90}]", "outputs[0].where", 51),
        (
            "[{kind: means, variables: [AGE], by: [SEX, TENURE], where: not (SEX = f and TENURE = own)}]",
            "outputs[0].by",
            51,
        ),
        ("[{kind: mode, variables: [AGE]}, {kind: means, variables: [AEG]}]", "outputs[1].variables[0]", 45),
        ("[{kind: custom, function: 'code.py:f'}]", "outputs[0].function", 51),
    ],
)
def test_error_has_the_path_in_the_spec(
    folder: Path, capsys: pytest.CaptureFixture[str], outputs: str, where: str, code: int
) -> None:
    Path("s.yaml").write_text(f"data: d.csv\noutputs: {outputs}\n", encoding="utf-8")
    found, out, err = said(capsys, "compute", "s.yaml", "--json")
    assert found == code
    assert json.loads(out)["error"]["where"] == where
    assert where in err


def test_empty_groups_may_be_allowed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (output,) = computed(capsys, "  - {kind: means, variables: [AGE], by: [SEX], where: SEX = f, empty: allow}")
    assert output["status"] == "empty group"
    assert [f["value"] for f in output["figures"]] == [15.0, None]


def test_spec_without_data_cannot_be_computed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text("rows: 5\noutputs: [{kind: mode, variables: [AGE]}]\n", encoding="utf-8")
    code, _, err = said(capsys, "compute", "s.yaml")
    assert code == 50
    assert "no data" in err


def test_code_runs_only_with_leave(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("code.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\ndef f(people):\n    return {'oldest': people['AGE'].max()}\n",
        encoding="utf-8",
    )
    outputs = "  - {kind: custom, function: 'code.py:f', figures: [oldest]}"
    Path("s.yaml").write_text(f"data: d.csv\noutputs:\n{outputs}", encoding="utf-8")
    code, _, err = said(capsys, "compute", "s.yaml")
    assert code == 51
    assert "--allow-code" in err
    assert not Path("ran").exists()
    (output,) = computed(capsys, outputs, "--allow-code")
    assert output["figures"][0]["value"] == 50.0
    assert Path("ran").exists()


def test_outputs_lists_every_kind_with_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "outputs", "--json")
    assert code == 0
    kinds = {k["kind"]: k for k in json.loads(out)["kinds"]}
    assert set(kinds) == {k.kind for k in OUTPUTS}
    fields = {f["name"]: f for f in kinds["crosstab"]["fields"]}
    assert fields["variables"]["needed"]
    assert fields["statistic"]["default"] == "counts"
    assert all(f["help"] for k in kinds.values() for f in k["fields"])
    code, out, _ = said(capsys, "outputs", "crosstab")
    assert "threshold" in out
    code, _, err = said(capsys, "outputs", "crostab")
    assert code == 2
    assert "Did you mean 'crosstab'" in err


def test_outputs_prints_the_json_schema(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "outputs", "--schema")
    assert code == 0
    assert json.loads(out)["title"] == "Divulge assessment"
