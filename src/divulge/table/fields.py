"""One field of a Table Schema as a variable: its type, categories, constraints, missing values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, get_args

import numpy as np

from divulge.errors import DivulgeError, SchemaError
from divulge.table.dates import is_format, known_formats
from divulge.table.infer import parse_number
from divulge.table.variable import Holds, Kind, Value, Variable, value_text

_TYPES = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "year": "integer",
    "date": "string",
    "datetime": "string",
    # Times and the like are text: nothing in the program reckons with them.
    "time": "string",
    "yearmonth": "string",
    "duration": "string",
    "any": "string",
}
LARGEST_GRID = 10_000_000
"""More numbers than this between minimum and maximum are not listed: the variable is left open instead."""


def typed(value: Any, kind: str) -> Any:
    """A missing value as it was meant: a text that is a number means the number in a field of numbers."""
    if kind in ("integer", "number") and isinstance(value, str):
        number = parse_number(value)
        return value if number is None else number
    return value


def parse_field(field: Any, common_missing: Any, where: str) -> Variable:
    """A field as a variable. common_missing: the schema's own missingValues, which the field's replace."""
    if not isinstance(field, dict) or not isinstance(field.get("name"), str) or not field["name"]:
        raise SchemaError("every field needs a `name`.", where=where, hint='For example {"name": "AGE"}.')
    kind = _TYPES.get(field.get("type", "string")) if isinstance(field.get("type", "string"), str) else None
    if kind is None:
        raise SchemaError(
            f"{field['name']!r} has the type {field.get('type')!r}, which tables of people do not hold.",
            where=f"{where}.type",
            hint=f"The types are {', '.join(_TYPES)}.",
        )
    constraints = field.get("constraints", {})
    if not isinstance(constraints, dict):
        raise SchemaError("an object is needed here.", where=f"{where}.constraints")
    listed = parse_missing(
        field.get("missingValues", common_missing),
        kind,
        f"{where}.missingValues" if "missingValues" in field else "missingValues",
    )
    if constraints.get("required") is True:
        listed = {v: label for v, label in listed.items() if v is not None}
    labels: dict[Value | None, str] = {v: label for v, label in listed.items() if label is not None}
    values, more, is_categorical = _values(field, kind, constraints, where)
    labels |= more | _labels(field.get("valueLabels", []), kind, f"{where}.valueLabels")
    holds, written = _holds(field, where)
    known = {value_text(v) for v in listed if v is not None}
    variable_kind: Kind = "categorical" if is_categorical else "numeric"
    array = _as_array([v for v in values or [] if value_text(v) not in known], kind)
    try:
        return Variable(
            field["name"],
            variable_kind,
            array,
            labels=labels,
            missing=tuple(listed),
            title=field.get("title") if isinstance(field.get("title"), str) else None,
            is_ordered=field.get("categoriesOrdered") is True or written is not None,
            frequencies=_frequencies(field, where),
            is_open=values is None or field.get("open") is True,
            holds=holds,
            date_format=written,
        )
    except DivulgeError as error:
        raise error.at(where) from None


def _holds(field: dict[str, Any], where: str) -> tuple[Holds, str | None]:
    """What the values are, and the format of dates. `default` and `any` are the standard's words for 2011-03-27."""
    if field.get("type") in ("date", "datetime"):
        written = field.get("format", "default")
        written = "%Y-%m-%d" if written in ("default", "any") else written
        if not is_format(written):
            raise SchemaError(
                f"dates cannot be read by the format {written!r}.",
                where=f"{where}.format",
                hint=f"The formats are {', '.join(known_formats())}.",
            )
        return "date", written
    holds = field.get("holds", "levels")
    if holds not in get_args(Holds):
        raise SchemaError(
            f"a column cannot hold {holds!r}.", where=f"{where}.holds", hint=f"It holds {', '.join(get_args(Holds))}."
        )
    return holds, None


def _as_array(values: list[Value], kind: str) -> np.ndarray[Any, Any]:
    if kind == "number":
        return np.array(values, dtype=np.float64)
    if kind == "integer":
        return np.array(values, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _frequencies(field: dict[str, Any], where: str) -> np.ndarray[Any, Any] | None:
    given = field.get("frequencies")
    if given is None:
        return None
    if not isinstance(given, list) or not all(type(n) is int and 0 <= n < 2**63 for n in given):
        raise SchemaError("a list of counts (whole numbers of at least 0) is needed.", where=f"{where}.frequencies")
    return np.array(given, dtype=np.int64)


def parse_missing(given: Any, kind: str, where: str) -> dict[Value | None, str | None]:
    """Missing values with their labels; the empty text means the empty field unless it says that it is a text."""
    if not isinstance(given, list):
        raise SchemaError("a list of missing values is needed.", where=where, hint='For example ["", "-9"].')
    missing: dict[Value | None, str | None] = {}
    for i, entry in enumerate(given):
        value = entry.get("value") if isinstance(entry, dict) else entry
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise SchemaError("a missing value is a text, or {value, label}.", where=f"{where}[{i}]")
        as_text = isinstance(entry, dict) and entry.get("text") is True
        label = entry.get("label") if isinstance(entry, dict) else None
        meant = value if as_text else None if value == "" else typed(value, kind)
        missing[meant] = label if isinstance(label, str) else None
    return missing


def _values(
    field: dict[str, Any], kind: str, constraints: dict[str, Any], where: str
) -> tuple[list[Value] | None, dict[Value | None, str], bool]:
    """Possible values (None: not known), labels, and whether they are categories."""
    if "categories" in field:
        at = f"{where}.categories"
        labels = _labels([c for c in _listed(field["categories"], at) if isinstance(c, dict)], kind, at)
        listed = [c.get("value") if isinstance(c, dict) else c for c in field["categories"]]
        values = [_as_type(v, kind, f"{at}[{i}]") for i, v in enumerate(listed)]
        _check_constraints(values, kind, constraints, where)
        return values, labels, True
    is_text = kind in ("string", "boolean")
    if "enum" in constraints:
        at = f"{where}.constraints.enum"
        values = [_as_type(v, kind, f"{at}[{i}]") for i, v in enumerate(_listed(constraints["enum"], at))]
        _check_constraints(values, kind, {k: v for k, v in constraints.items() if k != "enum"}, where)
        return values, {}, is_text
    if kind == "boolean":
        # The texts that pandas writes; those of the standard are accepted as their labels.
        return ["False", "True"], {"False": "false", "True": "true"}, True
    if is_text:
        return None, {}, True
    lowest, highest = (_bound(constraints, name, kind, where) for name in ("minimum", "maximum"))
    step = field.get("step", 1 if kind == "integer" else None)
    if step is not None and (isinstance(step, bool) or not isinstance(step, int | float) or step <= 0):
        raise SchemaError("the step of a grid is a number above 0.", where=f"{where}.step")
    if lowest is not None and highest is not None and lowest > highest:
        raise SchemaError("the minimum is above the maximum.", where=f"{where}.constraints")
    if lowest is None or highest is None or step is None:
        return None, {}, False
    if (highest - lowest) / step + 1 > LARGEST_GRID:
        return None, {}, False
    return grid(lowest, highest, Decimal(str(step))), {}, False


def grid(lowest: Any, highest: Any, step: Decimal) -> list[Value]:
    """lowest, lowest + step, … up to highest, in decimal arithmetic, so that 0.1 · 3 is 0.3."""
    first, last = Decimal(str(lowest)), Decimal(str(highest))
    n = int((last - first) / step) + 1
    if isinstance(lowest, int) and step == int(step):
        return list(range(lowest, lowest + n * int(step), int(step)))
    return [float(first + k * step) for k in range(n)]


def _listed(given: Any, where: str) -> list[Any]:
    if not isinstance(given, list):
        raise SchemaError("a list is needed here.", where=where)
    return given


def _labels(given: Any, kind: str, where: str) -> dict[Value | None, str]:
    labels: dict[Value | None, str] = {}
    for i, entry in enumerate(_listed(given, where)):
        if not isinstance(entry, dict) or "value" not in entry:
            raise SchemaError("{value, label} is needed here.", where=f"{where}[{i}]")
        if isinstance(entry.get("label"), str):
            labels[_as_type(entry["value"], kind, f"{where}[{i}]")] = entry["label"]
    return labels


def _as_type(value: Any, kind: str, where: str) -> Value:
    """A value of the field's type, also where the dictionary writes a number as text."""
    number: Any = parse_number(value) if isinstance(value, str) else value
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if kind == "integer" and is_number and number == int(number) and -(2**63) <= number < 2**63:
        return int(number)
    if kind == "number" and is_number:
        return float(number)
    if kind in ("string", "boolean") and isinstance(value, str | int | float):
        return value if isinstance(value, str) else value_text(value)
    raise SchemaError(f"a value of the type {kind!r} is needed here.", where=where)


def _bound(constraints: dict[str, Any], name: str, kind: str, where: str) -> Any:
    return None if name not in constraints else _as_type(constraints[name], kind, f"{where}.constraints.{name}")


def _check_constraints(values: list[Value], kind: str, constraints: dict[str, Any], where: str) -> None:
    """Raise where listed values contradict the constraints."""
    outside = 0
    if "enum" in constraints:
        enum = _listed(constraints["enum"], f"{where}.constraints.enum")
        allowed = {value_text(v) if not isinstance(v, bool) else str(v) for v in enum}
        outside = sum(value_text(v) not in allowed for v in values)
    if kind in ("integer", "number"):
        lowest, highest = (_bound(constraints, name, kind, where) for name in ("minimum", "maximum"))
        numbers = [v for v in values if not isinstance(v, str)]
        outside += sum(lowest is not None and v < lowest for v in numbers)
        outside += sum(highest is not None and v > highest for v in numbers)
    if outside:
        raise SchemaError(
            f"{outside} of {len(values)} listed values contradict the constraints.",
            where=f"{where}.constraints",
            hint="Give either the categories or the constraints, or make them agree.",
        )
