"""How the house is kept: short files, short functions, and few names that others may use."""

from __future__ import annotations

import ast
from statistics import median

from tests.support.repository import ROOT, long_files, name

NAMES_PER_THOUSAND = 18.0
"""Public functions and classes per thousand lines. Eight models of good code have between 5 and 26."""

LONGEST_FUNCTION = 60
USUAL_FILE = 130

SOURCE = [p for p in sorted((ROOT / "src").rglob("*.py")) if "migrations" not in p.parts]
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def public_names(text: str) -> list[str]:
    """Functions and classes at the top of a file that other files may use."""
    found = [node.name for node in ast.parse(text).body if isinstance(node, (*_Function, ast.ClassDef))]
    return [name for name in found if not name.startswith("_")]


def long_functions(text: str) -> list[str]:
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, _Function)]
    lengths = [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in found]
    return [f"{which}, {length} lines" for which, length in lengths if length > LONGEST_FUNCTION]


def test_public_names_are_few() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCE]
    n_lines = sum(len(text.splitlines()) for text in texts)
    n_names = sum(len(public_names(text)) for text in texts)
    assert n_names <= NAMES_PER_THOUSAND * n_lines / 1000, (
        f"{n_names:,} public names on {n_lines:,} lines: a name that one file uses alone starts with an underscore, "
        "and a function that takes an object of ours first is a method of it"
    )


def test_private_names_are_not_counted() -> None:
    assert public_names("def a(): ...\ndef _b(): ...\nclass C:\n    def d(self): ...\nclass _E: ...") == [
        "a",
        "C",
    ]


def test_no_function_is_long() -> None:
    found = {name(path): long_functions(path.read_text(encoding="utf-8")) for path in SOURCE}
    assert {path: long for path, long in found.items() if long} == {}


def test_long_function_is_found() -> None:
    short, long = "def a():\n" + "    x = 1\n" * 59, "class C:\n    def b(self):\n" + "        x = 1\n" * 60
    assert long_functions(short + long) == ["b, 61 lines"]


def test_files_are_short() -> None:
    assert long_files(SOURCE) == []
    assert median(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE) <= USUAL_FILE
