"""Every command has help, explains its options, is in the documentation, and keeps to one JSON document with --json."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import select

from divulge.cli import COMMANDS, command_tree, main
from divulge.ledger.database import open_ledger
from divulge.ledger.model import Submission
from tests.support.acro_folders import table_entry, write_folder
from tests.support.repository import ROOT

JSON_CASES: dict[str, Callable[[Path], list[str]]] = {
    "acro": lambda folder: ["acro", _acro_folder(folder), "--data", "people.csv", "--splits", "2", "--seconds", "0.2"],
    "audit": lambda folder: ["audit", _small_spec(folder)],
    "assess": lambda folder: ["assess", _fifty_people(folder)],
    "compare": lambda folder: ["compare", _small_record(folder), "record.json"],
    "check": lambda folder: ["check", _fifty_people(folder)],
    "compute": lambda folder: ["compute", _small_spec(folder)],
    "demo": lambda folder: ["demo"],
    "embed": lambda folder: ["embed", _small_spec(folder)],
    "ledger add": lambda folder: ["ledger", "add", _fifty_people(folder), "--ledger", "a.sqlite"],
    "doctor": lambda folder: ["doctor", "--ledger", _ledger(folder)],
    "ledger backup": lambda folder: ["ledger", "backup", "a.tar", "--ledger", _ledger(folder)],
    "ledger restore": lambda folder: ["ledger", "restore", _backup(folder), "--ledger", "b.sqlite"],
    "ledger export": lambda folder: ["ledger", "export", "--ledger", _ledger(folder)],
    "ledger list": lambda folder: ["ledger", "list", "--ledger", _ledger(folder)],
    "ledger show": lambda folder: ["ledger", "show", *_submitted(folder)],
    "ledger verify": lambda folder: ["ledger", "verify", "--ledger", _ledger(folder)],
    "people list": lambda folder: ["people", "list", "--ledger", _ledger(folder)],
    "people reset-password": lambda folder: [
        "people",
        "reset-password",
        getpass.getuser(),
        "--ledger",
        _ledger(folder),
    ],
    "worker": lambda folder: ["worker", "--once", "--ledger", _ledger(folder)],
    "serve": lambda folder: ["serve", "--check", "--no-demo", "--ledger", "b.sqlite"],
    "open": lambda folder: ["open", "new-folder", "--check"],
    "inspect": lambda folder: ["inspect", _small_file(folder)],
    "measure": lambda folder: (
        f"measure --original {_small_file(folder)} --synthetic small.csv --keys AGE --target SEX".split()
    ),
    "mitigate": lambda folder: ["mitigate", _fifty_people(folder), "--most", "1"],
    "new": lambda folder: ["new", "new.yaml", "--data", _small_file(folder), "--crosstab", "AGE,SEX"],
    "outputs": lambda folder: ["outputs"],
    "read": lambda folder: ["read", _handed_in(folder), "--data", "people.csv", "-o", "read.yaml"],
    "stata": lambda folder: ["stata", _stata_folder(folder)],
    "rules": lambda folder: ["rules", _small_spec(folder)],
    "teach": lambda folder: ["teach", _published(folder)],
    "report": lambda folder: ["report", _small_record(folder), "--format", "csv"],
}
"""How to run each command on little data in an empty folder, without --json. A new command needs a line here."""


def _stata_folder(folder: Path) -> str:
    (folder / "from_stata").mkdir()
    rows = "".join(f"{i % 2},{i % 3}\n" for i in range(60))
    (folder / "from_stata" / "data.csv").write_text("a,b\n" + rows, encoding="utf-8")
    (folder / "from_stata" / "results.txt").write_text("e\tcmd\ttabulate\nvariable\ta\nvariable\tb\n", encoding="utf-8")
    (folder / "from_stata" / "asked.txt").write_text("splits\t2\nseconds\t0.2\n", encoding="utf-8")
    return "from_stata"


def _small_spec(folder: Path) -> str:
    text = f"data: {_small_file(folder)}\noutputs:\n  - {{kind: crosstab, variables: [AGE, SEX]}}\n"
    (folder / "spec.yaml").write_text(text, encoding="utf-8")
    return "spec.yaml"


def _handed_in(folder: Path) -> str:
    _fifty_people(folder)
    frame = pd.read_csv(folder / "people.csv")
    (folder / "in").mkdir()
    pd.crosstab(frame.AGE, frame.SEX).to_csv(folder / "in" / "table.csv")
    return "in"


def _acro_folder(folder: Path) -> str:
    _fifty_people(folder)
    frame = pd.read_csv(folder / "people.csv")
    table = table_entry(pd.crosstab(frame.AGE, frame.SEX), "a.crosstab(df.AGE, df.SEX)")
    return write_folder(folder / "out", {"output_0": table}).name


def _fifty_people(folder: Path) -> str:
    rows = "".join(f"{40 + i % 2},{'FM'[i // 2 % 2]}\n" for i in range(52))
    (folder / "people.csv").write_text("AGE,SEX\n" + rows, encoding="utf-8")
    text = "data: people.csv\noutputs:\n  - {kind: crosstab, variables: [AGE, SEX]}\n"
    text += "design: {kind: repeated-halves, splits: 2}\n"
    (folder / "people.yaml").write_text(text, encoding="utf-8")
    return "people.yaml"


def _published(folder: Path) -> str:
    schema = '{"fields": [{"name": "SEX", "type": "string", "categories": ["F", "M"], "missingValues": []}]}'
    (folder / "schema.json").write_text(schema, encoding="utf-8")
    text = "schema: schema.json\nrows: 5\noutputs:\n  - {kind: frequencies, variables: [SEX], released: [2, 3]}\n"
    (folder / "published.yaml").write_text(text, encoding="utf-8")
    return "published.yaml"


def _ledger(folder: Path) -> str:
    with pytest.raises(SystemExit):
        main(["ledger", "add", _fifty_people(folder), "--ledger", "a.sqlite"])
    return "a.sqlite"


def _submitted(folder: Path) -> list[str]:
    """The number of what was added, which is drawn, and its ledger."""
    ledger = open_ledger(_ledger(folder))
    with ledger.reading() as session:
        number = session.scalars(select(Submission.id)).one()
    ledger.close()
    return [str(number), "--ledger", "a.sqlite"]


def _backup(folder: Path) -> str:
    with pytest.raises(SystemExit):
        main(["ledger", "backup", "a.tar", "--ledger", _ledger(folder)])
    return "a.tar"


def _small_record(folder: Path) -> str:
    (folder / "record.json").write_text('{"format_version": 1, "verdict": "release"}', encoding="utf-8")
    return "record.json"


def _small_file(folder: Path) -> str:
    (folder / "small.csv").write_text("AGE,SEX\n40,F\n41,M\n", encoding="utf-8")
    return "small.csv"


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, sub in getattr(command, "commands", {}).items():
        if not getattr(sub, "commands", None):
            yield " ".join((*path, name)), sub
        yield from _commands(sub, (*path, name))


ALL = dict(_commands(command_tree()))


def test_every_registered_command_is_on_the_command_line() -> None:
    assert {name.split()[0] for name in ALL} == set(COMMANDS)


@pytest.mark.parametrize("name", ALL)
def test_command_has_help_that_starts_with_a_sentence(name: str) -> None:
    text = (ALL[name].help or "").strip()
    assert text
    assert text.split("\n")[0].rstrip().endswith((".", ":"))


@pytest.mark.parametrize("name", ALL)
def test_command_explains_its_arguments_and_options(name: str) -> None:
    unexplained = [parameter.name for parameter in ALL[name].params if not parameter.help]
    assert unexplained == []


@pytest.mark.parametrize("name", ALL)
def test_command_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"## divulge {name}\n" in page, "run: make docs"


@pytest.mark.parametrize("name", ALL)
def test_command_takes_json(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in ALL[name].params)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_json_is_the_only_thing_on_standard_output(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert name in JSON_CASES, "say in JSON_CASES how to run it"
    monkeypatch.chdir(tmp_path)
    arguments = JSON_CASES[name](tmp_path)
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--json"])
    printed = capsys.readouterr().out
    assert end.value.code == 0
    assert isinstance(json.loads(printed), dict)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_wrong_option_is_one_json_error_too(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*name.split(), "--no-such-option", "--json"])
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert json.loads(printed.out)["error"]["type"] == "UsageError"
    assert "--no-such-option" in printed.err
