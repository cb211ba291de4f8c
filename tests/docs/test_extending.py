"""Adding a kind is one file and one line, as docs/extending.md says: done here to a copy of the package."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import divulge
from divulge.outputs import Example, Output
from tests.contract import test_outputs as contract

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
SOURCE = Path(divulge.__file__).parent


def blocks() -> tuple[str, list[str]]:
    """The new file, and the lines that go into the room's __init__."""
    text = PAGE.read_text(encoding="utf-8")
    file = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = re.search(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert file is not None
    assert lines is not None
    return file[1], lines[1].split("...\n")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the kind of the page added to it."""
    folder = tmp_path_factory.mktemp("extended")
    shutil.copytree(SOURCE, folder / "divulge", ignore=shutil.ignore_patterns("__pycache__"))
    file, (import_line, tuple_line) = blocks()
    (folder / "divulge" / "outputs" / "kinds" / "tail.py").write_text(file, encoding="utf-8")
    room = folder / "divulge" / "outputs" / "kinds" / "__init__.py"
    text = room.read_text(encoding="utf-8")
    before, found, after = text.partition("OUTPUTS: tuple[type[Output], ...] = (\n")
    assert found
    room.write_text(f"{before}{found}{tuple_line}{after}".replace("\n\n", f"\n\n{import_line}", 1), encoding="utf-8")
    (folder / "d.csv").write_text("SEX,AGE\nf,70\nf,20\nm,65\nm,64\n", encoding="utf-8")
    spec = re.search(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert spec is not None
    (folder / "s.yaml").write_text(f"data: d.csv\n{spec[1]}", encoding="utf-8")
    return folder


def run(package: Path, *arguments: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "divulge", *arguments, "--json"],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_new_kind_is_listed_and_described(package: Path) -> None:
    found = run(package, "outputs", "tail")["kinds"]
    assert isinstance(found, list)
    assert [f["name"] for f in found[0]["fields"]][:3] == ["variables", "by", "above"]


def test_the_new_kind_is_read_from_a_spec_and_computed(package: Path) -> None:
    found = run(package, "compute", "s.yaml")["outputs"]
    assert isinstance(found, list)
    assert [(f["label"], f["value"]) for f in found[0]["figures"]] == [("AGE | SEX=f", 0.5), ("AGE | SEX=m", 0.5)]


def test_the_new_kind_is_in_the_json_schema(package: Path) -> None:
    assert "Tail" in run(package, "outputs", "--schema")["$defs"]  # type: ignore[operator]


@pytest.fixture(scope="module")
def tail(package: Path) -> type[Output]:
    """The class itself, from the file on the page."""
    described = importlib.util.spec_from_file_location("tail", package / "divulge" / "outputs" / "kinds" / "tail.py")
    assert described is not None
    assert described.loader is not None
    module = importlib.util.module_from_spec(described)
    sys.modules["tail"] = module  # dataclasses look their module up
    described.loader.exec_module(module)
    return module.Tail  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "promise",
    [
        contract.test_labels_are_known_without_data,
        contract.test_published_figures_agree_with_themselves_and_not_with_others,
        contract.test_doubling_all_rows_does_what_the_kind_says,
        contract.test_lowered_form_is_zero_at_the_table_that_was_released,
        contract.test_totals_are_sums_over_rows,
        contract.test_first_order_change_agrees_with_finite_differences,
        contract.test_residuals_inside_their_intervals_mean_figures_as_printed,
    ],
    ids=lambda f: f.__name__,
)
def test_the_new_kind_keeps_the_promises_of_the_room(promise: object, tail: type[Output], tmp_path: Path) -> None:
    (example,) = tail.examples
    assert isinstance(example, Example)
    promise(tail, example, tmp_path)  # type: ignore[operator]
