"""SPSS, Stata and SAS files: labels, titles and user-missing values survive reading and writing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from divulge.errors import NotATableError, WriteError
from divulge.table import Schema, Table, Variable, read_table, write_table

LABELLED = Variable(
    "SEX",
    "categorical",
    np.array([1, 2, 3]),
    labels={1: "Male", 2: "Female", 3: "Other", -9: "Refused"},
    missing=(None, -9),
    title="Sex of person",
)
AGE = Variable(
    "AGE", "numeric", np.array([17, 20, 64]), labels={-8: "Not asked"}, missing=(-8,), title="Age last birthday"
)
WEIGHT = Variable("WEIGHT", "numeric", np.array([0.5, 1.25]))
AREA = Variable("AREA", "categorical", np.array(["East", "Wést"], dtype=object), labels={"East": "East End"})
TABLE = Table(
    Schema((LABELLED, AGE, WEIGHT, AREA)),
    # Female, empty, −9, Male; nobody is Other, which is a possible value all the same
    (np.array([1, 3, 4, 0]), np.array([0, 1, 2, 3]), np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])),
)


@pytest.mark.parametrize("suffix", [".sav", ".zsav"])
def test_spss_file_gives_back_the_table_with_labels_and_missing_codes(tmp_path: Path, suffix: str) -> None:
    write_table(TABLE, tmp_path / f"people{suffix}")
    again = read_table(tmp_path / f"people{suffix}")
    assert again.schema == TABLE.schema
    assert again.equals(TABLE)


def test_stata_file_keeps_labels_and_turns_missing_codes_into_letters(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "people.dta")
    again = read_table(tmp_path / "people.dta")
    sex, age = again.schema["SEX"], again.schema["AGE"]
    assert (sex.kind, sex.values.tolist(), sex.missing, sex.title) == (
        "categorical",
        [1, 2, 3],
        (None, ".a"),
        "Sex of person",
    )
    assert sex.labels == {1: "Male", 2: "Female", 3: "Other", ".a": "Refused"}
    assert (age.kind, age.missing, age.labels) == ("numeric", (".a",), {".a": "Not asked"})
    assert [c.tolist() for c in again.columns] == [c.tolist() for c in TABLE.columns]
    write_table(again, tmp_path / "again.dta")
    assert read_table(tmp_path / "again.dta").equals(again)


def test_spss_range_of_missing_values_becomes_the_codes_that_occur(tmp_path: Path) -> None:
    frame = pd.DataFrame({"INCOME": [100.0, 998.0, 250.0, 991.0, np.nan]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "income.sav"),
        missing_ranges={"INCOME": [{"lo": 990, "hi": 999}]},
        variable_value_labels={"INCOME": {998: "Refused", 997: "Does not know"}},
    )
    income = read_table(tmp_path / "income.sav").schema["INCOME"]
    assert income.kind == "numeric"
    assert income.values.tolist() == [100, 250]
    assert income.missing == (None, 991, 997, 998)
    assert income.labels == {998: "Refused", 997: "Does not know"}


def test_spss_takes_more_than_three_missing_codes_as_a_range(tmp_path: Path) -> None:
    variable = Variable("X", "numeric", np.array([0, 1]), missing=(-9, -8, -7, -1))
    table = Table(Schema((variable,)), (np.array([0, 1, 2, 3, 4, 5]),))
    write_table(table, tmp_path / "x.sav")
    again = read_table(tmp_path / "x.sav")
    assert again.schema["X"].missing == (-9, -8, -7, -1)
    assert again.equals(table)


def test_spss_rejects_missing_codes_that_it_has_no_room_for(tmp_path: Path) -> None:
    variable = Variable("X", "numeric", np.array([0, 50]), missing=(-9, -8, 98, 99))
    with pytest.raises(WriteError, match="4 missing codes"):
        write_table(Table(Schema((variable,)), (np.array([0]),)), tmp_path / "x.sav")
    assert list(tmp_path.iterdir()) == []


def test_a_labelled_end_of_a_scale_leaves_the_scale_numeric(tmp_path: Path) -> None:
    frame = pd.DataFrame({"AGE": np.arange(20.0)})
    pyreadstat.write_sav(frame, str(tmp_path / "age.sav"), variable_value_labels={"AGE": {19: "19 or over"}})
    age = read_table(tmp_path / "age.sav").schema["AGE"]
    assert (age.kind, age.labels) == ("numeric", {19: "19 or over"})


def test_dates_are_text(tmp_path: Path) -> None:
    frame = pd.DataFrame({"BORN": pd.to_datetime(["1980-02-29", "2001-12-31"])})
    pyreadstat.write_dta(frame, str(tmp_path / "born.dta"))
    assert read_table(tmp_path / "born.dta").schema["BORN"].values.tolist() == ["1980-02-29", "2001-12-31"]


def test_sas_letters_become_missing_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # pyreadstat cannot write SAS files, so what it gives for one stands in.
    about = SimpleNamespace(
        column_names=["X"],
        column_labels=["A number"],
        variable_value_labels={},
        missing_ranges={},
        variable_measure={"X": "unknown"},
        readstat_variable_types={"X": "double"},
    )
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", lambda path, **_: ({"X": [1.0, "A", None, 2.5]}, about))
    (tmp_path / "x.sas7bdat").write_bytes(b"not empty")
    table = read_table(tmp_path / "x.sas7bdat")
    assert table.schema["X"] == Variable("X", "numeric", np.array([1, 2.5]), missing=(None, ".A"), title="A number")
    assert table["X"].tolist() == [0, 3, 2, 1]


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".parquet"])
def test_file_that_is_not_what_its_ending_says_is_rejected(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"people{suffix}").write_bytes(b"name,canary\nAda,CANARY-4711\n")
    with pytest.raises(NotATableError, match=r"is not a .* file, or it is damaged") as caught:
        read_table(tmp_path / f"people{suffix}")
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize(
    ("suffix", "variable", "message"),
    [
        (".sav", Variable("Person ID", "numeric", np.array([1])), "does not take the variable name 'Person ID'"),
        (".dta", Variable("X" * 33, "numeric", np.array([1])), "does not take the variable name"),
        (".dta", Variable("X", "numeric", np.array([2**60])), "beyond 2\\^53"),
        (".sav", Variable("X", "numeric", np.array([1]), missing=(".a",)), "missing codes that are texts"),
        (".sas7bdat", Variable("X", "numeric", np.array([1])), "cannot write a table to a file that ends in"),
    ],
    ids=["blank in a name", "long name", "large integer", "text codes", "unknown ending"],
)
def test_what_a_format_cannot_hold_is_rejected(tmp_path: Path, suffix: str, variable: Variable, message: str) -> None:
    with pytest.raises(WriteError, match=message):
        write_table(Table(Schema((variable,)), (np.array([0]),)), tmp_path / f"x{suffix}")
    assert list(tmp_path.iterdir()) == []
