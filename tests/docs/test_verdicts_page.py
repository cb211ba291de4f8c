"""The page of verdicts names tests; each of them must be there."""

from __future__ import annotations

import ast
import re

from tests.support.repository import ROOT

NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


def test_every_test_that_the_page_names_is_there() -> None:
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    named = NAMED.findall(page)
    rows = [line for line in page.splitlines() if line.startswith("|") and not line.startswith(("| output", "|---"))]
    assert rows
    assert all(NAMED.search(row) for row in rows)
    for file, test in named:
        trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tests").rglob(file))]
        there = {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert test in there, (file, test)
