"""`divulge demo`: what it lists, writes and runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from divulge.cli import main
from divulge.cli.demo_job import render
from divulge.demo import DEMOS
from divulge.table import read_schema, read_table


def _divulge(*arguments: object) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return int(end.value.code or 0)


def test_listing_says_which_are_simulated_and_which_real(capsys: pytest.CaptureFixture[str]) -> None:
    assert _divulge("demo") == 0
    lines = capsys.readouterr().out.splitlines()
    for demo in DEMOS:
        assert any(f" {demo.name} " in line and f" {demo.origin} " in line for line in lines)


def test_written_files_hold_the_same_tables(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert _divulge("demo", "--write", folder) == 0
    for demo in DEMOS:
        schema = read_schema(folder / f"{demo.name}.schema.json")
        assert read_table(folder / f"{demo.name}.csv", schema).equals(demo.make())


def test_real_data_are_written_with_their_source(tmp_path: Path) -> None:
    assert _divulge("--quiet", "demo", "--write", tmp_path) == 0
    assert "CC BY 4.0" in (tmp_path / "cps.source.txt").read_text(encoding="utf-8")


def test_json_lists_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _divulge("demo", "--write", tmp_path, "--json") == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [t["name"] for t in tables] == [demo.name for demo in DEMOS]
    assert all(Path(file).exists() for t in tables for file in t["files"])


def test_run_prints_the_path_of_the_report_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _divulge("demo", "--run", tmp_path) == 0
    report = Path(capsys.readouterr().out.splitlines()[-1])
    assert report.is_absolute()
    page = report.read_text(encoding="utf-8")
    assert "Simulated: nobody in it exists." in page
    assert "50,357 people" in page
    assert not re.search(r"https?://", page)


def test_run_is_the_same_twice(tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert _divulge("demo", "--run", tmp_path / name) == 0
    for file in ("record.json", "report.html", "census.csv"):
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes(), file


def test_report_escapes_what_it_shows() -> None:
    hostile = "<script>alert('x')</script>"
    variable: dict[str, Any] = {"name": hostile, "title": hostile, "kind": "categorical", "span": ""}
    variable["shares"] = [{"label": hostile, "share": 1.0}]
    record: dict[str, Any] = {"title": hostile, "data": hostile, "rows": 1, "rules": [hostile], "divulge": "0"}
    record["remarks"] = [hostile]
    assert "<script" not in render({**record, "variables": [variable]})


def test_write_and_run_together_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _divulge("demo", "--write", tmp_path, "--run", tmp_path) == 2
    assert "Give one of them." in capsys.readouterr().err


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert _divulge("demo", "--write", tmp_path / "file") == 38
    assert "cannot make the folder" in capsys.readouterr().err
