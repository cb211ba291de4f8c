"""`divulge ledger` and `divulge worker` as people type them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from divulge.cli import main

SPEC = """
data: people.csv
outputs:
  - {kind: crosstab, variables: [AGE, SEX], compute: true}
design: {kind: repeated-halves, splits: 2}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIVULGE_LEDGER", str(tmp_path / "a.sqlite"))
    rows = "".join(f"{40 + i % 2},{'FM'[i // 2 % 2]}\n" for i in range(52))
    (tmp_path / "people.csv").write_text("AGE,SEX\n" + rows, encoding="utf-8")
    (tmp_path / "first.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main([*words, "--json"])
    said = capsys.readouterr()
    return int(end.value.code or 0), json.loads(said.out) if said.out else None, said.err


def test_release_is_added_listed_shown_and_exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, added, _ = _run(capsys, "ledger", "add", "first.yaml", "--by", "ann", "--date", "2026-10-14")
    assert code == 0
    listed = _run(capsys, "ledger", "list", "--state", "released")[1]
    assert [(s["title"], s["author"], s["dataset"]) for s in listed["submissions"]] == [("first", "ann", "people")]
    shown = _run(capsys, "ledger", "show", str(added["submission"]))[1]
    assert shown["outputs"][0]["figures"][0] == {"label": "AGE=40 & SEX=F", "value": "13"}
    assert shown["release"]["at"].startswith("2026-10-14")
    assert _run(capsys, "ledger", "export", "-o", "all.json")[0] == 0
    exported = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    assert exported["outputs"][0]["figures"] == shown["outputs"][0]["figures"]
    assert "password_hash" not in exported["people"][0]


def test_earlier_release_is_named_in_the_assessment(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(capsys, "ledger", "add", "first.yaml")
    (folder / "second.yaml").write_text(SPEC.replace("[AGE, SEX]", "[SEX]"), encoding="utf-8")
    code, record, _ = _run(capsys, "assess", "second.yaml")
    assert code == 0
    assert record["cumulative"]["outputs"] == 1
    assert record["cumulative"]["left_out"] == []


def test_change_behind_its_back_ends_with_its_own_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(capsys, "ledger", "add", "first.yaml")
    code, verified, _ = _run(capsys, "ledger", "verify")
    assert (code, verified["faults"]) == (0, [])
    assert _run(capsys, "ledger", "verify", "--expect", verified["head"])[0] == 0
    link = sqlite3.connect(folder / "a.sqlite")
    with link:
        link.execute("UPDATE outputs SET document = '{}'")
    link.close()
    code, error, said = _run(capsys, "ledger", "verify")
    assert code == 64
    assert error["error"]["type"] == "TamperedError"
    assert re.search(r"submission \d{6} is not what was written", said)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["ledger", "show", "7"], 63),
        (["ledger", "list", "--state", "lost"], 2),
        (["ledger", "list", "--dataset", "nobody"], 2),
        (["ledger", "verify", "--expect", "x"], 2),
        (["ledger", "list", "--ledger", "none.sqlite"], 60),
        (["ledger", "list", "--ledger", "mysql://a/b"], 60),
    ],
)
def test_what_is_not_there_is_said(
    folder: Path, words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(capsys, "ledger", "add", "first.yaml")
    assert _run(capsys, *words)[0] == code


def test_worker_on_an_empty_queue_ends_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, "worker", "--once")[1] == {"jobs": 0}


def test_other_commands_do_not_wait_for_the_database(folder: Path) -> None:
    import subprocess
    import sys

    script = "import sys; from divulge.cli import build_app; build_app(); print('sqlalchemy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
