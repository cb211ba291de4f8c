"""Data dictionaries as schemas: what a field becomes, and where the error is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import RuleError, SchemaError
from divulge.table import Schema, Variable
from divulge.table.frictionless import format_schema, parse_schema


def _variable(**field: Any) -> Variable:
    return parse_schema({"fields": [{"name": "x"} | field]})["x"]


def _texts(*values: str) -> Any:
    return np.array(values, dtype=object)


@pytest.mark.parametrize(
    ("field", "variable"),
    [
        (
            {"type": "integer", "constraints": {"minimum": 0, "maximum": 95, "required": True}},
            Variable("x", "numeric", np.arange(96)),
        ),
        (
            {"type": "number", "constraints": {"minimum": 0, "maximum": 0.3}, "step": 0.1},
            Variable("x", "numeric", np.array([0.0, 0.1, 0.2, 0.3]), missing=(None,)),
        ),
        (
            {"type": "integer", "constraints": {"enum": [5, 3]}, "missingValues": ["-9"]},
            Variable("x", "numeric", np.array([3, 5]), missing=(-9,)),
        ),
        (
            {
                "type": "integer",
                "categories": [{"value": 2, "label": "two"}, {"value": 1, "label": "one"}],
                "categoriesOrdered": True,
                "missingValues": ["", {"value": "-9", "label": "Refused"}],
            },
            Variable(
                "x",
                "categorical",
                np.array([2, 1]),
                labels={2: "two", 1: "one", -9: "Refused"},
                missing=(None, -9),
                is_ordered=True,
            ),
        ),
        (
            {"type": "string", "categories": ["b", "a"], "title": "Letters"},
            Variable("x", "categorical", _texts("b", "a"), missing=(None,), title="Letters"),
        ),
        ({"type": "number"}, Variable("x", "numeric", np.empty(0, np.float64), missing=(None,), is_open=True)),
        ({}, Variable("x", "categorical", _texts(), missing=(None,), is_open=True)),
        (
            {"type": "integer", "constraints": {"minimum": 0, "maximum": 10**12}},
            Variable("x", "numeric", np.empty(0, np.int64), missing=(None,), is_open=True),
        ),
        (
            {"type": "integer", "constraints": {"minimum": -9, "maximum": 1}, "missingValues": ["-9"], "step": 5},
            Variable("x", "numeric", np.array([-4, 1]), missing=(-9,)),
        ),
        (
            {"type": "integer", "categories": [1, 2], "missingValues": [], "frequencies": [3, 4]},
            Variable("x", "categorical", np.array([1, 2]), frequencies=np.array([3, 4])),
        ),
    ],
    ids=[
        *("range", "grid", "enum", "labelled codes", "texts", "open number", "nothing said", "huge range"),
        *("missing code in range", "frequencies"),
    ],
)
def test_field_becomes_the_variable_that_it_describes(field: dict[str, Any], variable: Variable) -> None:
    assert _variable(**field) == variable


def test_missing_values_of_the_schema_hold_for_every_field_that_has_none_of_its_own() -> None:
    schema = parse_schema(
        {"missingValues": ["", "-8"], "fields": [{"name": "a", "type": "integer"}, {"name": "b", "missingValues": []}]}
    )
    assert schema["a"].missing == (None, -8)
    assert schema["b"].missing == ()


def test_schema_inside_a_package_is_found() -> None:
    assert parse_schema({"resources": [{"schema": {"fields": [{"name": "a"}]}}]}).names == ("a",)


def test_equal_distances_are_written_as_a_grid_and_others_one_by_one() -> None:
    schema = Schema(
        (
            Variable("age", "numeric", np.arange(96)),
            Variable("hours", "numeric", np.arange(0, 400) / 4),
            Variable("odd", "numeric", np.array([1, 2, 4])),
        )
    )
    age, hours, odd = format_schema(schema)["fields"]
    assert age["constraints"] == {"minimum": 0, "maximum": 95}
    assert (hours["constraints"], hours["step"]) == ({"minimum": 0.0, "maximum": 99.75}, 0.25)
    assert odd["constraints"] == {"enum": [1, 2, 4]}


@pytest.mark.parametrize(
    ("field", "where"),
    [
        ({"type": "array"}, "fields[0].type"),
        ({"constraints": []}, "fields[0].constraints"),
        ({"type": "integer", "categories": [1, "x"]}, "fields[0].categories[1]"),
        ({"type": "integer", "categories": {"1": "one"}}, "fields[0].categories"),
        ({"type": "integer", "categories": [1, 20], "constraints": {"maximum": 5}}, "fields[0].constraints"),
        ({"type": "integer", "constraints": {"minimum": 5, "maximum": 1}}, "fields[0].constraints"),
        ({"type": "integer", "constraints": {"minimum": "low"}}, "fields[0].constraints.minimum"),
        ({"type": "number", "constraints": {"minimum": 0, "maximum": 1}, "step": 0}, "fields[0].step"),
        ({"missingValues": "NA"}, "fields[0].missingValues"),
        ({"missingValues": [None]}, "fields[0].missingValues[0]"),
        ({"categories": ["a"], "frequencies": [1, 2, 3]}, "fields[0]"),
        ({"categories": ["a"], "frequencies": ["many"]}, "fields[0].frequencies"),
        ({"categories": ["a", "a"]}, "fields[0]"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_field_is_rejected_with_its_place(field: dict[str, Any], where: str) -> None:
    with pytest.raises(SchemaError) as caught:
        _variable(**field)
    assert caught.value.where == where


def test_bad_rule_is_rejected_with_its_place() -> None:
    document = {"fields": [{"name": "a", "type": "integer"}], "rules": ["a > 1", "a >"]}
    with pytest.raises(RuleError) as caught:
        parse_schema(document)
    assert caught.value.where == "rules[1]"
    with pytest.raises(SchemaError, match="a list of texts"):
        parse_schema(document | {"rules": "a > 1"})
