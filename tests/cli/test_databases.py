"""Commands on data that live in a database: the same answers everywhere, and no value of a row anywhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.postgres import Cluster
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


@pytest.mark.needs("postgresql")
@pytest.mark.parametrize("how", ["environment", "service file"])
def test_nothing_that_leads_to_a_server_is_ever_told(
    how: str, folder: Path, postgres: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    postgres.run("DROP TABLE IF EXISTS crowd")
    postgres.run("CREATE TABLE crowd AS SELECT i % 3 AS area, (i / 3) % 2 AS ill FROM generate_series(1, 300) AS r(i)")
    given = {"host": str(postgres.folder), "user": postgres.user, "dbname": "postgres", "password": CANARY}
    if how == "environment":
        for name, key in {"PGHOST": "host", "PGUSER": "user", "PGDATABASE": "dbname", "PGPASSWORD": "password"}.items():
            monkeypatch.setenv(name, given[key])
    else:
        lines = "\n".join(f"{key}={value}" for key, value in given.items())
        (folder / "service.conf").write_text(f"[census]\n{lines}\n", encoding="utf-8")
        monkeypatch.setenv("PGSERVICEFILE", str(folder / "service.conf"))
    service = "census" if how == "service file" else "''"
    output = "{kind: crosstab, variables: [area, ill], compute: true}"
    for table, expected in (("crowd", 0), ("nobody", 61)):
        text = f"data: {{postgresql: {service}, table: {table}}}\noutputs:\n  - {output}\n"
        Path("s.yaml").write_text(text, encoding="utf-8")
        status = divulge("--verbose", "assess", "s.yaml", "-o", f"out-{table}")
        assert (status == 0) == (expected == 0)
        printed = capsys.readouterr()
        files = [f.read_text(encoding="utf-8") for f in Path().glob("out-*/**/*") if f.is_file()]
        assert files, "the first left a record"
        for secret in (CANARY, str(postgres.folder)):
            assert all(secret not in said for said in (printed.out, printed.err, *files))


@pytest.mark.slow
@pytest.mark.parametrize("later", [0.0, 0.5])
def test_killed_in_the_middle_and_resumed_it_is_the_same_record(later: float, folder: Path) -> None:
    spec = """data: {duckdb: people.duckdb, table: people}
outputs:
  - {kind: linear, formula: ill ~ C(area), compute: true}
  - {kind: crosstab, variables: [area, alive], compute: true}
design: {kind: repeated-halves, splits: 60, stop_early: false}
"""
    Path("s.yaml").write_text(spec, encoding="utf-8")
    assert divulge("--quiet", "assess", "s.yaml", "-o", "whole", "--workers", 1) == 0
    words = [sys.executable, "-m", "divulge", "--quiet", "assess", "s.yaml", "-o", "out", "--workers", "1"]
    run = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while not Path("out").exists():  # it is made where the work begins
        assert time.monotonic() < end
        time.sleep(0.002)
    time.sleep(later)
    assert run.poll() is None, "it ended before it was killed"
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait(60) == -signal.SIGKILL
    assert not Path("out/record.json").exists()
    assert divulge("--quiet", "assess", "s.yaml", "-o", "out", "--workers", 1, "--resume") == 0
    records = [json.loads(Path(name, "record.json").read_text(encoding="utf-8")) for name in ("whole", "out")]
    for record in records:
        assert record["condensed"]["risk"] == "expected"
        record["timings"] = record["audit"]["seconds"] = None
    assert records[0] == records[1]
