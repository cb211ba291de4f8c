"""Imports go downwards only, so that a room can be read, tested and replaced without those above it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import divulge

SOURCE = Path(divulge.__file__).parent

LAYERS = (
    {"__main__"},
    {"cli"},
    {"terminal"},
    {"web"},
    {"ledger", "teaching", "notebook", "client"},
    {"safer"},
    {"assess"},
    {"spec"},
    {"designs", "policy"},
    {"readers", "mitigations"},
    {"withholding", "merging"},
    {"synthesisers", "audit", "attacks", "fitting"},
    {"objective"},
    {"checking"},
    {"rules"},
    {"contributions"},
    {"outputs", "measures"},
    {"scenario", "comparators"},
    {"demo", "reports"},
    {"sources"},
    {"condensing"},
    {"table"},
    {"lattice"},
    {"kernels"},
    {"settings"},
    {"record"},
    {"errors"},
)
"""From the top down. A part imports from the layers below its own, and nothing beside it."""

ONLY = {
    "__main__": {"cli"},
    "reports": {"record", "errors"},  # a report reads the record and recomputes nothing
    "demo": {"table", "kernels", "errors"},  # data to play with know nothing of what is done with them
    "client": {"errors"},  # what a program needs to ask a service, and nothing else
    "kernels": set(),  # arrays in, arrays out: nothing of ours
}
"""Parts that may import less than everything below them."""

ONLY_FROM = {"demo": {"cli", "terminal"}}
"""Parts that may be imported by these alone: nothing that assesses real data rests on data to play with."""

KERNEL_LIBRARIES = {"numpy", "numba", "scipy"}


def _part(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a file imports, wherever in the file it does so."""
    package = ("divulge", *path.relative_to(SOURCE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from divulge import table` imports a part; `from divulge.table import Table` a name of one.
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}" if module == "divulge" else module


def _layer(part: str) -> int:
    found = [i for i, layer in enumerate(LAYERS) if part in layer]
    assert found, f"{part!r} is not in LAYERS: say where it stands"
    return found[0]


def upward_imports(path: Path, part: str) -> list[str]:
    """Every import of a file that does not go downwards, in words."""
    wrong = []
    for line, name in _imports(path):
        if not name.startswith("divulge.") or name == "divulge.__version__":
            continue
        imported = name.split(".")[1]
        if imported == part:
            continue
        allowed = ONLY.get(part)
        if (
            _layer(imported) <= _layer(part)
            or (allowed is not None and imported not in allowed)
            or part not in ONLY_FROM.get(imported, {part})
        ):
            wrong.append(f"{path.name}:{line}: {part} imports {imported}")
    return wrong


FILES = [p for p in sorted(SOURCE.rglob("*.py")) if p != SOURCE / "__init__.py"]


@pytest.mark.slow
def test_every_file_imports_only_downwards() -> None:
    assert [line for path in FILES for line in upward_imports(path, _part(path))] == []


def test_kernels_import_only_array_libraries() -> None:
    allowed = KERNEL_LIBRARIES | {"divulge"} | sys.stdlib_module_names
    kernels = [p for p in FILES if _part(p) == "kernels"]
    found = [f"{p.name}:{line}: {name}" for p in kernels for line, name in _imports(p)]
    assert [one for one in found if one.split(": ")[1].split(".")[0] not in allowed] == []


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("table", "from divulge.outputs import KINDS"),
        ("table", "def late():\n    import divulge.cli"),
        ("table", "from divulge import measures"),
        ("table", "from .. import measures"),
        ("kernels", "from divulge.errors import DivulgeError"),
        ("outputs", "from divulge.measures import Case"),
        ("reports", "from divulge.table import Table"),
        ("assess", "from divulge.demo import simulated_census"),
    ],
)
def test_upward_import_is_found(part: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path)
    (tmp_path / part).mkdir()
    file = tmp_path / part / "file.py"
    file.write_text(text, encoding="utf-8")
    assert len(upward_imports(file, part)) == 1


DEVELOPERS = (Path(__file__).parents[2] / "DEVELOPERS.md").read_text(encoding="utf-8")


def test_order_of_imports_in_the_page_for_developers_is_the_one_that_is_held() -> None:
    written = DEVELOPERS.split("Imports go downwards only:")[1].split("```")[1].removeprefix("text\n")
    assert [set(line.split(", ")) for line in written.split("\n") if line] == [s for s in LAYERS if s != {"__main__"}]


def test_every_part_stands_in_the_layout_for_developers() -> None:
    layout = DEVELOPERS.split("## Layout")[1].split("```")[1]
    listed = {
        line.split()[0].removesuffix("/").removesuffix(".py") for line in layout.split("\n") if line[:3].strip(" ")
    }
    assert set().union(*LAYERS) - {"__main__"} <= listed
