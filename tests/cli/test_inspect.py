"""`divulge inspect`: what it shows and writes, and how it refuses each sort of bad input."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.table import Schema, Table, Variable, read_schema, read_table, write_table
from tests.support.running import divulge

PEOPLE = "ID,AGE,AGEGR,INCOME,SEX\n" + "".join(
    f"{1000 + i},{20 + i % 40},{'young' if i % 40 < 15 else 'old'},"
    f"{-8 if i % 9 == 0 else 500 + 50 * (i % 31)},{'FM'[i // 40 % 2]}\n"
    for i in range(400)
)
CANARY = "CANARY-4711"


def _document(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_json_describes_every_variable_and_what_looks_wrong(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("inspect", people, "--json") == 0
    document = _document(capsys)
    assert document["rows"] == 400
    assert [v["name"] for v in document["variables"]] == ["ID", "AGE", "AGEGR", "INCOME", "SEX"]
    age, income, sex = (document["variables"][i] for i in (1, 3, 4))
    assert (age["kind"], age["values"], age["missing"], age["range"]) == ("numeric", 40, [], [20, 59])
    assert (sex["kind"], sex["labels"]) == ("categorical", ["F", "M"])
    assert [w["code"] for w in income["warnings"]] == ["coded-missing"]
    assert {(w["variable"], w["code"]) for w in document["warnings"]} == {
        ("ID", "identifier"),
        ("INCOME", "coded-missing"),
        ("AGEGR", "derived"),
    }
    assert all(w["message"] and w["advice"] for w in document["warnings"])


def test_text_shows_kinds_ranges_and_advice(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("inspect", people) == 0
    shown = capsys.readouterr().out
    assert "400 rows, 5 variables" in shown
    assert "20 to 59" in shown
    assert "INCOME: -8 (45 rows) looks like a missing code" in shown
    assert 'list "-8" in missingValues' in shown
    assert "AGEGR: follows from 'AGE'" in shown


def test_saved_schema_is_read_back_with_the_data(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = people.with_name("people.schema.json")
    assert divulge("inspect", people, "--save-schema", saved) == 0
    assert read_schema(saved).select(["AGE", "SEX"]) == read_table(people).schema.select(["AGE", "SEX"])
    document = json.loads(saved.read_text(encoding="utf-8"))
    document["fields"][3]["missingValues"] = [{"value": "-8", "label": "Refused"}]
    saved.write_text(json.dumps(document), encoding="utf-8")
    capsys.readouterr()
    assert divulge("inspect", people, "--schema", saved, "--json") == 0
    income = _document(capsys)["variables"][3]
    assert (income["missing"], income["range"], income["warnings"]) == ([-8], [500, 2000], [])


def test_marginals_go_into_the_saved_schema(people: Path) -> None:
    saved = people.with_name("people.schema.json")
    assert divulge("inspect", people, "--save-schema", saved, "--marginals") == 0
    frequencies = read_schema(saved)["SEX"].frequencies
    assert frequencies is not None
    assert frequencies.tolist() == [200, 200]


def test_marginals_without_a_schema_to_save_are_a_mistake(people: Path) -> None:
    assert divulge("inspect", people, "--marginals") == 2


def test_labels_of_other_formats_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sex = Variable("SEX", "categorical", np.array([1, 2]), {1: "Male", 2: "Female"}, (-9,), title="Sex of person")
    write_table(Table(Schema((sex,)), (np.array([0, 1, 2]),)), tmp_path / "sex.sav")
    assert divulge("inspect", tmp_path / "sex.sav", "--json") == 0
    shown = _document(capsys)["variables"][0]
    assert (shown["labels"], shown["missing"], shown["title"]) == (["Male", "Female"], [-9], "Sex of person")


def test_delimiter_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text("a:b,c\n1:2,3\n", encoding="utf-8")
    assert divulge("inspect", tmp_path / "a.csv", "--delimiter", ":", "--json") == 0
    assert [v["name"] for v in _document(capsys)["variables"]] == ["a", "b,c"]
    assert divulge("inspect", tmp_path / "a.csv", "--delimiter", "::") == 2


def _schema(**field: Any) -> str:
    return json.dumps({"fields": [{"name": "name", "type": "string"} | field]})


_RANDOM = random.Random(0).randbytes(3000)  # any seed: bytes without meaning
BAD: dict[str, tuple[str, bytes | str | None, int, str]] = {
    "no such file": ("x.csv", None, 30, "there is no such file"),
    "not a table": ("x.csv", b"\x89PNG\r\n\x1a\n" + _RANDOM, 32, "is not a"),
    "random bytes": ("x.csv", _RANDOM, 32, "is not a"),
    "web page": ("x.csv", f"<!DOCTYPE html><p>{CANARY}", 32, "begins like another kind of file"),
    "unknown ending": ("x.docx", f"a,b\n1,{CANARY}\n", 32, "a table's ending is needed"),
    "false Parquet": ("x.parquet", f"a,b\n1,{CANARY}\n", 32, "not a Parquet file"),
    "false SPSS": ("x.sav", f"a,b\n1,{CANARY}\n", 32, "not a SPSS file"),
    "false Stata": ("x.dta", f"a,b\n1,{CANARY}\n", 32, "not a Stata file"),
    "false SAS": ("x.sas7bdat", f"a,b\n1,{CANARY}\n", 32, "not a SAS file"),
    "empty": ("x.csv", b"", 33, "the file is empty"),
    "blank": ("x.csv", "\n\n  \n", 33, "no text in it"),
    "header only": ("x.csv", "a,b\n", 34, "a header of 2 columns and no rows"),
    "ragged": ("x.csv", f"a,b\n1,2\n{CANARY}\n1,2,{CANARY}\n", 35, "2 rows do not have as many fields"),
    "open quote": ("x.csv", f'a,b\n1,2\n3,"{CANARY}\n4,5\n', 32, "begins in line 3 is never closed"),
    "twice": ("x.csv", f"a,b,a\n1,2,{CANARY}\n", 36, "columns 1 and 3 ('a')"),
    "undecodable": ("x.csv", f"a,b\n{CANARY},привет\n".encode("cp1251"), 37, "bytes that are not text"),
}


@pytest.mark.parametrize(("name", "content", "exit_code", "message"), BAD.values(), ids=BAD.keys())
def test_bad_file_has_its_own_exit_code_and_message(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | str | None,
    exit_code: int,
    message: str,
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    assert divulge("inspect", tmp_path / name, "--json") == exit_code
    shown = capsys.readouterr()
    error = json.loads(shown.out)
    assert message in error["error"]["message"]
    assert error["exit_code"] == exit_code
    assert name in error["error"]["where"]
    assert message in shown.err.replace("\n", " ")
    assert "CANARY" not in shown.out + shown.err
    assert "4711" not in shown.out + shown.err


def test_folder_is_not_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("inspect", tmp_path) == 31
    assert "this is a folder" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_file_that_may_not_be_read_is_said_so(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people.chmod(0)
    assert divulge("inspect", people) == 30
    assert "Permission denied" in capsys.readouterr().err


def test_file_that_may_not_be_opened_is_said_so(
    people: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def refuse(path: Path, *given: Any, **named: Any) -> Any:
        if path == people:
            raise PermissionError(13, "Permission denied")
        return opened(path, *given, **named)

    monkeypatch.setattr(Path, "open", refuse)
    assert divulge("inspect", people) == 30
    assert "Permission denied" in capsys.readouterr().err


ADA = f"name,age\n{CANARY},36\n"


@pytest.mark.parametrize(
    ("schema", "exit_code", "message"),
    [
        ("{", 40, "this is not JSON"),
        ("[1]", 40, "needs `fields`"),
        (_schema(type="geopoint"), 40, "fields[0].type"),
        (_schema(name=""), 40, "every field needs a `name`"),
        (_schema(categories=["a"], constraints={"enum": ["b"]}), 40, "fields[0].constraints"),
        (_schema(name="absent"), 41, "the schema names 'absent'"),
        (_schema(categories=["Ada"]), 42, "1 rows of 'name' (1 distinct value)"),
        (_schema(categories=["Ada"])[:-1] + ', "rules": ["name >"]}', 43, "rules[0]"),
        (
            '{"fields": [{"name": "age", "type": "integer"}], "rules": ["age < 18"]}',
            44,
            "1 of 1 rows break the edit rule 'age < 18'",
        ),
        ('{"fields": [{"name": "age"}], "rules": ["ago = 3"]}', 45, "there is no variable 'ago'"),
    ],
    ids=[
        *("not JSON", "no fields", "unknown type", "no name", "contradiction", "absent column", "outside", "bad rule"),
        *("broken rule", "unknown variable"),
    ],
)
def test_bad_schema_has_its_own_exit_code_and_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], schema: str, exit_code: int, message: str
) -> None:
    (tmp_path / "ada.csv").write_text(ADA, encoding="utf-8")
    (tmp_path / "s.json").write_text(schema, encoding="utf-8")
    assert divulge("inspect", tmp_path / "ada.csv", "--schema", tmp_path / "s.json") == exit_code
    shown = capsys.readouterr()
    assert message in shown.err.replace("\n", " ")
    assert "CANARY" not in shown.out + shown.err


def test_text_shows_titles_on_one_short_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "What the person is called\nby those who know him or her very well indeed"
    variables = (
        Variable("SEX", "categorical", np.array([1, 2]), labels={1: "Male", 2: "Female"}, title="Sex of the person"),
        Variable("NAME", "categorical", np.array(["a", "b"], dtype=object), title=long),
    )
    codes = np.array([0, 1, 1], dtype=np.uint8)
    write_table(Table(Schema(variables), (codes, codes)), tmp_path / "people.sav")
    assert divulge("inspect", tmp_path / "people.sav") == 0
    printed = capsys.readouterr().out
    assert "Sex of the person" in printed
    assert "Male, Female" in printed
    assert "What the person is called by those who …" in printed


def test_text_has_no_column_of_titles_where_there_are_none(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("inspect", people) == 0
    assert "title" not in capsys.readouterr().out
