"""What programs print of known data is recognised, and the data confirm it."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.readers.handed_in.programs import PROGRAMS
from tests.support.handed_in import TEXTS, document, people, stata_log, table, word_table, workbook


def read(path: Path) -> list[Reading]:
    return [reading for _, reading in read_folder(path, table()).readings]


def what(reading: Reading) -> str:
    return reading.formula or " ".join([*reading.variables, *reading.by])


EXPECTED = {
    "stata": {("means", "age wage"), ("crosstab", "town ill"), ("linear", "wage ~ age + ill")},
    "r": {("means", "age"), ("crosstab", "town sex"), ("linear", "wage ~ age + ill")},
    "gretl": {("linear", "wage ~ age + ill")},
    "spss": {("frequencies", "town")},
    "statsmodels": {("linear", "wage ~ age + ill")},
    "tables": {("means", "wage town")},
    "console": {("position", "wage town")},
    "pandas": {("frequencies", "town"), ("means", "age")},
    "scipy": {("t-test", "wage sex")},
    "prose": {("means", "age")},
}


@pytest.mark.parametrize("program", EXPECTED)
def test_outputs_of_a_program_are_confirmed_by_the_data(program: str, tmp_path: Path) -> None:
    (tmp_path / f"out.{'md' if program == 'tables' else 'txt'}").write_text(TEXTS[program](), encoding="utf-8")
    found = read(tmp_path)
    assert {(r.kind, what(r)) for r in found} == EXPECTED[program]
    assert [r.disagreeing for r in found if not r.confirmed] == []


def test_every_program_has_a_file_to_be_tested_with() -> None:
    assert {p.name for p in PROGRAMS} == set(TEXTS)


def test_kind_without_an_output_is_recognised_and_not_confirmed(tmp_path: Path) -> None:
    (tmp_path / "cox.txt").write_text(TEXTS["lifelines"](), encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.kind == "cox"
    assert found.formula == "age, ill ~ wage"
    assert not found.confirmed


def test_a_figure_with_swapped_digits_is_named(tmp_path: Path) -> None:
    text = stata_log(people())
    line = next(t for t in text.splitlines() if t.strip().startswith("York |"))
    first = line.split("|")[1].split()[0]
    swapped = line.replace(f" {first} ", f" {first[::-1]} ", 1)
    assert swapped != line
    (tmp_path / "log.txt").write_text(text.replace(line, swapped), encoding="utf-8")
    found = next(r for r in read(tmp_path) if r.kind == "crosstab")
    assert not found.confirmed
    assert found.disagreeing == ("York × 0",)


def test_condition_of_a_command_selects_the_rows(tmp_path: Path) -> None:
    frame = people()
    adults = frame[frame.age >= 40]
    text = stata_log(adults).replace("summarize age wage", "summarize age wage if age >= 40")
    (tmp_path / "log.txt").write_text(text.split(". tabulate")[0], encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.where == "age >= 40"
    assert found.confirmed


def test_condition_that_is_not_stated_is_found_by_recomputing(tmp_path: Path) -> None:
    men = people()[people().sex == "Male"]
    rows = [f"{t},{len(x)},{x.wage.mean():.3f},{x.wage.std():.3f}" for t, x in men.groupby("town")]
    (tmp_path / "men.csv").write_text("\n".join(["town,n,mean,sd", *rows]), encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert found.where == "sex == 'Male'"


def test_workbook_with_labels_in_words_is_matched(tmp_path: Path) -> None:
    frame = people()
    cells: dict[str, str | float] = {"A1": "Table 1. Town by sex", "B3": "Women", "C3": "Men"}
    for i, town in enumerate(("Bath", "Ely", "York")):
        cells[f"A{4 + i}"] = town
        for column, sex in (("B", "Female"), ("C", "Male")):
            cells[f"{column}{4 + i}"] = int(((frame.town == town) & (frame.sex == sex)).sum())
    (found,) = read(workbook(tmp_path / "t.xlsx", cells))
    assert (found.kind, found.variables, found.by, found.confirmed) == ("crosstab", ("town",), ("sex",), True)
    assert found.candidate.sheet == "Table"


def test_withheld_cells_are_no_figures(tmp_path: Path) -> None:
    frame = people()
    counts = {
        (t, s): int(((frame.town == t) & (frame.sex == s)).sum())
        for t in ("Bath", "Ely", "York")
        for s in ("Female", "Male")
    }
    rows = [
        [t, "&lt;10" if t == "Ely" else str(counts[t, "Female"]), str(counts[t, "Male"])]
        for t in ("Bath", "Ely", "York")
    ]
    body = word_table([["town", "Female", "Male"], *rows])
    (found,) = read(document(tmp_path / "t.docx", body))
    assert found.confirmed
    assert sum(c.figure.printed.is_suppressed for c in found.figures) == 1
    assert found.outputs[0]["threshold"] == 10


def test_decimal_commas_are_read(tmp_path: Path) -> None:
    frame = people()
    rows = [f"{t};{len(x)};{x.wage.mean():.2f};{x.wage.std():.2f}".replace(".", ",") for t, x in frame.groupby("town")]
    (tmp_path / "tabelle.csv").write_text("\n".join(["town;Anzahl;Mittelwert;Std.abw.", *rows]), encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert found.variables == ("wage",)


def test_other_data_confirm_nothing(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(
        stata_log(people().assign(wage=lambda d: d.wage * 1.07 + d.age)), encoding="utf-8"
    )
    found = {r.kind: r for r in read(tmp_path)}
    assert found["crosstab"].confirmed
    assert not found["linear"].confirmed
    assert not found["means"].confirmed
