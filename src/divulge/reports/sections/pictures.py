"""An output drawn as people draw it: bars, coefficients with intervals, a curve. What gives somebody away is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from divulge.reports.blocks import Grid, Line, Plot, Source

_MOST = 60
"""Figures that are drawn; of more the table is clearer."""

_WIDE = 1.96  # half a 95 % interval, in standard errors
_MARKS = ("", " ○", " ●")

Path = tuple[str | int, ...]


def grade(source: Source, path: Path, number: int | None) -> int:
    """How much a figure of an output is to blame: 2 mostly, 1 a part, 0 not."""
    found = None if number is None else source.get(*path, "blame", "figures", number)
    return found if found in (1, 2) else 0


def marked(source: Source, path: Path, number: int | None) -> str:
    """The sign of that, which needs no colour."""
    return _MARKS[grade(source, path, number)]


def blame_said(source: Source, path: Path) -> list[Line]:
    """Which figures give the exposed away, in a sentence, and what the signs in the table mean."""
    said = source.get(*path, "blame", "sentence")
    if not said:
        return []
    return [
        ("What gives them away: ", source.name(*path, "blame", "sentence")),
        ("● marks the figures that give most away, ○ those that have a part in it.",),
    ]


def picture(source: Source, path: Path, grid: Grid) -> Plot | None:
    """The drawing of an output, with its table behind it; None where the table is the best picture of it."""
    draw = _DRAWN.get(str(source.get(*path, "grid", "picture")))
    made = None if draw is None else draw(source, path)
    if made is None or not 2 <= len(made["rows"]) <= _MOST:
        return None
    name = str(source.get(*path, "grid", "picture"))
    says = "As released; what gives somebody away is marked by colour and shape."
    if not any(row["grade"] for row in made["rows"]):
        says = "As released. No figure is to blame for anything."
    if name == "coefficients":
        says += " Lines are 95 % intervals."
    return Plot((grid.caption,), (says,), name, grid, made, is_open=True)


def _rows(source: Source, path: Path, column: int = 0) -> list[tuple[str, int, float]]:
    """The label, the number and the value of every figure in a column of the table that is not withheld."""
    found = []
    for i, line in enumerate(source.get(*path, "grid", "cells") or ()):
        number = line[column] if column < len(line) else None
        value = None if number is None else source.get(*path, "values", number, "released")
        if number is not None and value is not None:
            heads = [source.name(*head).text for head in source.many(*path, "grid", "rows", i)]
            found.append((", ".join(heads), number, float(value)))
    return found


def _bars(source: Source, path: Path) -> Mapping[str, Any] | None:
    columns = source.many(*path, "grid", "columns")
    if len(columns) != 1:
        return None
    rows = [{"label": t, "value": v, "grade": grade(source, path, n)} for t, n, v in _rows(source, path)]
    return {"rows": rows, "what": source.name(*columns[0]).text}


def _coefficients(source: Source, path: Path) -> Mapping[str, Any]:
    """The terms that have a standard error, those that are to blame first."""
    rows = []
    for label, number, value in _rows(source, path):
        se = source.get(*path, "values", number, "se_released")
        if se is not None:
            ends = {"low": value - _WIDE * se, "high": value + _WIDE * se}
            rows.append({"label": label, "value": value, **ends, "grade": grade(source, path, number)})
    return {"rows": sorted(rows, key=lambda row: -row["grade"])}


def _steps(source: Source, path: Path) -> Mapping[str, Any] | None:
    """The first column of shares, over times that are numbers."""
    for column, title in enumerate(source.many(*path, "grid", "columns")):
        rows = _rows(source, path, column)
        if not rows or not all(0.0 <= value <= 1.0 for _, _, value in rows):
            continue
        times = [label.rpartition(", ")[2] for label, _, _ in rows]
        if not all(_is_number(time) for time in times):
            return None
        made = [
            {"group": label.rpartition(", ")[0], "time": float(time), "value": value, "grade": grade(source, path, n)}
            for (label, n, value), time in zip(rows, times, strict=True)
        ]
        heads = source.many(*path, "grid", "row_names")
        return {"rows": made, "time": source.name(*heads[-1]).text, "what": source.name(*title).text}
    return None


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


_DRAWN: Mapping[str, Callable[[Source, Path], Mapping[str, Any] | None]] = {
    "bars": _bars,
    "coefficients": _coefficients,
    "steps": _steps,
}
