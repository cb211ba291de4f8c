"""`divulge acro`: a folder in, verdicts out, the folder itself untouched, and a copy that SACRO-Viewer can open."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import statsmodels.formula.api as smf

from divulge.assess.splits import runner
from divulge.assess.splits.split import run_split
from divulge.cli import main
from tests.support.acro_folders import contents, people, regression_entry, table_entry, write_folder

QUICK = ["--splits", "2", "--seconds", "0.3", "--workers", "1"]
FRAME = people()
CANARY = 987654  # an age that nobody else has


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables, one of which the data do not give, a regression and a histogram."""
    wrong = pd.crosstab(FRAME.town, FRAME.ill)
    wrong.iloc[0, 0] += 3
    model = smf.ols("age ~ ill", FRAME).fit()
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    return write_folder(
        tmp_path / "out",
        {
            "output_0": table_entry(pd.crosstab(FRAME.town, FRAME.sex), "a.crosstab(df.town, df.sex)"),
            "output_1": table_entry(wrong, "a.crosstab(df.town, df.ill)"),
            "output_2": regression_entry(model, "olsr", "a.olsr('age ~ ill', df)"),
            "output_3": {
                "type": "histogram",
                "files": [{"name": "h.png"}],
                "content": b"not a picture",
                "command": "a.hist(df, 'age')",
            },
        },
    )


def _run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["acro", *arguments])
    printed = capsys.readouterr()
    return int(str(end.value.code or 0)), printed.out, printed.err


def test_folder_is_assessed_and_left_as_it_is(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    target = tmp_path / "found"
    code, out, err = _run([str(folder), "--data", str(tmp_path / "people.csv"), "-o", str(target), *QUICK], capsys)
    assert code == 0, err
    assert contents(folder) == before
    assert "output_1: 1 of 6 figures are not what the data give: town=Bath & ill=0." in out
    assert "output_3: A histogram is a picture (h.png), whose numbers are not in the folder." in out
    record = json.loads((target / "record.json").read_text(encoding="utf-8"))
    entries = {e["name"]: e for e in record["acro"]["outputs"]}
    assert [entries[n]["verdict"] is not None for n in entries] == [True, True, True, False]
    assert (entries["output_1"]["agreeing"], entries["output_1"]["figures"]) == (5, 6)
    assert entries["output_0"]["agreeing"] == entries["output_0"]["figures"] == 6
    assert record["verdict"] in ("review", "refuse")
    assert any("left to the checker: output_3" in reason for reason in record["reasons"])
    assert [o["number"] for o in record["outputs"]] == [1, 2, 3]
    assert "<html" in (target / "report.html").read_text(encoding="utf-8")
    _check_viewer(target / "viewer", folder, before)


def _check_viewer(viewer: Path, folder: Path, before: dict[str, bytes]) -> None:
    """What SACRO-Viewer looks at: outputs.json first; names, comments and checksums of every output."""
    document = json.loads((viewer / "outputs.json").read_text(encoding="utf-8"))
    original = json.loads(before["results.json"])
    assert document["version"] == original["version"]
    assert list(document["results"]) == [*original["results"], "divulge-DONT_RELEASE"]
    for name, result in original["results"].items():
        shown = document["results"][name]
        assert {k: v for k, v in shown.items() if k != "comments"} == {
            k: v for k, v in result.items() if k != "comments"
        }
        assert shown["comments"][-1].startswith("Divulge: ")
    ours = document["results"]["divulge-DONT_RELEASE"]
    assert (ours["type"], ours["status"]) == ("custom", {"review": "review", "refuse": "fail"}[ours["summary"][:6]])
    for result in document["results"].values():
        for file in result["files"]:
            content = (viewer / file["name"]).read_bytes()
            checksum = (viewer / "checksums" / f"{file['name']}.txt").read_text(encoding="utf-8")
            assert hashlib.sha256(content).hexdigest() == checksum
            assert file["name"] not in before or content == before[file["name"]]
    # One file of metadata that the viewer can take, so that it does not ask which.
    valid = [p.name for p in viewer.glob("*.json") if "results" in json.loads(p.read_text(encoding="utf-8"))]
    assert valid == ["outputs.json"]


def test_json_is_one_document_and_fail_on_sets_the_code(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(folder), "--data", str(tmp_path / "people.csv"), "-o", str(tmp_path / "found"), *QUICK]
    code, out, _ = _run([*arguments, "--json", "--fail-on", "review"], capsys)
    record = json.loads(out)
    assert code == {"review": 10, "refuse": 20}[record["verdict"]]
    assert [Path(f).name for f in record["files"]] == ["record.json", "report.html", "outputs.json"]


@pytest.mark.parametrize("inside", [".", "results", "checksums/x"])
def test_results_are_not_written_into_the_folder(
    inside: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    code, _, err = _run([str(folder), "--data", str(tmp_path / "people.csv"), "-o", str(folder / inside)], capsys)
    assert code == 2
    assert "into the folder that is checked" in err
    assert contents(folder) == before


def test_folder_without_anything_to_assess_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    histogram = {"type": "histogram", "files": [{"name": "h.png"}], "content": b"x", "command": ""}
    path = write_folder(tmp_path / "out", {"h": histogram})
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    code, _, err = _run([str(path), "--data", str(tmp_path / "people.csv"), "-o", str(tmp_path / "f")], capsys)
    assert code == 59
    assert "no output of the folder can be assessed" in err
    assert "h: a histogram is a picture" in err


def test_no_value_of_a_row_leaves_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = FRAME.assign(age=FRAME.age.where(FRAME.index > 0, CANARY), note="Zebedee")
    frame.to_csv(tmp_path / "people.csv", index=False)
    means = pd.crosstab(frame.town, frame.sex, values=frame.age, aggfunc="mean")
    entries: dict[str, Any] = {
        "a": table_entry(pd.crosstab(frame.town, frame.sex), "a.crosstab(df.town, df.sex)"),
        "b": table_entry(means, "a.crosstab(df.town, df.sex, f(df.age))"),
    }
    path = write_folder(tmp_path / "out", entries)
    target = tmp_path / "found"
    code, out, err = _run([str(path), "--data", str(tmp_path / "people.csv"), "-o", str(target), *QUICK], capsys)
    assert code == 0, err
    written = "".join(p.read_text(encoding="utf-8") for p in target.rglob("*") if p.is_file())
    for text in (out, err, written):
        assert str(CANARY) not in text
        assert "Zebedee" not in text


def test_interrupted_run_goes_on_to_the_same_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    # Counts are found at once, so that no clock has a say in what both runs find.
    tables = {
        "output_0": table_entry(pd.crosstab(FRAME.town, FRAME.sex), "a.crosstab(df.town, df.sex)"),
        "output_1": table_entry(pd.crosstab(FRAME.town, FRAME.ill), "a.crosstab(df.town, df.ill)"),
    }
    folder = write_folder(tmp_path / "out", tables)
    given = [str(folder), "--data", str(tmp_path / "people.csv"), "--splits", "2", "--workers", "1", "--seconds", "60"]
    assert _run([*given, "-o", str(tmp_path / "whole")], capsys)[0] == 0
    begun = []

    def stopping(task: Any, split: Any, *more: Any) -> Any:
        begun.append(split)
        if len(begun) == 4:
            raise KeyboardInterrupt
        return run_split(task, split, *more)

    with monkeypatch.context() as patch:
        patch.setattr(runner, "run_split", stopping)
        code, _, said = _run([*given, "-o", str(tmp_path / "parts")], capsys)
    assert code == 130
    assert "--resume" in said
    assert list((tmp_path / "parts" / "unfinished").rglob("*.npz"))
    assert _run([*given, "-o", str(tmp_path / "parts"), "--resume"], capsys)[0] == 0
    whole, parts = (json.loads((tmp_path / n / "record.json").read_text(encoding="utf-8")) for n in ("whole", "parts"))
    assert parts["reasons"] == whole["reasons"]
    assert parts["outputs"] == whole["outputs"]
    assert not (tmp_path / "parts" / "unfinished").exists()
