"""What else a checker looks for is listed with its line, and never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.finds import Find, find_in
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
        ("DOB 12/03/1961", "a date of birth"),
        ("NHS number 943 476 5919", "what may be an NHS number"),
        ("QQ 12 34 56 C, then AB 12 34 56 C", "what may be a social security or insurance number"),
        (". list age wage in 1/5", "a command that prints rows of data"),
    ],
)
def test_it_is_found_on_its_line(text: str, what: str, tmp_path: Path) -> None:
    assert Find(what, 2) in found_in(f"first line\n{text}\n", tmp_path)


def test_ten_digits_without_the_check_digit_are_no_health_number(tmp_path: Path) -> None:
    assert found_in("NHS number 943 476 5918", tmp_path) == []


def test_rows_of_data_are_found(tmp_path: Path) -> None:
    found = found_in(people().head(4).to_string(), tmp_path)
    assert "rows of data, one line a person" in [f.what for f in found]


def test_a_table_of_figures_is_no_row_of_data(tmp_path: Path) -> None:
    assert found_in(people().groupby("town").wage.describe().to_string(), tmp_path) == []
