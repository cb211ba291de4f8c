"""Tables of a folder become outputs whose figures the data give: counts, statistics, margins, withheld cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from divulge.readers.acro import Reading, read_folder, read_outputs
from divulge.table import table_from_frame
from tests.support.acro_folders import people, table_entry, write_folder

FRAME = people()
F = FRAME


def _read(tmp_path: Path, entry: dict[str, Any], version: str = "1.0.2") -> Reading:
    folder = read_folder(write_folder(tmp_path / "out", {"t": entry}, version))
    return read_outputs(folder, table_from_frame(FRAME))[0]


def _values(reading: Reading, output: int = 0) -> dict[str, float]:
    released = reading.released[output]
    return dict(zip(released.labels, released.values.tolist(), strict=True))


@pytest.mark.parametrize("version", ["0.4.12", "1.0.2"])
def test_counts_are_a_crosstab(version: str, tmp_path: Path) -> None:
    reading = _read(tmp_path, table_entry(pd.crosstab(F.town, F.sex), "a.crosstab(df.town, df.sex)"), version)
    assert reading.reason is None
    (output,) = reading.outputs
    assert (output.kind, output.own_variables()) == ("crosstab", ("town", "sex"))
    assert _values(reading)["town=Ely & sex=F"] == ((F.town == "Ely") & (F.sex == "F")).sum()
    assert (reading.figures, reading.agreeing) == (6, 6)


def test_variables_are_taken_from_the_folder_where_the_command_says_nothing(tmp_path: Path) -> None:
    fair = {"dependent": "unknown", "independent": ["town", "sex"]}
    reading = _read(tmp_path, table_entry(pd.crosstab(F.town, F.sex), "t = a.crosstab(", fair=fair))
    assert reading.outputs[0].own_variables() == ("town", "sex")
    assert "command could not be read" in reading.notes[0]


def test_combinations_that_pandas_leaves_out_are_nobody(tmp_path: Path) -> None:
    table = pd.crosstab(F.sex, [F.town, F.ill], margins=True)
    assert ("Ely", 1) not in table.columns
    reading = _read(tmp_path, table_entry(table, "a.crosstab(df.sex, [df.town, df.ill], margins=True)"))
    assert reading.outputs[0].own_variables() == ("sex", "town", "ill")
    assert _values(reading)["sex=F & town=Ely & ill=1"] == 0
    assert (reading.figures, reading.agreeing) == (12, 12)
    assert "sums of the cells" in reading.notes[0]


def test_several_statistics_are_several_outputs(tmp_path: Path) -> None:
    table = pd.crosstab(F.town, F.ill, values=F.age, aggfunc=["mean", "std"])
    reading = _read(tmp_path, table_entry(table, "a.crosstab(df.town, df.ill, values=df.age, aggfunc=['mean', 'std'])"))
    assert [o.name for o in reading.outputs] == ["t: mean", "t: std"]
    assert _values(reading)["age | town=Bath & ill=1"] == pytest.approx(table.loc["Bath", ("mean", 1)], abs=1e-6)
    # Nobody from Ely is ill: there is no figure, and none is held against the data.
    assert np.isnan(_values(reading)["age | town=Ely & ill=1"])
    assert (reading.figures, reading.agreeing) == (10, 10)


@pytest.mark.parametrize(
    ("aggregate", "kind"),
    [
        ("sum", "totals"),
        ("median", "position"),
        ("std", "shape"),
        ("var", "shape"),
        ("min", "extremes"),
        ("max", "extremes"),
    ],
)
def test_each_statistic_agrees_with_pandas(aggregate: str, kind: str, tmp_path: Path) -> None:
    table = pd.pivot_table(F, values="age", index=["town"], columns=["sex"], aggfunc=aggregate)
    command = f"a.pivot_table(df, values='age', index=['town'], columns=['sex'], aggfunc='{aggregate}')"
    reading = _read(tmp_path, table_entry(table, command, method="pivot_table"))
    assert reading.reason is None
    assert [o.kind for o in reading.outputs] == [kind]
    assert (reading.figures, reading.agreeing) == (6, 6)


def test_pivot_tables_have_names_of_values_in_their_columns(tmp_path: Path) -> None:
    table = pd.pivot_table(F, values=["age", "ill"], index=["town"], aggfunc=["mean", "std"])
    command = "a.pivot_table(df, index=['town'], values=['age', 'ill'], aggfunc=['mean', 'std'])"
    reading = _read(tmp_path, table_entry(table, command, method="pivot_table"))
    assert sorted(o.kind for o in reading.outputs) == ["means", "means", "shape", "shape"]
    assert (reading.figures, reading.agreeing) == (12, 12)


def test_counts_of_values_are_counts_of_rows(tmp_path: Path) -> None:
    table = pd.pivot_table(F, values="age", index=["town"], columns=["sex"], aggfunc="count")
    command = "a.pivot_table(df, values='age', index=['town'], columns=['sex'], aggfunc='count')"
    reading = _read(tmp_path, table_entry(table, command, method="pivot_table"))
    assert [o.kind for o in reading.outputs] == ["crosstab"]
    assert reading.agreeing == reading.figures == 6


def test_withheld_counts_lie_below_the_threshold(tmp_path: Path) -> None:
    table = pd.crosstab(F.town, F.ill)
    reading = _read(tmp_path, table_entry(table, "a.crosstab(df.town, df.ill)", suppressed=[(1, 1)]))
    released = reading.released[0]
    at = released.labels.index("town=Ely & ill=1")
    assert (released.low[at], released.high[at]) == (0, 9)
    assert np.isnan(released.values[at])
    assert reading.agreeing == reading.figures == 6


def test_margins_of_counts_without_the_withheld_say_nothing_new(tmp_path: Path) -> None:
    table = pd.crosstab(F.town, F.ill)
    table.iloc[1, 1] = 0
    table["All"] = table.sum(axis=1)
    table.loc["All"] = table.sum()
    entry = table_entry(table, "a.crosstab(df.town, df.ill, margins=True)", suppressed=[(1, 1)])
    reading = _read(tmp_path, entry)
    assert len(reading.outputs) == 1
    assert "say nothing beyond them" in reading.notes[0]


def test_margins_that_count_the_withheld_are_outputs_of_their_own(tmp_path: Path) -> None:
    table = pd.crosstab(F.town, F.ill, margins=True)
    entry = table_entry(table, "a.crosstab(df.town, df.ill, margins=True)", suppressed=[(0, 1)])
    reading = _read(tmp_path, entry)
    assert [o.name for o in reading.outputs] == ["t", "t: margin by town", "t: margin by ill"]
    # The cell is not below the threshold for which it is said to be withheld.
    assert reading.disagreeing == ("town=Bath & ill=1",)


def test_margins_of_means_leave_out_the_rows_of_withheld_cells(tmp_path: Path) -> None:
    kept = F[~((F.town == "York") & (F.ill == 1))]
    table = pd.crosstab(kept.town, kept.ill, values=kept.age, aggfunc="mean", margins=True)
    entry = table_entry(
        table, "a.crosstab(df.town, df.ill, values=df.age, aggfunc='mean', margins=True)", suppressed=[(2, 1)]
    )
    reading = _read(tmp_path, entry)
    assert [o.name for o in reading.outputs] == [
        "t: mean",
        "t: mean, margin by town",
        "t: mean, margin by ill",
        "t: mean, margin of all",
    ]
    assert 'not (`town` = "York" and `ill` = "1")' in str(reading.outputs[1].where)
    assert reading.agreeing == reading.figures


def test_rounded_counts_lie_around_what_is_shown(tmp_path: Path) -> None:
    table = (pd.crosstab(F.town, F.sex) / 5).round().astype(int) * 5
    entry = table_entry(table, "a.crosstab(df.town, df.sex)", properties={"mitigation": "round"})
    reading = _read(tmp_path, entry)
    assert reading.outputs[0].base == 5
    assert reading.agreeing == reading.figures == 6


def test_shares_are_read(tmp_path: Path) -> None:
    table = pd.crosstab(F.town, F.sex, normalize="index")
    reading = _read(tmp_path, table_entry(table, "a.crosstab(df.town, df.sex, normalize='index')"))
    assert vars(reading.outputs[0])["statistic"] == "row proportions"
    assert reading.agreeing == reading.figures == 6


def test_rows_that_the_command_selects_are_selected(tmp_path: Path) -> None:
    old = F[F.age >= 40]
    table = pd.crosstab(old.town, old.sex)
    reading = _read(tmp_path, table_entry(table, "a.crosstab(df[df.age >= 40].town, df[df.age >= 40].sex)"))
    assert reading.outputs[0].where == "`age` >= 40"
    assert reading.agreeing == reading.figures == 6


def test_withheld_row_whose_level_is_called_like_a_variable_is_a_row(tmp_path: Path) -> None:
    frame = FRAME.assign(town=FRAME.town.where(FRAME.index > 3, "sex"))
    table = pd.crosstab(frame.town, frame.ill)
    entry = table_entry(table, "a.crosstab(df.town, df.ill)", suppressed=[(3, 0), (3, 1)])
    folder = read_folder(write_folder(tmp_path / "out", {"t": entry}))
    reading = read_outputs(folder, table_from_frame(frame))[0]
    assert reading.reason is None
    assert reading.agreeing == reading.figures == 8


def test_figures_that_the_data_do_not_give_are_named(tmp_path: Path) -> None:
    table = pd.crosstab(F.town, F.sex)
    table.loc["Bath", "F"] += 1
    reading = _read(tmp_path, table_entry(table, "a.crosstab(df.town, df.sex)"))
    assert reading.agreeing == reading.figures - 1
    assert reading.disagreeing == ("town=Bath & sex=F",)


@pytest.mark.parametrize(
    ("csv", "command", "said"),
    [
        ("town,F,M\nBath,1,2\n", "a.crosstab(x, y)", "which variable its columns are"),
        ("a,b\n1,2\n", "a.crosstab(df.town, df.sex)", "not named after variables"),
        ("town,F,M\nBath,1,two\n", "a.crosstab(df.town, df.sex)", "not a number"),
        ("town,F,M\nOslo,1,2\n", "a.crosstab(df.town, df.sex)", "a level that 'town' has not"),
        ("town,F,M\n", "a.crosstab(df.town, df.sex)", "has no cells"),
        ("", "a.crosstab(df.town, df.sex)", "is empty"),
        ("town,F,M\nBath,,\n", "a.crosstab(df[mask].town, df.sex)", "which rows it is computed on"),
        ("town,0,1\nBath,1.5,2\n", "a.crosstab(df.town, df.ill, values=df.age, aggfunc=f)", "the statistic 'f'"),
    ],
)
def test_table_that_cannot_be_read_says_why(csv: str, command: str, said: str, tmp_path: Path) -> None:
    entry = {**table_entry(pd.crosstab(F.town, F.sex), command), "csv": [csv]}
    assert said in str(_read(tmp_path, entry).reason)
