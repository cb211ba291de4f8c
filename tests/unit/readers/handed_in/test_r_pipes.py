"""Frames that dplyr's steps make are read by the statement that made them, and the data confirm them."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.readers.handed_in.folder import FileRead, read_folder
from divulge.table import table_from_frame
from tests.support.handed_in import people


def read(folder: Path, command: str, printed: str) -> FileRead:
    (folder / "out.Rout").write_text(f'> d <- read.csv("people.csv")\n> {command}\n{printed}\n> \n', encoding="utf-8")
    d = people()
    d.loc[d.index[::9], "sex"] = None
    (found,) = read_folder(folder, table_from_frame(d)).files
    return found


def tibble(rows: list[tuple[object, ...]], names: str, types: str) -> str:
    lines = [f"# A tibble: {len(rows)} × {len(names.split())}", "  " + "".join(f"{n:>10}" for n in names.split())]
    lines.append("  " + "".join(f"{t:>10}" for t in types.split()))
    return "\n".join([*lines, *(f"{k} " + "".join(f"{c!s:>10}" for c in row) for k, row in enumerate(rows, 1))])


def test_columns_mean_what_the_statement_says(tmp_path: Path) -> None:
    d = people()
    d = d[d.age > 30]
    rows = [(t, len(x), f"{x.wage.mean():.2f}", f"{x.age.sub(x.wage).mean():.3f}") for t, x in d.groupby("town")]
    shown = tibble(rows, "town k m gap", "<chr> <int> <dbl> <dbl>")
    step = "summarise(k = n(), m = mean(wage, na.rm = TRUE), gap = mean(age - wage))"
    found = read(tmp_path, f"d %>% filter(age > 30) %>% group_by(town) %>% {step}", shown)
    (reading,) = found.readings
    assert reading.confirmed
    assert reading.agreeing == 9
    assert (reading.variables, reading.by, reading.where) == (("wage", "gap"), ("town",), "age > 30")
    assert found.left == ()


def test_a_column_that_is_not_understood_is_told(tmp_path: Path) -> None:
    rows = [(t, f"{x.wage.mean():.2f}", 3.5) for t, x in people().groupby("town")]
    shown = tibble(rows, "town m odd", "<chr> <dbl> <dbl>")
    found = read(tmp_path, "d |> group_by(town) |> summarize(m = mean(wage), odd = strange(wage))", shown)
    assert [r.confirmed for r in found.readings] == [True]
    assert "a column of figures that was not recognised" in {why for _, _, why in found.left}


@pytest.mark.parametrize("wrong", [0, 1])
def test_counts_of_a_plain_frame_are_a_crosstab(wrong: int, tmp_path: Path) -> None:
    d = people()
    d.loc[d.index[::9], "sex"] = None
    counts = d.fillna({"sex": "<NA>"}).groupby(["town", "sex"]).size().reset_index().to_numpy().tolist()
    counts[2][2] += wrong
    lines = ["  town    sex  n", *(f"{k} {t:>4} {s:>6} {n:>2}" for k, (t, s, n) in enumerate(counts, 1))]
    (reading,) = read(tmp_path, "d %>% count(town, sex)", "\n".join(lines)).readings
    assert (reading.kind, reading.variables, reading.by) == ("crosstab", ("town",), ("sex",))
    assert len(reading.disagreeing) == wrong
    assert reading.confirmed is (wrong == 0)


def test_weighted_counts_are_not_taken_for_people(tmp_path: Path) -> None:
    lines = ["  town  n", *(f"{k} {t} {100 + k}" for k, t in enumerate(("Bath", " Ely", "York"), 1))]
    found = read(tmp_path, "d %>% count(town, wt = wage)", "\n".join(lines))
    assert not any(r.confirmed for r in found.readings)


def test_statements_on_one_line_are_all_followed(tmp_path: Path) -> None:
    d = people()
    mean = d[d.age > 40].wage.div(10).mean()
    text = f"> d$tens <- d$wage / 10; e <- d[d$age > 40, ]\n> mean(e$tens)\n[1] {mean:.4f}"
    (reading,) = read(tmp_path, "nrow(d)", text).readings
    assert (reading.variables, reading.where, reading.confirmed) == (("tens",), "age > 40", True)


def test_texts_that_hmisc_describes_are_frequencies(tmp_path: Path) -> None:
    sizes = people().town.value_counts().sort_index()
    shares = sizes / sizes.sum()
    lines = ["d$town ", "       n  missing distinct ", "     200        0        3 ", ""]
    lines += ["Value" + " " * 5 + "".join(f"{t:>6}" for t in sizes.index)]
    lines += ["Frequency " + "".join(f"{n:>6}" for n in sizes), "Proportion" + "".join(f"{p:>6.3f}" for p in shares)]
    (reading,) = read(tmp_path, "describe(d$town)", "\n".join(lines)).readings
    assert (reading.kind, reading.variables) == ("frequencies", ("town",))
    assert reading.confirmed
    assert reading.agreeing == 8
