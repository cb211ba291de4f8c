"""Layouts of PSPP, gretl, pandas, Excel and text that were read wrongly once, each in a few lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.columns import Labels, by_appearance
from divulge.readers.handed_in.matching.reading import Reading
from divulge.readers.handed_in.sheets import Grid, open_document
from divulge.table import read_table


@pytest.fixture
def people(tmp_path: Path) -> pd.DataFrame:
    """600 people: some answered nothing, and one answer is called N."""
    number = np.arange(600)
    frame = pd.DataFrame(
        {
            "vote": np.array(["", "N", "Y", "Y", "U"])[number % 5],
            "sex": np.where(number * 7 % 11 < 6, "Male", "Female"),
            "age": 18 + number * 13 % 61,
            "days": 1 + number * 17 % 29,
            "duration": 3 + number * 5 % 37,
        }
    )
    frame.to_csv(tmp_path / "data.csv", index=False)
    return frame


def _read(folder: Path, name: str, text: str) -> list[Reading]:
    handed = folder / "in"
    handed.mkdir()
    (handed / name).write_text(text, encoding="utf-8")
    return [r for _, r in read_folder(handed, read_table(folder / "data.csv")).readings]


def test_pspp_crosstab_with_an_empty_value_and_one_called_n_is_confirmed(tmp_path: Path, people: pd.DataFrame) -> None:
    counts = pd.crosstab(people.sex, people.vote, margins=True)
    lines = [
        "                sex × vote",
        "+-----------+-----------------+-----+",
        "|           |       vote      |     |",
        "|           +---+---+---+-----+     |",
        "|           |   | N | U |  Y  |Total|",
        "+-----------+---+---+---+-----+-----+",
        *(
            f"|{stub}Count|"
            + "|".join(f"{v:>{w}}" for v, w in zip(counts.loc[row], (3, 3, 3, 5, 5), strict=True))
            + "|"
            for stub, row in (("sex F ", "Female"), ("    M ", "Male"), ("Total ", "All"))
        ),
        "+-----------+---+---+---+-----+-----+",
    ]
    (found,) = _read(tmp_path, "output.txt", "\n".join(lines))
    assert (found.kind, found.variables, found.by, found.confirmed) == ("crosstab", ("sex",), ("vote",), True)
    assert len(found.figures) == 15


def test_plus_of_an_exponent_is_no_corner_of_a_box(tmp_path: Path) -> None:
    rule = "+------+---------+\n"
    text = f"{rule}|      | Variance|\n{rule}|income| 1.6E+009|\n|age   |    84.28|\n{rule}"
    (tmp_path / "box.txt").write_text(text, encoding="utf-8")
    (grid,) = (b for b in open_document(tmp_path / "box.txt").blocks if isinstance(b, Grid))
    assert [c.strip() for c in grid.rows[1].cells] == ["income", "1.6E+009"]


def test_gretl_numbers_texts_as_they_appear() -> None:
    column = Labels(np.array([1, 0, -1, 1, 2]), ("a", "b", "c"))
    assert by_appearance(column).tolist()[:2] == [1.0, 2.0]
    assert np.isnan(by_appearance(column)[2])
    assert by_appearance(column)[4] == 3.0


def test_gretl_sample_without_missing_values_is_read(tmp_path: Path, people: pd.DataFrame) -> None:
    shares = people.sex.value_counts().loc[["Male", "Female"]]
    rows = [f"{s:<8}{n:>9}  {100 * n / 600:>8.2f}% ****" for s, n in shares.items()]
    log = "\n".join(
        [
            "gretl version 2022c",
            "? smpl ok(age) --restrict",
            "? freq sex",
            "",
            "Frequency distribution for sex, obs 1-600",
            "",
            "          frequency   percent",
            "",
            *rows,
            "",
        ]
    )
    (found,) = _read(tmp_path, "session.txt", log)
    assert (found.kind, found.variables, found.confirmed, len(found.figures)) == ("frequencies", ("sex",), True, 4)


def test_unit_in_brackets_is_not_the_variable(people: pd.DataFrame, tmp_path: Path) -> None:
    words = Vocabulary(read_table(tmp_path / "data.csv").schema)
    assert words.variables_like("Duration (days)")[0] == "duration"


def test_statistics_of_two_variables_by_groups_as_pandas_prints_them(tmp_path: Path, people: pd.DataFrame) -> None:
    table = people.groupby("sex")[["age", "days"]].agg(["mean", "std", "count"]).round(2)
    (found,) = _read(tmp_path, "console.txt", f"{table}\n")
    assert (found.kind, set(found.variables), found.by, found.confirmed) == ("means", {"age", "days"}, ("sex",), True)
    assert len(found.figures) == 12


def test_start_of_a_survival_curve_tells_no_duration_and_event(tmp_path: Path, people: pd.DataFrame) -> None:
    steps = "".join(f"{time}          1.000000\n" for time in (0.0, 0.5, 0.9))
    text = f"          KM_estimate\ntimeline             \n{steps}"
    (found,) = _read(tmp_path, "curve.txt", text)
    assert (found.kind, found.confirmed, found.compared) == ("survival", False, 0)


def test_table_of_restructured_text_is_a_grid(tmp_path: Path) -> None:
    rule = "====  =====  =====\n"
    text = f"Correlations\n\n{rule}..      age   days\n{rule}age   1.000  0.123\ndays  0.123  1.000\n{rule}"
    (tmp_path / "page.rst").write_text(text, encoding="utf-8")
    (grid,) = (b for b in open_document(tmp_path / "page.rst").blocks if isinstance(b, Grid))
    assert grid.rows[0].cells == ("", "age", "days")
