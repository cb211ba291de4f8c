"""Schemas as Frictionless Table Schema JSON, in and out: a data dictionary alone makes a schema.

Beyond the standard, a field may say `step` (a grid of numbers between minimum and maximum), `frequencies` (how many
rows have each value and then each missing code, where that is public), `holds` (identifiers, text, postcodes: what is
never listed), `open` and `valueLabels`; and the schema may say `rules` (edit rules). Parsing one field is in
`fields.py`.
"""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

from divulge.errors import DivulgeError, SchemaError
from divulge.record import dumps, write_text
from divulge.table.conditions import EditRule
from divulge.table.fields import LARGEST_GRID, grid, parse_field, parse_missing, typed
from divulge.table.files.csv_write import field_text
from divulge.table.files.readable import check_readable
from divulge.table.schema import Schema
from divulge.table.variable import Value, Variable


def read_schema(path: str | os.PathLike[str]) -> Schema:
    """A schema from a JSON file; SchemaError and RuleError say where in it something is wrong."""
    file = Path(path)
    check_readable(file)
    try:
        document = json.loads(file.read_bytes().decode("utf-8-sig"))
    except ValueError as error:
        line = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise SchemaError(
            f"this is not JSON{line}.", where=str(file), hint="A Table Schema is a JSON object with `fields`."
        ) from None
    try:
        return parse_schema(document)
    except DivulgeError as error:
        error.where = f"{file}: {error.where}" if error.where else str(file)
        raise


def write_schema(schema: Schema, path: str | os.PathLike[str]) -> None:
    """Write a schema as JSON, so that `read_schema` gives an equal one back."""
    write_text(Path(path), dumps(format_schema(schema)))


def parse_schema(document: Any) -> Schema:
    """A schema from JSON already read: a Table Schema, or a resource or package that has one."""
    if isinstance(document, dict) and "fields" not in document:
        resources = document.get("resources")
        if isinstance(resources, list) and len(resources) == 1 and isinstance(resources[0], dict):
            document = resources[0]
        document = document.get("schema", document)
    if not isinstance(document, dict) or not isinstance(document.get("fields"), list):
        raise SchemaError(
            "a Table Schema needs `fields`, a list of variables.",
            where="fields",
            hint='The least is {"fields": [{"name": "AGE", "type": "integer"}]}.',
        )
    common = document.get("missingValues", [""])
    parse_missing(common, "string", "missingValues")
    variables = tuple(parse_field(f, common, f"fields[{i}]") for i, f in enumerate(document["fields"]))
    rules = document.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(r, str) for r in rules):
        raise SchemaError("`rules` needs a list of texts such as `AGE < 16 -> MSTATUS = Single`.", where="rules")
    schema = Schema(variables, tuple(rules))
    for i, text in enumerate(rules):
        try:
            EditRule.parse(text, schema)
        except DivulgeError as error:
            error.where = f"rules[{i}]"
            raise
    return schema


def format_schema(schema: Schema) -> dict[str, Any]:
    """The schema as plain data for JSON."""
    document: dict[str, Any] = {"fields": [format_field(v) for v in schema]}
    if schema.rules:
        document["rules"] = list(schema.rules)
    return document


def format_field(variable: Variable) -> dict[str, Any]:
    """One variable as plain data for JSON."""
    values: list[Value] = variable.values.tolist()
    kind = {"i": "integer", "f": "number"}.get(variable.values.dtype.kind, "string")
    field: dict[str, Any] = {"name": variable.name}
    if variable.title is not None:
        field["title"] = variable.title
    field["type"] = "date" if variable.holds == "date" else kind
    if variable.date_format is not None:
        field["format"] = variable.date_format
    if variable.holds not in ("levels", "date"):
        field["holds"] = variable.holds
    labelled = set()
    if variable.kind == "categorical" and (values or not variable.is_open):
        labelled = {v for v in values if v in variable.labels}
        field["categories"] = [{"value": v, "label": variable.labels[v]} if v in labelled else v for v in values]
    elif values or not variable.is_open:
        field |= _numeric_values(values)
    if variable.is_ordered and variable.holds != "date":
        field["categoriesOrdered"] = True
    if variable.is_open and values:
        field["open"] = True
    field["missingValues"] = [_missing(v, kind, variable.labels.get(v)) for v in variable.missing]
    others = [v for v in variable.labels if v not in labelled and v not in variable.missing]
    if others:
        field["valueLabels"] = [{"value": v, "label": variable.labels[v]} for v in others]
    if variable.frequencies is not None:
        field["frequencies"] = variable.frequencies.tolist()
    return field


def _numeric_values(values: list[Value]) -> dict[str, Any]:
    """Three numbers or more at equal distances as minimum, maximum and step; others one by one."""
    if 2 < len(values) <= LARGEST_GRID:
        first, second, last = (Decimal(str(v)) for v in (values[0], values[1], values[-1]))
        step = second - first
        if last - first == step * (len(values) - 1) and grid(values[0], values[-1], step) == values:
            plain = int(step) if isinstance(values[0], int) else float(step)
            constraints = {"constraints": {"minimum": values[0], "maximum": values[-1]}}
            return constraints if plain == 1 and isinstance(plain, int) else constraints | {"step": plain}
    return {"constraints": {"enum": values}}


def _missing(value: Value | None, kind: str, label: str | None) -> Any:
    """A missing code as text where reading gives the same back, which is what the standard asks for."""
    plain: Any = "" if value is None else field_text(value)
    entry: dict[str, Any] = {"value": plain}
    if value is not None and (
        plain == "" or typed(plain, kind) != value or type(typed(plain, kind)) is not type(value)
    ):
        entry = {"value": value, "text": True} if isinstance(value, str) else {"value": value}
    if label is not None:
        entry["label"] = label
    return entry["value"] if list(entry) == ["value"] else entry
