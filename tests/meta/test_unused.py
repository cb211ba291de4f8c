"""What nothing asks for is taken out: every function, class and constant is used by more than its own tests."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.support.repository import ROOT, name, text_files

FOR_TESTS = {"residuals_at"}
"""What only tests of kinds ask: how far figures of a table are from those released, without a search."""

_Named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def names_of(text: str) -> Iterator[tuple[str, bool]]:
    """Every name that a file gives, and whether others may call it without naming it: a framework, or Python itself."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, _Named):
            yield node.name, bool(node.decorator_list) or node.name.startswith("__")
        if isinstance(node, ast.ClassDef):
            # A class of somebody else's calls what it names itself.
            is_foreign = bool(node.bases)
            yield from ((one.name, True) for one in node.body if is_foreign and isinstance(one, _Named))
        if isinstance(node, ast.Assign):
            yield from ((at.id, False) for at in node.targets if isinstance(at, ast.Name) and at.id.isupper())


def unused(files: dict[str, str], others: str) -> list[str]:
    """Names that stand nowhere but where they are given. others: texts that use names and give none."""
    used = Counter(re.findall(r"\w+", others))
    given: Counter[str] = Counter()
    excused: set[str] = set()
    for text in files.values():
        used.update(re.findall(r"\w+", text))
        found = list(dict.fromkeys(names_of(text)))
        given.update(which for which, is_called in found if not is_called)
        excused.update(which for which, is_called in found if is_called)
    return sorted(which for which, n in given.items() if used[which] <= n and which not in excused)


def test_every_name_of_the_program_is_used_by_it_or_shown_on_a_page() -> None:
    source = ROOT / "src"
    files = {name(p): p.read_text(encoding="utf-8") for p in sorted(source.rglob("*.py")) if "versions" not in p.parts}
    folders = {"src", "docs", "benchmarks", "examples", "r", "stata"}
    ours = [p for p in text_files() if p.relative_to(ROOT).parts[0] in folders and name(p) not in files]
    others = "\n".join(p.read_text(encoding="utf-8", errors="replace") for p in ours if p.suffix in _READ)
    assert set(unused(files, others)) == FOR_TESTS


_READ = {".py", ".md", ".html", ".jinja", ".js", ".yaml", ".yml", ".toml", ".R", ".ado"}


def test_name_that_nothing_uses_is_found() -> None:
    files = {
        "a.py": "KEPT = 1\nLEFT = 2\ndef asked(): return KEPT\ndef idle(): ...\n@hook\ndef called(): ...",
        "b.py": "from a import asked\nclass Own(Base):\n    def override(self): ...\nprint(asked, Own)",
    }
    assert unused(files, "") == ["LEFT", "idle"]
    assert unused(files, "shown: idle") == ["LEFT"]
