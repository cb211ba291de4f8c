"""What every kind says of itself to people: how it is shown, its statbarn, what other programs call it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from divulge.outputs import OUTPUTS, Example, Output, Statbarn
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.record import dumps
from tests.contract.test_outputs import CASES, KINDS, output_of, table_of


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_grid_has_every_figure_once(kind: type[Output], example: Example, tmp_path: Path) -> None:
    schema = table_of(example.data).schema
    output = output_of(kind, example, tmp_path)
    grid = output.grid(schema)
    placed = [n for row in grid.cells for n in row if n is not None]
    assert sorted(placed) == list(range(len(output.labels(schema))))
    assert len(grid.rows) == len(grid.cells) == len(set(grid.rows))
    assert len(set(grid.columns)) == len(grid.columns)
    assert all(len(row) == len(grid.columns) for row in grid.cells)
    assert all(len(heads) == len(grid.row_names) for heads in grid.rows)
    assert all(grid.columns)
    assert json.loads(dumps(grid))["cells"]


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_headers_of_a_cell_are_words_of_its_label(kind: type[Output], example: Example, tmp_path: Path) -> None:
    if kind.kind not in ("crosstab", "means", "totals"):
        return
    schema = table_of(example.data).schema
    output = output_of(kind, example, tmp_path)
    grid, labels = output.grid(schema), output.labels(schema)
    for heads, line in zip(grid.rows, grid.cells, strict=True):
        for column, n in zip(grid.columns, line, strict=True):
            said = dict(part.split("=") for part in labels[n or 0].split(" | ")[-1].split(" & ") if "=" in part)
            shown = dict(zip((*grid.row_names, grid.column_name), (*heads, column), strict=True))
            for name, text in said.items():
                variable = schema[name]
                assert shown.get(name, text) in (text, variable.display[variable.texts.index(text)])


def test_crosstab_is_rows_by_columns_with_margins_last() -> None:
    grid = Crosstab(variables=("LTILL", "SEX"), margins=True).grid(table_of("census").schema)
    assert grid.row_names == ("LTILL",)
    assert grid.column_name == "SEX"
    assert [row[-1] for row in grid.rows][-1] == "Total"
    assert grid.columns[-1] == "Total"
    assert grid.cells == ((0, 1, 4), (2, 3, 5), (6, 7, 8))


def test_wide_variable_goes_down() -> None:
    grid = Crosstab(variables=("SEX", "AGE")).grid(table_of("census").schema)
    assert grid.row_names == ("SEX", "AGE")
    assert grid.columns == ("Counts",)


def test_grouped_means_are_groups_by_variables() -> None:
    grid = Means(variables=("AGE", "TENURE"), by=("SEX",)).grid(table_of("census").schema)
    assert grid.columns == ("mean AGE", "mean TENURE")
    assert grid.cells == ((0, 2), (1, 3))


def test_correlations_are_the_upper_triangle() -> None:
    grid = Correlation(variables=("AGE", "SEX", "TENURE")).grid(table_of("census").schema)
    assert grid.cells == ((0, 1), (None, 2))


def test_classes_of_a_multinomial_regression_stand_beside_each_other() -> None:
    schema = table_of("census").schema
    grid = Multinomial(formula="AREAP ~ SEX", statistics=("n",)).grid(schema)
    assert [row[0] for row in grid.rows] == ["Intercept", "SEX[T.2]", "n"]
    assert len(grid.columns) == schema["AREAP"].n_values - 1
    assert grid.cells[0][:2] == (0, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_statbarn_has_an_iri(kind: type[Output]) -> None:
    assert re.fullmatch(r"https://www\.w3id\.org/statbarnsdc#[A-Z][A-Za-z]+", kind.statbarn.iri)


def test_statbarns_have_different_iris() -> None:
    assert len({s.iri for s in Statbarn}) == len(Statbarn)


def test_other_programs_names_are_of_one_kind_each_and_make_it() -> None:
    names = [name for kind in OUTPUTS for name in kind.acro]
    assert len(set(names)) == len(names)
    for kind in OUTPUTS:
        for fields in kind.acro.values():
            needed = {f: kind.examples[0].fields[f] for f in ("variables", "formula") if f in kind.examples[0].fields}
            assert isinstance(kind(**needed, **fields), kind)


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_crowds_are_counts_of_people(kind: type[Output], example: Example, tmp_path: Path) -> None:
    table = table_of(example.data)
    for name, people in output_of(kind, example, tmp_path).crowds(table):
        assert name
        assert (people >= 0).all()
        assert people.max(initial=0) <= table.n_rows
        assert np.issubdtype(people.dtype, np.integer)
