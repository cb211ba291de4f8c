"""Every line of a spec that a hint shows can be pasted: it is YAML, and its field is one that a spec has."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from divulge.spec.document import parse_yaml
from tests.support.repository import ROOT

_SHOWN = re.compile(
    r"\b(?:Write|For example|[Aa]s in)(?: for example)? "
    r"(?P<line>[a-z_]+: (?:\{.*?\}(?=[.,; )]|$)|\[[^\]]*\]|[^\s.,;)]+))"
)


def _texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a file; what is put into one when the program runs stands there as a number."""
    parts = {id(value) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for value in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(v.value if isinstance(v, ast.Constant) else "1" for v in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def _lines() -> list[tuple[str, str]]:
    files = sorted((ROOT / "src" / "divulge").rglob("*.py"))
    found = [
        (f.stem, m["line"]) for f in files for t in _texts(ast.parse(f.read_text("utf-8"))) for m in _SHOWN.finditer(t)
    ]
    return sorted(set(found))


def _fields(schema: Any) -> set[str]:
    """The names of all fields, however deep they lie."""
    if isinstance(schema, list):
        return set().union(*map(_fields, schema), set())
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own.union(*map(_fields, schema.values()))


@pytest.mark.slow
def test_line_that_a_hint_shows_can_be_pasted() -> None:
    fields = _fields(json.loads((ROOT / "docs" / "reference" / "spec.schema.json").read_text("utf-8")))
    lines = _lines()
    assert len(lines) > 12
    for file, line in lines:
        pasted = parse_yaml(line)
        assert isinstance(pasted, dict), f"{file}: {line}"
        assert set(pasted) <= fields, f"{file}: {line}"
