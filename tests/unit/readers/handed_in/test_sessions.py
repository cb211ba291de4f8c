"""Sessions that make frames and variables, and layouts of programs, are recognised, and the data confirm them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from divulge.readers.handed_in.candidates.expressions import as_condition, as_expression, stata_condition
from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.columns import Labels
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.derive import computed
from divulge.readers.handed_in.matching.reading import Reading
from tests.support.handed_in import people, table
from tests.support.sessions import LAYOUTS


def read(path: Path) -> list[Reading]:
    return [reading for _, reading in read_folder(path, table()).readings]


def told(reading: Reading) -> tuple[str, str, str | None]:
    return reading.kind, reading.formula or " ".join([*reading.variables, *reading.by]), reading.where


EXPECTED = {
    "r session": [
        ("crosstab", "town sex", "age >= 40 and wage is not missing"),
        ("crosstab", "band ill", None),
        ("crosstab", "town sex ill", None),
    ],
    "r tibbles": [("means", "wage town", None), ("crosstab", "town sex ill", None)],
    "side by side": [("linear", "wage ~ age + ill", None)],
    "stata session": [
        ("means", "wage sex", None),
        ("position", "age", None),
        ("means", "age wage town", None),
        ("crosstab", "town sex", None),
        ("crosstab", "group ill", None),
    ],
    "gretl session": [("frequencies", "ill", None), ("position", "wage ill", None)],
    "pspp boxes": [("means", "age", None), ("means", "wage town", None)],
    "pandas session": [("position", "wage town", None), ("crosstab", "town sex ill", None)],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_output_of_a_session_is_confirmed(layout: str, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(LAYOUTS[layout](), encoding="utf-8")
    found = read(tmp_path)
    assert [told(r) for r in found] == EXPECTED[layout]
    assert [r.disagreeing for r in found] == [()] * len(found)
    assert all(r.confirmed for r in found)


def test_rows_of_groups_are_not_told_as_rows_of_people(tmp_path: Path) -> None:
    frame = people().groupby(["town", "sex"])["wage"].mean().reset_index()
    lines = ["> aggregate(wage ~ town + sex, data = d, FUN = mean)", "  town    sex     wage"]
    lines += [f"{k + 1} {t:>4} {s:>6} {w:.4f}" for k, (t, s, w) in enumerate(frame.itertuples(index=False))]
    (tmp_path / "a.Rout").write_text("\n".join([*lines, "> "]), encoding="utf-8")
    assert read_folder(tmp_path, table()).files[0].finds == ()


def test_rows_of_people_are_found(tmp_path: Path) -> None:
    rows = people().head(5)[["town", "sex", "wage"]].itertuples(index=False)
    lines = ["> old[1:5, ]", "  town    sex   wage"]
    lines += [f"{k + 1} {t:>4} {s:>6} {w:.1f}" for k, (t, s, w) in enumerate(rows)]
    (tmp_path / "a.Rout").write_text("\n".join([*lines, "> "]), encoding="utf-8")
    assert [f.what for f in read_folder(tmp_path, table()).files[0].finds] == ["rows of data, one line a person"]


CONDITIONS = (
    ('sex == "Male" & age > 30', 'sex == "Male" and age > 30'),
    ("!is.na(wage)", "wage is not missing"),
    ("town %in% c('Bath', 'Ely')", "town in ('Bath', 'Ely')"),
    ("df['wage'].notna()", "wage is not missing"),
    ("df['age'].between(20, 30)", "(age >= 20 and age <= 30)"),
    ("age GE 20 AND ill EQ 1", "age >= 20 and ill == 1"),
)


@pytest.mark.parametrize(("text", "condition"), CONDITIONS)
def test_conditions_of_every_program_are_written_in_one_way(text: str, condition: str) -> None:
    assert as_condition(text) == condition


def test_a_missing_value_is_larger_than_every_number_in_stata() -> None:
    assert stata_condition("age > 20") == "(age > 20 or age is missing)"


EXPRESSIONS = (
    ("log(d$wage)", lambda f: np.log(f.wage)),
    ("(d$age >= 40) * 1", lambda f: (f.age >= 40).astype(float)),
    ("ifelse(d$ill == 1 & d$age < 30, 2, 0)", lambda f: np.where((f.ill == 1) & (f.age < 30), 2.0, 0.0)),
    ("d$town == 'Ely'", lambda f: (f.town == "Ely").astype(float)),
    ("df['wage'] / df['age'] ** 2", lambda f: f.wage / f.age**2),
    ("!(d$town %in% c('Ely', 'York'))", lambda f: (f.town == "Bath").astype(float)),
)


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_an_expression_has_the_value_that_its_program_gives(text: str, expected: object) -> None:
    found = computed(as_expression(text), Data(table()), {})
    assert isinstance(found, np.ndarray)
    assert np.allclose(found, np.asarray(expected(people()), dtype=float))  # type: ignore[operator]  # a function


def test_labels_of_intervals_are_those_of_r() -> None:
    found = computed(as_expression("cut(d$age, breaks = c(0, 30, Inf), include.lowest = TRUE)"), Data(table()), {})
    assert isinstance(found, Labels)
    assert found.texts == ("[0,30]", "(30,Inf]") or found.texts == ("[0,30]", "(30,inf]")


@pytest.mark.parametrize("text", ["__import__('os').system('true')", "open('x')", "age.__class__", "(lambda: 1)()"])
def test_nothing_of_an_expression_is_executed(text: str) -> None:
    assert computed(text, Data(table()), {}) is None


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("call", ["table(cut(d$age, {}))", "with(d, table(cut(age, {})))"])
def test_classes_made_inside_a_table_are_those_of_the_data(call: str, extra: int, tmp_path: Path) -> None:
    age = people().age
    counts = [int(n) for n in ((age < 40).sum(), ((age >= 40) & (age < 60)).sum(), (age >= 60).sum())]
    given = 'c(0, 40, 60, 100), labels = c("young", "mid", "old"), right = FALSE'
    shown = "".join(f"{n:>6}" for n in (counts[0] + extra, *counts[1:]))
    text = f"> {call.format(given)}\n\n young   mid   old \n{shown} \n> \n"
    (tmp_path / "out.Rout").write_text(text, encoding="utf-8")
    ((_, found),) = read_folder(tmp_path, table()).readings
    assert (found.variables, found.confirmed) == (("age_cut",), extra == 0)
