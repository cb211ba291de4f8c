"""A schema written as Table Schema JSON is read back equal: hypothesis makes the schemas."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.record import dumps
from divulge.table import Schema, Variable
from divulge.table.frictionless import format_schema, parse_schema
from divulge.table.variable import value_text

_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
_INTEGER = st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)
_FLOAT = st.floats(allow_nan=False, allow_infinity=False)
_MISSING = st.none() | st.sampled_from(["", "NA", ".a", "-8", "007"]) | st.integers(-99, -1) | st.just(-9.5)


@st.composite
def schema_variables(draw: st.DrawFn, name: str) -> Variable:
    kind = draw(st.sampled_from(["categorical", "numeric"]))
    element = draw(st.sampled_from([_INTEGER, _FLOAT] if kind == "numeric" else [_TEXT, _INTEGER, _FLOAT]))
    values: list[Any]
    if kind == "numeric" and draw(st.booleans()):
        first, step, n = draw(st.integers(-50, 50)), draw(st.integers(1, 20)), draw(st.integers(0, 30))
        scale = draw(st.sampled_from([1, 10, 4]))
        values = [(first + k * step) if scale == 1 else (first + k * step) / scale for k in range(n)]
    else:
        values = draw(st.lists(element, max_size=6, unique_by=lambda v: value_text(v)))
    known = {value_text(v) for v in values}
    missing = [
        m
        for m in draw(st.lists(_MISSING, max_size=3, unique_by=lambda v: (v is None, value_text(v))))
        if m is None or value_text(m) not in known
    ]
    array = np.empty(len(values), dtype=object)
    array[:] = values
    bare = Variable(name, kind, array)  # type: ignore[arg-type]
    keys = [*bare.values.tolist(), *missing]
    labels = draw(st.dictionaries(st.sampled_from(keys), _TEXT, max_size=3)) if keys else {}
    counts = draw(st.none() | st.lists(st.integers(0, 10**9), min_size=len(keys), max_size=len(keys)))
    return Variable(
        name,
        kind,  # type: ignore[arg-type]
        array,
        labels=labels,
        missing=tuple(missing),
        title=draw(st.none() | _TEXT),
        is_ordered=kind == "categorical" and draw(st.booleans()),
        frequencies=None if counts is None else np.array(counts, dtype=np.int64),
        is_open=draw(st.booleans()),
    )


@given(data=st.data(), names=st.lists(_TEXT.filter(bool), max_size=4, unique=True))
def test_schema_is_read_back_as_it_was_written(data: st.DataObject, names: list[str]) -> None:
    schema = Schema(tuple(data.draw(schema_variables(name)) for name in names))
    assert parse_schema(json.loads(dumps(format_schema(schema)))) == schema
