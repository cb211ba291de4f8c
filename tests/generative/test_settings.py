"""The JSON Schema of a spec and the reader agree: what an editor marks is refused, and nothing else."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import jsonschema
import pytest

from divulge.designs import DESIGNS
from divulge.measures import FAMILIES
from divulge.outputs import OUTPUTS
from divulge.settings import json_schema
from divulge.settings.read import _Reader
from divulge.spec import Assessment
from divulge.synthesisers import SYNTHESISERS

SCHEMA = json.loads(json.dumps(json_schema(Assessment, "a spec")))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

VALUES = (None, True, False, 0, 1, -1, 2, 2.5, 2.0, 1e9, 1e-9, "", "a", "0.1", "no", "marginals", "public use")
VALUES += (
    [],
    ["a"],
    [1],
    [0.5],
    [[1]],
    ["a", "a"],
    [None],
    {},
    {"a": 1},
    {"a": "b"},
    {"kind": "a"},
    {"kind": "descent"},
)

OTHERS = {
    "data": "d.csv",
    "schema": "s.json",
    "derive": {"YEAR": "year(BORN)"},
    "rows": 10,
    "scenario": [{"target": "T", "keys": ["A"], "knows": "marginals", "key_sizes": "3-6"}],
    "policy": {"delta": 0.1},
    "teaching": {"versions": 2, "weight": {"name": "W", "margins": {"A": {"a": 5}}}},
    "seed": 1,
}


class Shapes(_Reader):
    """Reads types, names and ranges, and leaves out what settings say against each other."""

    def made(self, owner: type[Any], fields: Any, path: str) -> Any:
        return fields


def refused_by_reader(document: dict[str, Any]) -> bool:
    reader = Shapes()
    reader.fields(Assessment, document, "")
    return bool(reader.problems)


def specs() -> list[dict[str, Any]]:
    """One for every example of every kind of output, design, synthesiser and family of measures."""
    plain = {"kind": "frequencies", "variables": ["A"], "compute": True}
    outputs = [{"kind": kind.kind, **json.loads(json.dumps(e.fields))} for kind in OUTPUTS for e in kind.examples]
    found: list[dict[str, Any]] = [{"outputs": [output], "earlier": [output]} for output in outputs]
    found += [{"outputs": [plain], "design": {"kind": design.kind}} for design in DESIGNS]
    found += [{"outputs": [plain], "synthesiser": {"kind": synthesiser.kind}} for synthesiser in SYNTHESISERS]
    found += [{"outputs": [plain], "measures": ["TCAP", {family.name: {}}]} for family in FAMILIES]
    return [{**OTHERS, **spec} for spec in found]


def places(value: Any, schema: dict[str, Any], path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Every place of a document, filled or not: what it is in, and its name or number there."""
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    found = [place for way in ("anyOf", "oneOf") for one in schema.get(way, ()) for place in places(value, one, path)]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [(path, name) for name in {**known, **value}]
        found += [
            p for name, inner in value.items() if name in known for p in places(inner, known[name], (*path, name))
        ]
    if isinstance(value, list):
        found += [(path, i) for i in range(len(value))]
        items = schema.get("items", False)
        found += [p for i, inner in enumerate(value) if items for p in places(inner, items, (*path, i))]
    return found


def changed(document: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The document with one value changed, left out, added or misspelt."""
    made = copy.deepcopy(document)
    path, name = rng.choice(places(made, SCHEMA))
    inside: Any = made
    for step in path:
        inside = inside[step]
    value, chance = copy.deepcopy(rng.choice(VALUES)), rng.random()
    if isinstance(inside, dict) and chance < 0.1:
        inside.pop(name, None)
    elif isinstance(inside, dict) and chance < 0.2:
        inside[f"{name}x"] = value
    else:
        inside[name] = value
    return made


def test_every_example_is_good_for_both() -> None:
    for spec in specs():
        assert VALIDATOR.is_valid(spec), spec
        assert not refused_by_reader(spec), spec


# Three seeds of 400 changes: with one kept from agreeing (an enum of numbers called a string) each seed fails.
@pytest.mark.parametrize("seed", range(3))
def test_json_schema_and_reader_refuse_the_same(seed: int) -> None:
    rng, every, n_refused = random.Random(seed), specs(), 0
    for _ in range(400):
        spec = changed(rng.choice(every), rng)
        refused = refused_by_reader(spec)
        n_refused += refused
        assert VALIDATOR.is_valid(spec) is not refused, spec
    assert 100 < n_refused < 390, "changes that are refused, and changes that are not"
