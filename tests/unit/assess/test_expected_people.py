"""Synthetic people in great number are combinations with counts, and become rows only as they are written."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import expected_people
from divulge.assess.expected_people import expect_people
from divulge.assess.recipe import Recipe, recipe_of
from divulge.spec import parse_spec, read_inputs
from divulge.table import Schema, Table, Variable, read_table, write_table
from tests.support.assessing import people

N = 60_000_000


def _recipe(folder: Path, *outputs: dict[str, Any], rows: int = N) -> Recipe:
    fields = [
        {"name": "AREA", "type": "string", "constraints": {"enum": ["a", "b", "c"]}},
        {"name": "ILL", "type": "string", "constraints": {"enum": ["x", "y"]}},
    ]
    (folder / "schema.json").write_text(json.dumps({"fields": fields}), encoding="utf-8")
    spec = parse_spec({"schema": "schema.json", "rows": rows, "outputs": list(outputs)}, folder)
    return recipe_of(spec, read_inputs(spec))


_COUNTS = {"AREA=a & ILL=x": 1, "AREA=a & ILL=y": 29_999_999, "AREA=b & ILL=x": 10_000_000}
_COUNTS |= {"AREA=b & ILL=y": 10_000_000, "AREA=c & ILL=x": 0, "AREA=c & ILL=y": 10_000_000}
_TABLE = {"kind": "crosstab", "variables": ["AREA", "ILL"], "released": _COUNTS}


def test_a_table_of_a_nation_is_its_own_people(tmp_path: Path) -> None:
    found = expect_people(_recipe(tmp_path, _TABLE), 1)
    assert found is not None
    assert found.is_complete
    assert found.table.n_people == N
    assert found.table.n_rows == 5


@pytest.mark.slow
def test_people_expected_from_several_figures_have_them(tmp_path: Path) -> None:
    # Which half of the people is ill is not told by the areas.
    areas = {"kind": "frequencies", "variables": ["AREA"], "released": {"AREA=a": 3e7, "AREA=b": 2e7, "AREA=c": 1e7}}
    shares = {
        "kind": "crosstab",
        "variables": ["AREA", "ILL"],
        "statistic": "row percentages",
        "decimals": 1,
        "released": {
            f"AREA={a} & ILL={i}": v
            for a, *both in (("a", 10.0, 90.0), ("b", 33.3, 66.7), ("c", 50.0, 50.0))
            for i, v in zip("xy", both, strict=True)
        },
    }
    found = expect_people(_recipe(tmp_path, areas, shares), 1)
    assert found is not None
    assert found.is_complete
    assert found.table.n_people == N
    again = expect_people(_recipe(tmp_path, areas, shares), 1)
    assert again is not None
    assert again.table.equals(found.table)


def test_few_people_are_searched_for_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {label: n // 1_000_000 for label, n in _COUNTS.items()} | {"AREA=a & ILL=x": 1}
    few = _recipe(tmp_path, {**_TABLE, "released": counts}, rows=60)
    assert expect_people(few, 1) is None
    monkeypatch.setattr(sys.modules[expected_people.__name__], "MANY", 60)
    assert expect_people(few, 1) is not None


@pytest.mark.parametrize("ending", ["csv", "parquet", "sav"])
def test_condensed_people_are_written_as_a_row_for_each(tmp_path: Path, ending: str) -> None:
    held = people().condensed()
    write_table(held, tmp_path / f"held.{ending}")
    write_table(held.expanded(), tmp_path / f"rows.{ending}")
    one, other = (read_table(tmp_path / f"{name}.{ending}") for name in ("held", "rows"))
    assert one.equals(other)
    assert one.n_rows == 300


def test_pieces_together_are_everybody() -> None:
    held = people().condensed()
    for size in (1, 7, 299, 300, 1000):
        found = [np.concatenate(column) for column in zip(*held.pieces(size), strict=True)]
        assert all(np.array_equal(a, b) for a, b in zip(found, held.expanded().columns, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_rows_of_many_people_are_never_held_together(tmp_path: Path, ending: str) -> None:
    schema = Schema((Variable("A", "numeric", np.arange(2)), Variable("B", "numeric", np.arange(2))))
    many = Table(schema, (np.array([0, 1]), np.array([1, 1])), np.array([4_000_000, 4_000_000]))
    tracemalloc.start()
    write_table(many, tmp_path / f"many.{ending}")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # All rows together would be 128 MB as whole numbers; a million of them with their places are some 40.
    assert peak < 64e6
