"""A function of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.custom import Custom
from tests.spec.outputs.people import PEOPLE

CODE = """
import pandas
SECRET = 1
def gap(people):
    means = people.groupby("SEX")["AGE"].mean()
    return {"gap": means["m"] - means["f"]}
def series(people):
    return people.groupby("SEX")["AGE"].max()
def number(people):
    return len(people)
def fails(people):
    raise ValueError(str(people["PAY"].tolist()))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("def f(:", encoding="utf-8")
    return tmp_path


def test_function_is_given_a_data_frame(folder: Path) -> None:
    found = Custom(function="code.py:gap", figures=("gap",)).allowed(folder).evaluate(PEOPLE)
    assert found.values.tolist() == pytest.approx([140 / 3 - 35])


def test_where_chooses_the_rows(folder: Path) -> None:
    found = Custom(function="code.py:number", where="SEX = f").allowed(folder).evaluate(PEOPLE)
    assert (found.labels, found.values.tolist()) == (("value",), [4])


def test_series_gives_its_labels(folder: Path) -> None:
    found = Custom(function="code.py:series").allowed(folder).evaluate(PEOPLE)
    assert (found.labels, found.values.tolist()) == (("f", "m"), [50, 60])


def test_failure_is_a_status_and_tells_no_values(folder: Path) -> None:
    found = Custom(function="code.py:fails", figures=("x",)).allowed(folder).evaluate(PEOPLE)
    assert found.status is Status.FAILED
    assert found.labels == ("x",)


def test_figure_that_the_function_does_not_return_is_a_failure(folder: Path) -> None:
    found = Custom(function="code.py:gap", figures=("gap", "other")).allowed(folder).evaluate(PEOPLE)
    assert found.status is Status.FAILED


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("code.py:nobody", "has no function 'nobody'"),
        ("code.py:SECRET", "is no function"),
        ("absent.py:f", "cannot import 'absent.py'"),
        ("broken.py:f", "cannot import 'broken.py': SyntaxError"),
        ("no_such_module:f", "cannot import 'no_such_module'"),
    ],
)
def test_custom_rejects_what_cannot_be_imported(folder: Path, function: str, message: str) -> None:
    with pytest.raises(OutputError, match=message):
        Custom(function=function).allowed(folder).evaluate(PEOPLE)


def test_custom_does_not_run_without_leave() -> None:
    with pytest.raises(OutputError, match="has not been allowed"):
        Custom(function="code.py:gap").evaluate(PEOPLE)


def test_labels_are_needed_before_data_are_seen() -> None:
    with pytest.raises(OutputError, match="labels of the function's numbers"):
        Custom(function="code.py:gap").labels(PEOPLE.schema)
    assert Custom(function="code.py:gap", released={"gap": 1}).labels(PEOPLE.schema) == ("gap",)
