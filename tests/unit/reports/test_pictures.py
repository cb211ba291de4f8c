"""Outputs drawn as people draw them: the right picture for each shape, risky figures marked by sign and by colour."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from divulge.reports import Html, Markdown
from divulge.reports.blocks import Source
from divulge.reports.charts import document
from divulge.reports.sections.outputs import _picture, released_grid
from tests.support.records import census_record

PATH = ("outputs", 0)


def _record(shape: str, grades: list[int], errors: bool = False) -> dict[str, Any]:
    """A record whose one output has as many figures as grades, in one column."""
    record = copy.deepcopy(census_record("unsafe"))
    n = len(grades)
    values: list[dict[str, Any]] = [
        {"label": f"f{i}", "released": 0.9 - 0.1 * i, "value": 0.9 - 0.1 * i, "reproduced": True} for i in range(n)
    ]
    if errors:
        values = [{**v, "se_released": 0.1, "se": 0.1} for v in values]
    grid = {
        "row_names": ["GROUP", "TIME"],
        "rows": [["<b>a</b>", str(i)] for i in range(n)],
        "columns": ["Survival"],
        "cells": [[i] for i in range(n)],
        "column_name": "",
        "picture": shape,
    }
    blame = {"figures": grades, "sentence": "Mostly the figure f1." if any(grades) else "", "without": [], "levels": []}
    record["outputs"] = [
        {**record["outputs"][0], "values": values, "figures": n, "reproduced": n, "grid": grid, "blame": blame}
    ]
    return record


@pytest.mark.parametrize(("shape", "errors"), [("bars", False), ("coefficients", True), ("steps", False)])
def test_shape_has_its_picture_and_risky_figures_stand_out(shape: str, errors: bool) -> None:
    source = Source(_record(shape, [0, 2, 1, 0], errors))
    grid = released_grid(source, PATH)
    assert grid is not None
    assert grid.risky == {(1, 2): 2, (2, 2): 1}
    plot = _picture(source, PATH, grid)
    assert plot is not None
    assert plot.draw == shape
    made = str(document(plot.draw, plot.data))
    assert "gives most away" in made
    assert "var(--bad)" in made


@pytest.mark.parametrize("shape", ["table", "nothing we know"])
def test_a_table_is_its_own_picture(shape: str) -> None:
    source = Source(_record(shape, [0, 2]))
    grid = released_grid(source, PATH)
    assert grid is not None
    assert _picture(source, PATH, grid) is None


def test_coefficients_without_standard_errors_are_a_table() -> None:
    source = Source(_record("coefficients", [0, 2, 1]))
    grid = released_grid(source, PATH)
    assert grid is not None
    assert _picture(source, PATH, grid) is None


def test_nobody_to_blame_is_said_and_nothing_is_marked() -> None:
    source = Source(_record("bars", [0, 0, 0]))
    grid = released_grid(source, PATH)
    assert grid is not None
    plot = _picture(source, PATH, grid)
    assert plot is not None
    assert "No figure is to blame" in str(plot.says)
    assert "gives most away" not in str(document(plot.draw, plot.data))


def test_page_marks_by_colour_and_by_sign_and_escapes_what_it_draws() -> None:
    page = Html().render(_record("steps", [0, 2, 1, 0]))
    assert "risky-2" in page
    assert "●" in page
    assert "<b>a</b>" not in page


def test_markdown_has_the_signs_and_the_sentence() -> None:
    text = Markdown().render(_record("bars", [0, 2, 1, 0]))
    assert "What gives people away: Mostly the figure f1." in text
    assert " ● |" in text


def test_record_of_before_blame_is_shown_without_it() -> None:
    record = _record("bars", [0, 0])
    del record["outputs"][0]["blame"]
    assert "give most away" not in Html().render(record)
