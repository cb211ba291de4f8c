"""Commands are read as text: which call, which variables, which rows. Nothing of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.readers.acro.commands import parse_call, rows_of, series_of

METHODS = frozenset({"crosstab", "pivot_table", "olsr"})


@pytest.mark.parametrize(
    ("text", "names", "where"),
    [
        ("f(df.x)", ("x",), None),
        ("f(df['x'])", ("x",), None),
        ("f([df.x, df['y z']])", ("x", "y z"), None),
        ("f(df[['x', 'y']])", ("x", "y"), None),
        ("f(['x', 'y'])", ("x", "y"), None),
        ("f(df[df.age >= 18].x)", ("x",), "`age` >= 18"),
        ("f(df.loc[df['age'] < 18, 'x'])", ("x",), "(`age` < 18)"),
        ("f(df[(df.age > 18) & ~(df.sex == 'M')].x)", ("x",), '(`age` > 18) and (not (`sex` = "M"))'),
        ("f(df[18 < df.age].x)", ("x",), "`age` > 18"),
        ("f(df[df.town.isin(['Bath', 'Ely'])].x)", ("x",), '`town` in {"Bath", "Ely"}'),
        ("f(df.query('age > -1 and ill == 1').x)", ("x",), "(`age` > -1) and (`ill` = 1)"),
    ],
)
def test_variables_and_rows_are_read(text: str, names: tuple[str, ...], where: str | None) -> None:
    call = parse_call(text, frozenset({"f"}))
    assert call is not None
    series = series_of(call.places[0])
    assert (series.names, series.where, series.is_known) == (names, where, True)


@pytest.mark.parametrize("text", ["f(df[mask].x)", "f(pick(df).x)", "f(df[df.a > df.b].x)", "f(x + y)"])
def test_rows_that_cannot_be_told_are_said_to_be_unknown(text: str) -> None:
    call = parse_call(text, frozenset({"f"}))
    assert call is not None
    assert not series_of(call.places[0]).is_known


@pytest.mark.parametrize(
    ("command", "n_arguments"),
    [
        ("a.crosstab(df.x, df.y)", 2),
        ("table = acro.crosstab(df.x, df.y)  # the first", 2),
        ("try: a.crosstab(df.x, df.y)", 2),
        ("safe = a.crosstab(", 0),
        ("a.crosstab(df.x, [df.y,", 2),
        ("print(a.crosstab(df.x, df.y).head())", 2),
    ],
)
def test_fragments_of_lines_are_read_as_far_as_they_go(command: str, n_arguments: int) -> None:
    call = parse_call(command, METHODS)
    assert call is not None
    assert len(call.places) == n_arguments


@pytest.mark.parametrize(
    "command", ["", "custom", "xtabs(~ x + y)", "a.hist(df, 'x')", "(" * 9000, "\0", "a.crosstab df.x"]
)
def test_what_is_no_such_call_is_none(command: str) -> None:
    assert parse_call(command, METHODS) is None


def test_nothing_of_a_command_runs(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    command = f"a.crosstab(__import__('pathlib').Path({str(trace)!r}).touch(), df.y, margins=open({str(trace)!r}, 'w'))"
    call = parse_call(command, METHODS)
    assert call is not None
    series_of(call.places[0])
    rows_of(call.places[0])
    assert not trace.exists()
