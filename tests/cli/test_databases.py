"""Commands on data that live in a database: the same answers everywhere, and no value of a row anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.running import divulge

CANARY = "kanarienvogel"

SPEC = """data: {duckdb: people.duckdb, query: "SELECT area, ill, secret FROM people WHERE alive"}
outputs:
  - {kind: crosstab, variables: [area, ill], compute: true}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three hundred people who live, one of them alone in area 9, and others."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("people.duckdb") as connection:
        connection.execute(
            f"""CREATE TABLE people AS SELECT if(i = 0, 9, i % 3) AS area, (i // 3) % 2 AS ill, '{CANARY}' AS secret,
            i < 300 AS alive FROM range(400) AS r(i)"""
        )
    Path("s.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert divulge(*arguments, "--json") == 0
    printed = capsys.readouterr()
    assert CANARY not in printed.out + printed.err
    return json.loads(printed.out)


def test_every_command_counts_people_and_tells_no_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    preview = told(capsys, "check", "s.yaml")
    assert preview["rows"] == 300
    assert preview["can_be_assessed"]
    findings = told(capsys, "rules", "s.yaml")["findings"]
    assert {f["people"] for f in findings if f["rule"] == "threshold"} == {1}
    assert told(capsys, "audit", "s.yaml")["cells"] is not None
    record = told(capsys, "assess", "s.yaml", "-o", "out")
    assert record["verdict"] == "refuse"
    assert record["exposure"]["exposed"] == 1
    assert record["data"]["name"] == "people.duckdb"
    assert all(CANARY not in file.read_text(encoding="utf-8") for file in Path("out").iterdir())


def test_resumed_it_is_the_same_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = told(capsys, "assess", "s.yaml", "-o", "out")
    # As if it had been killed before the record was written: the splits' folder is there, and nothing in it.
    Path("out/record.json").unlink()
    Path("out/splits").mkdir()
    again = told(capsys, "assess", "s.yaml", "-o", "out", "--resume")
    assert {**first, "timings": None} == {**again, "timings": None}


def test_rows_have_no_numbers_in_a_database(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("assess", "s.yaml", "-o", "out", "--exposed-rows", "rows.csv") == 2
    assert "rows have a number in a file alone" in capsys.readouterr().err
    assert not Path("rows.csv").exists()
    assert not Path("out").exists()
