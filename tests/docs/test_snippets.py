"""Every snippet of the documentation runs, and prints what the page says that it prints.

The Python blocks of a page run in order in one namespace and in an empty folder. A `text` block right after one is what
it prints. In a `console` block each line that starts with `$ divulge` is run; lines below it are what it prints.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from divulge.cli import main
from divulge.table.frictionless import parse_schema

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """Something to run, and what it should print (None: whatever it likes)."""

    line: int
    language: str
    code: str
    expected: str | None


def steps(text: str) -> Iterator[Step]:
    """What a page asks to run, in order."""
    blocks = [(text.count("\n", 0, m.start()) + 2, m[1], m[2], m.start(), m.end()) for m in _BLOCK.finditer(text)]
    for i, (line, language, body, _, end) in enumerate(blocks):
        if language == "python":
            follows = i + 1 < len(blocks) and blocks[i + 1][1] == "text" and not text[end : blocks[i + 1][3]].strip()
            yield Step(line, language, body, blocks[i + 1][2] if follows else None)
        elif language == "console":
            for command in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                first, _, printed = command.partition("\n")
                if first.startswith("divulge "):
                    yield Step(line, language, first, printed if printed.strip() else None)


def _run(step: Step, namespace: dict[str, Any], name: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if step.language == "python":
            # Blank lines in front make a traceback point at the line of the page.
            exec(compile("\n" * (step.line - 1) + step.code, name, "exec"), namespace)
        else:
            with pytest.raises(SystemExit) as end:
                main(shlex.split(step.code)[1:])
            assert end.value.code == 0, f"{name}:{step.line}: {step.code} ended with {end.value.code}"
    return printed.getvalue()


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def check_page(text: str, name: str, folder: Path) -> int:
    """Run everything on a page in a folder, compare what is printed, and say how much was run."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    n_steps = 0
    before = Path.cwd()
    os.chdir(folder)
    try:
        for step in steps(text):
            printed = _run(step, namespace, name)
            n_steps += 1
            if step.expected is not None:
                assert _lines(printed) == _lines(step.expected), f"{name}:{step.line}"
    finally:
        os.chdir(before)
    return n_steps


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    check_page(page.read_text(encoding="utf-8"), page.name, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_json_on_a_page_can_be_read(page: Path) -> None:
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match[1] == "json":
            document = json.loads(match[2])
            if "fields" in document:
                assert len(parse_schema(document)) == len(document["fields"])


def test_page_about_tables_and_readme_have_something_to_run() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "table.md"):
        assert any(step.language == "python" for step in steps(page.read_text(encoding="utf-8"))), page.name


PAGE = """
```python
x = 2
```

Some words.

```python
print(x + 1)
```

```text
{printed}
```
"""


def test_right_page_passes(tmp_path: Path) -> None:
    assert check_page(PAGE.format(printed="3"), "page", tmp_path) == 2


def test_wrong_page_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        check_page(PAGE.format(printed="4"), "page", tmp_path)


def test_failing_command_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="ended with 2"):
        check_page("```console\n$ divulge no-such-command\n```\n", "page", tmp_path)
