"""`divulge read`: what is printed, the spec that it writes, and assessing a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from divulge.cli import main
from tests.support.handed_in import TEXTS, people


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    made = tmp_path / "in"
    made.mkdir()
    (made / "log.txt").write_text(TEXTS["stata"](), encoding="utf-8")
    (made / "figure.png").write_bytes(b"\x89PNG")
    return made


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0)


def test_json_names_files_outputs_and_what_was_not_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("read", "in", "--data", "people.csv", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert {f["file"]: f["status"] for f in told["files"]} == {"figure.png": "not read", "log.txt": "confirmed"}
    assert [(o["kind"], o["confirmed"]) for o in told["outputs"]] == [
        ("means", True),
        ("crosstab", True),
        ("linear", True),
    ]
    assert told["unread"] == [{"file": "figure.png", "reason": "a picture, whose numbers cannot be read as text"}]
    figure = told["outputs"][1]["figures"][0]
    assert {"label", "what", "value", "printed", "agrees"} <= set(figure)


def test_the_spec_names_file_and_lines_and_can_be_computed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("read", "in", "--data", "people.csv", "-o", "spec.yaml") == 0
    text = Path("spec.yaml").read_text(encoding="utf-8")
    assert "# log.txt, lines" in text
    assert "figure.png: a picture" in text
    capsys.readouterr()
    assert run("compute", "spec.yaml", "--json") == 0
    assert {o["kind"] for o in json.loads(capsys.readouterr().out)["outputs"]} >= {"crosstab", "linear", "means"}


def test_a_folder_with_unread_files_is_never_released(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "log.txt").unlink()
    (folder / "table.md").write_text(TEXTS["tables"](), encoding="utf-8")
    assert run("assess", "in", "--data", "people.csv", "-o", "found", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["verdict"] in ("review", "refuse")
    assert any("figure.png" in reason for reason in record["reasons"])
    assert record["handed_in"]["outputs"][0]["confirmed"]


def test_assessing_a_folder_without_data_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("assess", "in") == 2
    assert "--data" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("read", "nowhere", "--data", "people.csv") != 0
    assert "nowhere" in capsys.readouterr().err
