"""The pages written by hand name everything that the program has of their subject."""

from __future__ import annotations

import ast
from pathlib import Path

from divulge.table.files.read import DELIMITED, READERS
from divulge.table.lint import checks

PAGE = (Path(__file__).parents[2] / "docs" / "table.md").read_text(encoding="utf-8")


def test_page_about_tables_explains_every_remark() -> None:
    folder = Path(checks.__file__).parent
    calls = [
        node
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Remark"
    ]
    codes = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert len(codes) > 5
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()


def test_page_about_tables_names_every_format() -> None:
    assert [ending for ending in (*DELIMITED[:1], *READERS) if f"`{ending}`" not in PAGE] == []
