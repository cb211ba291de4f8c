"""The spec of a folder: figures as they were printed, where the file shows all of them; else computed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from divulge.readers.handed_in.folder import read_folder
from divulge.spec.handed_in import Placed, made_variables, placed_outputs, with_made_variables
from tests.support.handed_in import TEXTS, people, table


def placed(folder: Path, name: str, text: str) -> dict[str, Placed]:
    (folder / name).write_text(text, encoding="utf-8")
    return {p.output.kind: p for p in placed_outputs(read_folder(folder, table()), table())[0]}


def markdown(counts: pd.DataFrame) -> str:
    rows = [f"| {town} | {row.iloc[0]} | {row.iloc[1]} |" for town, row in counts.iterrows()]
    return "\n".join(["| town | ill: 0 | ill: 1 |", "|---|---|---|", *rows])


def test_counts_are_those_of_the_file(tmp_path: Path) -> None:
    counts = pd.crosstab(people().town, people().ill)
    found = placed(tmp_path, "a.md", markdown(counts))["crosstab"]
    assert found.fields["released"]["town=Bath & ill=0"] == str(counts.loc["Bath", 0])
    assert found.released is not None
    assert "compute" not in found.fields


def test_withheld_cell_is_withheld_in_the_spec(tmp_path: Path) -> None:
    counts = pd.crosstab(people().town, people().ill).astype(object)
    limit = int(counts.loc["Ely", 1]) + 1
    counts.loc["Ely", 1] = f"<{limit}"
    found = placed(tmp_path, "a.md", markdown(counts))["crosstab"]
    assert found.fields["released"]["town=Ely & ill=1"] == f"<{limit}"
    assert found.released is not None
    cell = found.released.labels.index("town=Ely & ill=1")
    assert (found.released.low[cell], found.released.high[cell]) == (0, limit - 1)


def test_table_of_which_a_cell_is_not_shown_is_computed(tmp_path: Path) -> None:
    counts = pd.crosstab(people().town, people().ill).drop(index="Ely")
    found = placed(tmp_path, "a.md", markdown(counts))["crosstab"]
    assert found.fields["compute"] is True
    assert found.released is None


def test_rounded_counts_are_said_to_be_rounded(tmp_path: Path) -> None:
    counts = (pd.crosstab(people().town, people().ill) / 5).round().astype(int) * 5
    found = placed(tmp_path, "a.md", markdown(counts))["crosstab"]
    assert found.fields["base"] == 5


def test_figure_that_the_data_do_not_give_is_in_no_spec(tmp_path: Path) -> None:
    counts = pd.crosstab(people().town, people().ill)
    counts.loc["Bath", 0] += 9
    assert placed(tmp_path, "a.md", markdown(counts)) == {}


def test_coefficients_of_one_precision_are_those_of_the_file(tmp_path: Path) -> None:
    found = placed(tmp_path, "a.txt", TEXTS["statsmodels"]())["linear"]
    assert found.released is not None
    assert set(found.fields["released"]["age"]) == {"coef", "se"}


def _session_of(rule: str, counts: pd.DataFrame) -> str:
    rows = [f"  {label:<5} {row.iloc[0]:>4} {row.iloc[1]:>4}" for label, row in counts.iterrows()]
    said = ["> d <- read.csv('people.csv')", f"> d$old <- {rule}", "> table(d$old, d$ill)"]
    return "\n".join([*said, "       ", "           0    1", *rows, "> "])


def test_output_of_a_variable_that_a_session_made_is_assessed(tmp_path: Path) -> None:
    frame = people()
    counts = pd.crosstab(pd.Series((frame.age > 50).map({True: "yes", False: "no"}), name="old"), frame.ill)
    (tmp_path / "a.Rout").write_text(_session_of("ifelse(d$age > 50, 'yes', 'no')", counts), encoding="utf-8")
    read = read_folder(tmp_path, table())
    whole = with_made_variables(table(), made_variables(read, table()))
    assert whole.schema.names == (*table().schema.names, "old")
    found, left = placed_outputs(read, whole)
    assert [p.fields["variables"] for p in found] == [["old", "ill"]]
    assert left == ()


def test_a_name_that_two_sessions_give_to_different_variables_is_added_for_neither(tmp_path: Path) -> None:
    frame = people()
    for limit in (40, 50):
        counts = pd.crosstab(pd.Series((frame.age > limit).map({True: "yes", False: "no"}), name="old"), frame.ill)
        text = _session_of(f"ifelse(d$age > {limit}, 'yes', 'no')", counts)
        (tmp_path / f"{limit}.Rout").write_text(text, encoding="utf-8")
    assert made_variables(read_folder(tmp_path, table()), table()) == {}
