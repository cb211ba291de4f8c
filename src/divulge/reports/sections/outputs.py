"""The output as released beside the output as reproduced, figure by figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from divulge.reports.blocks import Block, Caveat, Figure, Fold, Grid, Heading, Line, Name, Plot, Points, Section, Source
from divulge.reports.sections.verdict import exposed_people, output_name, precision, would_be_found

OPEN_UP_TO = 40
"""Figures that are shown at once; longer tables are folded."""

Path = tuple[str | int, ...]


def outputs(source: Source) -> Section | None:
    paths = source.many("outputs")
    if not paths:
        return None
    blocks: list[Block] = []
    if len(paths) > 1:
        blocks += [_overview(source, paths), *_emergent(source)]
    for path in paths:
        blocks += _one(source, path, alone=len(paths) == 1)
    return Section("outputs", "The output, as released and as reproduced", tuple(blocks))


def _overview(source: Source, paths: list[Path]) -> Grid:
    rows = tuple(
        (
            (output_name(source, p),),
            (str(source.get(*p, "verdict")),),
            exposed_people(source, *p),
            (source.whole(*p, "reproduced"), " of ", source.whole(*p, "figures")),
        )
        for p in paths
    )
    columns = ("Output", "Verdict, alone", "Exposed people", "Figures reproduced")
    return Grid("Each output by itself", columns, rows, frozenset({2, 3}))


def _emergent(source: Source) -> list[Block]:
    if source.get("emergent") is None or not (source.get("emergent", "exposed") or would_be_found(source)):
        return []
    line: Line = (
        "Together the outputs expose ",
        source.whole("emergent", "exposed"),
        " people whom none of them exposes alone.",
    )
    return [line]


def _reproduced(source: Source, path: Path) -> Line:
    """How far the figures were reproduced; rows that are released themselves were not searched for."""
    if source.get(*path, "status") == "released":
        return (source.name(*path, "sentence"),)
    return (
        "Synthetic people who were made from the released figures alone give ",
        source.whole(*path, "reproduced"),
        " of the ",
        source.whole(*path, "figures"),
        " figures as printed, ",
        precision(source, path),
        ".",
    )


def _one(source: Source, path: Path, alone: bool) -> list[Block]:
    blocks: list[Block] = [
        Heading((output_name(source, path),), None if alone else str(source.get(*path, "verdict"))),
        (source.name(*path, "description"),),
        _reproduced(source, path),
    ]
    blocks += [(source.name(*path, "digits", "sentences", i),) for i in range(_n_said(source, path))]
    if source.get(*path, "following"):
        blocks.append(
            (
                source.whole(*path, "following"),
                " further figures (tests, p values, intervals, ratios) follow from these but for their last digits. "
                "They were compared with the data; no search was held to them.",
            )
        )
    if source.get(*path, "reproduced") != source.get(*path, "figures"):
        blocks.append(Caveat((source.name(*path, "sentence"),)))
    blocks += _caveats(source, _broken(source, path))
    if not alone and source.get(*path, "reasons"):
        blocks.append(("By itself: ", *_joined([Name(r) for r in source.get(*path, "reasons")])))
    blocks += _blame_said(source, path)
    values = source.many(*path, "values")
    return [*blocks, *_shown(source, path, values)] if values else blocks


def _n_said(source: Source, path: Path) -> int:
    """How many sentences there are about digits; records of earlier versions have none."""
    return len((source.get(*path, "digits") or {}).get("sentences", ()))


def _caveats(source: Source, broken: list[Path]) -> list[Block]:
    """What rules say, the first of each rule at once and the others at hand."""
    by_rule: dict[str, list[Path]] = {}
    for path in broken:
        by_rule.setdefault(str(source.get(*path, "rule")), []).append(path)
    blocks: list[Block] = []
    for group in by_rule.values():
        blocks.append(Caveat((source.name(*group[0], "sentence"),)))
        if len(group) > 1:
            rest = Points(tuple((source.name(*p, "sentence"),) for p in group[1:]))
            blocks.append(Fold((f"{len(group) - 1:,} more of the same kind",), (rest,)))
    return blocks


def _broken(source: Source, path: Path) -> list[Path]:
    """The rules that an output breaks; notes are told in the section on rules alone."""
    return [p for p in source.many(*path, "rules") if source.get(*p, "severity") != "note"]


def _shown(source: Source, path: Path, values: list[Path]) -> list[Block]:
    """The output as the table that people know, and figure by figure what became of it."""
    grid = released_grid(source, path)
    every = _figures(source, path, values)
    if grid is None:
        return [every if len(values) <= OPEN_UP_TO else Fold((f"All {len(values):,} figures",), (every,))]
    drawn = _picture(source, path, grid)
    return [drawn or grid, Fold((f"All {len(values):,} figures, as released and as reproduced",), (every,))]


def released_grid(source: Source, path: Path) -> Grid | None:
    """The released figures as a table. A figure that was not reproduced has the one that was found in brackets."""
    cells = source.get(*path, "grid", "cells")
    if not cells:
        return None
    places = _places(source, path)
    names = [source.name(*p).text for p in source.many(*path, "grid", "row_names")]
    titles = [source.name(*p).text for p in source.many(*path, "grid", "columns")]
    n_heads, with_errors = len(names), _with_errors(source, path)
    rows: list[tuple[Line, ...]] = []
    at: dict[tuple[int, int], int] = {}
    for i, line in enumerate(cells):
        row: list[Line] = [(source.name(*head),) for head in source.many(*path, "grid", "rows", i)]
        for j, n in enumerate(line):
            if _grade(source, path, n):
                at[i, len(row)] = _grade(source, path, n)
            row.append(_signed(source, path, n, () if n is None else _cell(source, places, (*path, "values", n))))
            if j in with_errors:
                row.append(() if n is None else _errors(source, (*path, "values", n))[0])
        rows.append(tuple(row))
    for j, title in enumerate(titles):
        own = f"{title}, standard error" if len(with_errors) > 1 else "Standard error"
        names += [title, own] if j in with_errors else [title]
    caption = f"{output_name(source, path).text}: as released"
    over = source.name(*path, "grid", "column_name").text
    return Grid(caption, tuple(names), tuple(rows), frozenset(range(n_heads, len(names))), n_heads, over, at)


def _with_errors(source: Source, path: Path) -> set[int]:
    """The columns of a table in which some figure was printed with its standard error."""
    return {
        j
        for line in source.get(*path, "grid", "cells")
        for j, n in enumerate(line)
        if n is not None and source.get(*path, "values", n, "se_released") is not None
    }


def _signed(source: Source, path: Path, number: int | None, cell: Line) -> Line:
    """A cell with the sign of its blame."""
    sign = _marked(source, path, number)
    return (*cell, sign) if sign else cell


def _cell(source: Source, places: int | None, value: Path) -> Line:
    released = _released(source, places, *value, "released")
    if not source.get(*value, "reproduced") and source.get(*value, "searched") is not False:
        return (released, " (", _printed(source, places, *value, "value"), ")")
    return (released,)


def _joined(names: list[Name]) -> Line:
    return tuple(piece for name in names for piece in (name, " "))[:-1]


def _figures(source: Source, path: Path, values: list[Path]) -> Grid:
    places = _places(source, path)
    has_errors = any(source.get(*v, "se_released") is not None for v in values)
    rows = tuple(
        (
            (source.name(*v, "label"),),
            (_released(source, places, *v, "released"),),
            (_printed(source, places, *v, "value"),),
            *(_errors(source, v) if has_errors else ()),
            (_as_printed(source, v),),
        )
        for v in values
    )
    errors = ("Standard error", "Reproduced") if has_errors else ()
    columns = ("Figure", "Released", "Reproduced", *errors, "As printed")
    numbers = frozenset(range(1, len(columns) - 1))
    return Grid(f"{output_name(source, path).text}: every figure", columns, rows, numbers)


def _as_printed(source: Source, value: Path) -> str:
    if source.get(*value, "reproduced"):
        return "yes"
    return "not searched for" if source.get(*value, "searched") is False else "no"


def _errors(source: Source, value: Path) -> tuple[Line, Line]:
    """The standard error of a figure, released and reproduced; nothing where none was released."""
    if source.get(*value, "se_released") is None:
        return (), ()
    return (source.short(*value, "se_released"),), (source.short(*value, "se"),)


def _places(source: Source, path: Path) -> int | None:
    decimals = re.fullmatch(r"(\d+) decimals?", str(source.get(*path, "precision")))
    return int(decimals[1]) if decimals else None


def _released(source: Source, places: int | None, *path: str | int) -> Figure | str:
    return "withheld" if source.get(*path) is None else _printed(source, places, *path)


def _printed(source: Source, places: int | None, *path: str | int) -> Figure:
    value = source.get(*path)
    if places is None or value is None:
        return source.short(*path)
    return source.whole(*path) if places == 0 else source.decimals(places, *path)


_MOST = 60
"""Figures that are drawn; of more the table is clearer."""

_WIDE = 1.96  # half a 95 % interval, in standard errors
_MARKS = ("", " ○", " ●")

_Path = tuple[str | int, ...]


def _grade(source: Source, path: _Path, number: int | None) -> int:
    """How much a figure of an output is to blame: 2 mostly, 1 a part, 0 not."""
    found = None if number is None else source.get(*path, "blame", "figures", number)
    return found if found in (1, 2) else 0


def _marked(source: Source, path: _Path, number: int | None) -> str:
    """The sign of that, which needs no colour."""
    return _MARKS[_grade(source, path, number)]


def _blame_said(source: Source, path: _Path) -> list[Line]:
    """Which figures give the exposed away, in a sentence, and what the signs in the table mean."""
    said = source.get(*path, "blame", "sentence")
    if not said:
        return []
    return [
        ("What gives them away: ", source.name(*path, "blame", "sentence")),
        ("● marks the figures that give most away, ○ those that have a part in it.",),
    ]


def _picture(source: Source, path: _Path, grid: Grid) -> Plot | None:
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


def _rows(source: Source, path: _Path, column: int = 0) -> list[tuple[str, int, float]]:
    """The label, the number and the value of every figure in a column of the table that is not withheld."""
    found = []
    for i, line in enumerate(source.get(*path, "grid", "cells") or ()):
        number = line[column] if column < len(line) else None
        value = None if number is None else source.get(*path, "values", number, "released")
        if number is not None and value is not None:
            heads = [source.name(*head).text for head in source.many(*path, "grid", "rows", i)]
            found.append((", ".join(heads), number, float(value)))
    return found


def _bars(source: Source, path: _Path) -> Mapping[str, Any] | None:
    columns = source.many(*path, "grid", "columns")
    if len(columns) != 1:
        return None
    rows = [{"label": t, "value": v, "grade": _grade(source, path, n)} for t, n, v in _rows(source, path)]
    return {"rows": rows, "what": source.name(*columns[0]).text}


def _coefficients(source: Source, path: _Path) -> Mapping[str, Any]:
    """The terms that have a standard error, those that are to blame first."""
    rows = []
    for label, number, value in _rows(source, path):
        se = source.get(*path, "values", number, "se_released")
        if se is not None:
            ends = {"low": value - _WIDE * se, "high": value + _WIDE * se}
            rows.append({"label": label, "value": value, **ends, "grade": _grade(source, path, number)})
    return {"rows": sorted(rows, key=lambda row: -row["grade"])}


def _steps(source: Source, path: _Path) -> Mapping[str, Any] | None:
    """The first column of shares, over times that are numbers."""
    for column, title in enumerate(source.many(*path, "grid", "columns")):
        rows = _rows(source, path, column)
        if not rows or not all(0.0 <= value <= 1.0 for _, _, value in rows):
            continue
        times = [label.rpartition(", ")[2] for label, _, _ in rows]
        if not all(_is_number(time) for time in times):
            return None
        made = [
            {"group": label.rpartition(", ")[0], "time": float(time), "value": value, "grade": _grade(source, path, n)}
            for (label, n, value), time in zip(rows, times, strict=True)
        ]
        heads = source.many(*path, "grid", "row_names")
        return {"rows": made, "time": source.name(*heads[-1]).text, "what": source.name(*title).text}
    return None


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


_DRAWN: Mapping[str, Callable[[Source, _Path], Mapping[str, Any] | None]] = {
    "bars": _bars,
    "coefficients": _coefficients,
    "steps": _steps,
}
