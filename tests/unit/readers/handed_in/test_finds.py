"""What else a checker looks for is listed with its line, and never repeated."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.finds import Find, find_in
from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.sheets import open_document
from tests.support.handed_in import people, table


def found_in(text: str, folder: Path) -> list[Find]:
    (folder / "t.txt").write_text(text, encoding="utf-8")
    return list(find_in(open_document(folder / "t.txt"), Vocabulary(table().schema)))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ask j.doe@example.org", "an e-mail address"),
        ("log: /ho" + "me/jdoe/project/a.log", "a path with the name of a user or a server"),
        ("Prepared by Dr Jane Doe", "the name of a person"),
        ("Contact: Jane Doe, room 4", "the name of a person"),
        ("Analyst = J. Doe", "the name of a person"),
        (
            "   Min     1Q Median     3Q    Max \n-6.1 -1.2 0.1 1.3 4.9",
            "the least and the greatest residual, each of one person",
        ),
        ("DOB 12/03/1961", "a date of birth"),
        ("born 3 March 1961, died in hospital", "a date of birth"),
        ("Date of birth: March 3, 1961", "a date of birth"),
        ("nhs no: 9434765919", "what may be an NHS number"),
        ("> str(d$wage)", "a command that prints rows of data"),
        (
            "    town    sex age wage\n17  Bath Female  71 1033\n52  Bath   Male  72  980\n13   Ely Female  72 1211",
            "rows of data, one line a person",
        ),
        ("NHS number 943 476 5919", "what may be an NHS number"),
        ("QQ 12 34 56 C, then AB 12 34 56 C", "what may be a social security or insurance number"),
        ("Principal investigator: Fatima Al-Sayed", "the name of a person"),
        ("Analyst: Maria da Silva", "the name of a person"),
        ("* written by J. R. Whitcombe, 2024", "the name of a person"),
        ("Patient name: O'Brien, Sean", "the name of a person"),
        ("birth_date = 1988/02/29", "a date of birth"),
        ("geb. am 12.05.1949", "a date of birth"),
        ("number AB123456C", "what may be a social security or insurance number"),
        (
            "  town  sex      age  wage\n  <chr> <chr>  <int> <dbl>\n1 Bath  Female    71  1033\n"
            "2 Bath  Male      72   980\n3 Ely   Female    72  1211",
            "rows of data, one line a person",
        ),
        (". list age wage in 1/5", "a command that prints rows of data"),
    ],
)
def test_it_is_found_on_its_line(text: str, what: str, tmp_path: Path) -> None:
    assert Find(what, 2) in found_in(f"first line\n{text}\n", tmp_path)


def test_rows_that_stata_lists_are_found(tmp_path: Path) -> None:
    drawn = "     +------------+\n     | age   wage |\n     |------------|\n"
    found = found_in(f"{drawn}  1. |  31    900 |\n  2. |  48    937 |\n     +------------+\n", tmp_path)
    assert "rows of data, one line a person" in [f.what for f in found]


def test_the_name_under_a_letter_is_found(tmp_path: Path) -> None:
    assert Find("the name of a person", 3) in found_in("Please clear these.\nKind regards\nJane Doe\n", tmp_path)


def test_a_column_of_names_is_found(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("patient name,dose\nx,3\ny,4\n", encoding="utf-8")
    found = find_in(open_document(tmp_path / "t.csv"), Vocabulary(table().schema))
    assert [f.what for f in found] == ["a column that tells who people are"]


def test_a_heading_of_a_report_is_no_name(tmp_path: Path) -> None:
    assert found_in("Contact rates by age\nName of variable: wage\nPatient characteristics\n", tmp_path) == []


def test_ten_digits_without_the_check_digit_are_no_health_number(tmp_path: Path) -> None:
    assert found_in("NHS number 943 476 5918", tmp_path) == []


def test_rows_of_data_are_found(tmp_path: Path) -> None:
    found = found_in(people().head(4).to_string(), tmp_path)
    assert "rows of data, one line a person" in [f.what for f in found]


def test_a_table_of_figures_is_no_row_of_data(tmp_path: Path) -> None:
    assert found_in(people().groupby("town").wage.describe().to_string(), tmp_path) == []


def test_means_of_groups_with_codes_are_no_rows_of_people(tmp_path: Path) -> None:
    shown = people().groupby("ill")[["age", "wage"]].mean().round(1).to_string()
    assert not [f for f in found_in(shown, tmp_path) if f.what == "rows of data, one line a person"]


def test_a_comment_in_latex_is_found_and_what_a_program_writes_is_none(tmp_path: Path) -> None:
    file = tmp_path / "t.tex"
    file.write_text("% Table created by stargazer\n% Date and time: now\n5\\% of all\n% ask Jo Doe about row 3\n")
    found = find_in(open_document(file), Vocabulary(table().schema))
    assert list(found) == [Find("a comment in the source", 4)]


def test_more_than_are_listed_is_said(tmp_path: Path) -> None:
    found = found_in("\n".join(f"ask j{i}@example.org" for i in range(300)), tmp_path)
    assert found[-1].what == "more of this sort, which is not listed"
    assert found[-1].line == len(found)


@pytest.mark.parametrize("text", ["Name: Sex, Length: 237, dtype: int64", "Name: wage, dtype: float64"])
def test_the_name_of_a_column_is_no_person(text: str, tmp_path: Path) -> None:
    assert not found_in(text, tmp_path)


@pytest.mark.parametrize(("author", "is_found"), [("Maria da Silva", True), ("openpyxl", False), ("", False)])
def test_the_author_in_the_properties_of_a_workbook_is_told(author: str, is_found: bool, tmp_path: Path) -> None:
    file = tmp_path / "t.xlsx"
    empty = '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets/></workbook>'
    core = f'<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>{author}</dc:creator></p>'
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("xl/workbook.xml", empty)
        package.writestr("xl/_rels/workbook.xml.rels", "<Relationships/>")
        package.writestr("docProps/core.xml", core)
    told = Find("the name of a person, in the properties of the file", 0)
    assert (told in find_in(open_document(file), Vocabulary())) == is_found


def test_rows_of_people_are_no_output(tmp_path: Path) -> None:
    shown = people().head(5)[["age", "wage", "ill"]].astype(int)
    (tmp_path / "rows.txt").write_text(shown.to_string(), encoding="utf-8")
    (found,) = read_folder(tmp_path, table()).files
    assert [f.what for f in found.finds] == ["rows of data, one line a person"]
    assert not found.readings
