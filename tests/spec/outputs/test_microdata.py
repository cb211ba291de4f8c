"""Synthetic microdata as an output: which rows are released, and which programs may run."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import DivulgeError, OutputError, SpecError
from divulge.outputs.kinds.microdata import Microdata
from divulge.spec import parse_output
from divulge.table import Schema, Table, Variable, read_table

SCHEMA = Schema(
    (
        Variable("AGE", "numeric", np.array([20, 30, 40, 50]), missing=(None,)),
        Variable("SEX", "categorical", np.array(["f", "m"], dtype=object)),
        Variable("ILL", "categorical", np.array(["no", "yes"], dtype=object)),
    )
)
PEOPLE = Table(SCHEMA, (np.array([0, 1, 2, 3, 4, 0]), np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 0, 0])))
SECRET = "UNMISTAKABLE"


def rng() -> np.random.Generator:
    return np.random.default_rng(1)  # any seed


def test_people_with_missing_values_are_people() -> None:
    made = parse_output({"kind": "microdata", "variables": ["AGE"], "generator": {"kind": "cart"}})
    assert made.makes_rows
    assert made.evaluate(PEOPLE).values.tolist() == [6.0]


def test_rows_are_made_of_whom_the_condition_names_and_of_the_named_variables() -> None:
    output = parse_output(
        {
            "kind": "microdata",
            "variables": ["AGE", "SEX"],
            "where": "ILL = no",
            "generator": {"kind": "sample", "share": 1},
        }
    )
    rows = output.rows_of(PEOPLE, rng())
    assert rows.names == ("AGE", "SEX")
    assert sorted(rows["AGE"].tolist()) == [0, 0, 1, 4]
    assert output.evaluate(PEOPLE).values.tolist() == [4.0]


def test_released_files_are_taken_as_they_are_one_below_the_other(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("SEX,AGE\nf,20\nm,50\n", encoding="utf-8")
    (tmp_path / "two.csv").write_text("SEX,AGE\nm,30\n", encoding="utf-8")
    output = Microdata(variables=("AGE", "SEX"), files=("one.csv", "two.csv")).placed(tmp_path)
    rows = output.released_rows(PEOPLE, rng())
    assert rows["AGE"].tolist() == [0, 3, 1]
    assert rows["SEX"].tolist() == [0, 1, 1]
    assert not output.makes_rows


def test_number_that_nobody_has_is_the_nearest_and_a_level_that_nobody_has_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "made.csv").write_text("AGE,SEX\n21.4,f\n46,m\n99,m\n30,x\n", encoding="utf-8")
    output = Microdata(variables=("AGE", "SEX"), files=("made.csv",)).placed(tmp_path)
    assert output.released_rows(PEOPLE, rng())["AGE"].tolist() == [0, 3, 3]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"variables": ("AGE",)}, "neither files nor a generator"),
        ({"variables": (), "files": ("a.csv",)}, "at least one entry is needed"),
        ({"variables": ("AGE", "AGE"), "files": ("a.csv",)}, "is there twice"),
        ({"variables": ("AGE",), "command": "make it"}, "where {original} and {synthetic} goes"),
        ({"variables": ("AGE",), "command": "make '{original} {synthetic}"}, "quotation mark"),
        ({"variables": ("AGE",), "files": ("a.csv",), "coarser": {"AGE": {"bands": [0, 40]}}}, "coarser"),
    ],
)
def test_what_makes_no_sense_is_refused(fields: dict[str, object], says: str) -> None:
    with pytest.raises((OutputError, SpecError), match=says):
        parse_output({"kind": "microdata", **{k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}})


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    output = Microdata(variables=("AGE",), files=("nowhere.csv",)).placed(tmp_path)
    with pytest.raises(DivulgeError) as error:
        output.released_rows(PEOPLE, rng())
    assert "nowhere.csv" in str(error.value)


def program(folder: Path, lines: str) -> Microdata:
    """A microdata output whose rows a program of these lines makes."""
    (folder / "make.py").write_text(f"import os, sys\noriginal, synthetic = sys.argv[1:]\n{lines}\n", encoding="utf-8")
    command = f"{sys.executable} make.py {{original}} {{synthetic}}"
    return Microdata(variables=("AGE", "SEX"), command=command).placed(folder)


def test_program_runs_only_where_it_is_allowed(tmp_path: Path) -> None:
    output = program(tmp_path, "open('ran', 'w').close()")
    with pytest.raises(OutputError, match="has not been allowed"):
        output.rows_of(PEOPLE, rng())
    assert not (tmp_path / "ran").exists()


def test_program_is_given_the_named_variables_and_its_rows_are_taken(tmp_path: Path) -> None:
    output = program(
        tmp_path,
        "text = open(original).read()\nopen('seen.csv', 'w').write(text)\nopen(synthetic, 'w').write(text)\n"
        "open('seed', 'w').write(os.environ['DIVULGE_SEED'])",
    ).allowed(tmp_path)
    rows = output.rows_of(PEOPLE, rng())
    assert [c.tolist() for c in rows.columns] == [c.tolist() for c in PEOPLE.select(["AGE", "SEX"]).columns]
    assert read_table(tmp_path / "seen.csv").names == ("AGE", "SEX")
    first = (tmp_path / "seed").read_text()
    output.rows_of(PEOPLE, rng())
    assert (tmp_path / "seed").read_text() == first


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (f"print('{SECRET}'); sys.exit('{SECRET}')", "ended with 1"),
        (f"print('{SECRET}')", "wrote no file"),
        (f"open(synthetic, 'w').write('AGE,SEX\\n20,{SECRET}\\n')", "no row whose levels the data have"),
        (f"open(synthetic, 'w').write('AGE,{SECRET}\\n20,f\\n')", "SEX"),
    ],
)
def test_program_that_fails_is_told_without_a_word_of_what_it_printed(tmp_path: Path, lines: str, says: str) -> None:
    output = program(tmp_path, lines).allowed(tmp_path)
    with pytest.raises(DivulgeError) as error:
        output.rows_of(PEOPLE, rng())
    assert says in str(error.value)
    assert SECRET not in error.value.message


def test_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    output = Microdata(variables=("AGE",), command="no-such-program {original} {synthetic}").allowed(tmp_path)
    with pytest.raises(OutputError, match="no program 'no-such-program'"):
        output.rows_of(PEOPLE, rng())
