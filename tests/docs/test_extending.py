"""A kind, a measure, a rule and other alternatives are one file and one line each, as docs/extending.md says.

They are laid over the program, and everything that shows outputs and measures is run on them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import divulge
from divulge.demo import simulated_census
from divulge.outputs import Example, Output
from divulge.table import write_schema, write_table
from tests.contract import test_outputs as contract
from tests.contract import test_outputs_say as said
from tests.contract import test_outputs_shown as shown

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
SOURCE = Path(divulge.__file__).parent

ADDITIONS = re.findall(
    r"`src/divulge/([\w/]+\.py)`[^`]*(?:`[^`\n]+`[^`]*)*?```python\n(.*?)^```$.*?^```py\n(.*?)\.\.\.\n(.*?)^```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)
"""Every file of the page with its text, its import, and its line in the tuple."""

SPEC = """
data: d.csv
schema: d.schema.json
outputs:
  - {{kind: tail, name: Pensioners, variables: [AGE], above: 64, by: [SEX], decimals: 3{more}}}
scenario: {{target: LTILL, keys: [SEX, AGE]}}
measures: [missed]
design: {{kind: repeated-halves, splits: 2, curve: false}}
policy: {{profile: own.yaml, delta: 0.5}}
seed: 1
"""


OVERLAY = """
import importlib.util, sys
from pathlib import Path

class Rooms:
    def find_spec(self, name, path=None, target=None):
        room = Path(__file__).parent / Path(*name.split("."))
        if not (room / "__init__.py").exists():
            return None
        original = Path({source!r}, *name.split(".")[1:])
        places = [str(original), str(room)]
        return importlib.util.spec_from_file_location(name, room / "__init__.py", submodule_search_locations=places)

sys.meta_path.insert(0, Rooms())
"""
"""Python starts with it: a room is taken from here, its old members from the program, whose kernels stay compiled."""


def add(folder: Path, file: str, text: str, import_line: str, tuple_line: str) -> None:
    """One file, and one line in the tuple with the import that it needs."""
    room = folder / "divulge" / Path(file).parent
    shutil.copytree(SOURCE / Path(file).parent, room, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "divulge" / file).write_text(text, encoding="utf-8")
    before = (SOURCE / file).with_name("__init__.py").read_text(encoding="utf-8")
    after = re.sub(r"^([A-Z]+: tuple\[[^=\n]+ = \()\n?", rf"\1\n{tuple_line}", before, count=1, flags=re.MULTILINE)
    assert after != before
    (room / "__init__.py").write_text(after.replace("\n\n", f"\n\n{import_line}", 1), encoding="utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything on the page laid over the program, and something to run it on."""
    folder = tmp_path_factory.mktemp("extended")
    (folder / "sitecustomize.py").write_text(OVERLAY.format(source=str(SOURCE)), encoding="utf-8")
    assert [Path(file).stem for file, *_ in ADDITIONS] == [
        "tail",
        "missed",
        "many_figures",
        "bench",
        "significant_digits",
        "rounding_down",
        "frequent_value",
        "lines",
    ]
    for addition in ADDITIONS:
        add(folder, *addition)
    table = simulated_census(400)
    write_table(table, folder / "d.csv")
    write_schema(table.schema, folder / "d.schema.json")
    (folder / "own.yaml").write_text("{based_on: divulge, rules: {many figures: {most: 1}}}", encoding="utf-8")
    (folder / "s.yaml").write_text(SPEC.format(more=", compute: true"), encoding="utf-8")
    return folder


def ran(package: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(package: Path, *arguments: str) -> dict[str, Any]:
    return dict(json.loads(ran(package, "-m", "divulge", *arguments, "--json")))


def test_the_new_kind_is_listed_described_and_in_the_json_schema(package: Path) -> None:
    found = run(package, "outputs", "tail")["kinds"]
    assert [f["name"] for f in found[0]["fields"]][:3] == ["variables", "by", "above"]
    assert "Tail" in run(package, "outputs", "--schema")["$defs"]


def test_the_new_kind_is_read_from_a_spec_and_computed(package: Path) -> None:
    (found,) = run(package, "compute", "s.yaml")["outputs"]
    assert [f["label"] for f in found["figures"]] == ["AGE | SEX=1", "AGE | SEX=2"]
    assert all(0 < f["value"] < 1 for f in found["figures"])


def test_the_new_kind_is_embedded(package: Path) -> None:
    assert run(package, "embed", "s.yaml", "-o", "made.csv")["outputs"][0]["reproduced"] == 1.0


@pytest.fixture(scope="module")
def record(package: Path) -> dict[str, Any]:
    return run(package, "assess", "s.yaml", "-o", "found")


def test_the_new_kind_is_shown_as_a_table_in_every_report(package: Path, record: dict[str, Any]) -> None:
    (output,) = record["outputs"]
    assert output["grid"]["columns"] == ["above 64: AGE"]
    assert output["statbarn"]["iri"].endswith("#Frequencies")
    for form in ("html", "markdown", "csv", "json"):
        ran(package, "-m", "divulge", "report", "found/record.json", "--format", form, "-o", f"report.{form}")
        text = (package / f"report.{form}").read_text(encoding="utf-8")
        assert "above 64" in text, form


def test_the_new_measure_is_computed_and_explained(package: Path, record: dict[str, Any]) -> None:
    assert "missed" in record["risk"][0]["measures"]
    assert record["meanings"] == {"missed": "Share of people whose keys no synthetic person has."}
    ran(package, "-m", "divulge", "report", "found/record.json", "--format", "markdown", "-o", "again.md")
    assert "Share of people whose keys no synthetic person has" in (package / "again.md").read_text(encoding="utf-8")
    files = ["--original", "d.csv", "--synthetic", "d.csv", "--keys", "SEX,AGE", "--target", "LTILL"]
    assert run(package, "measure", *files, "--measures", "missed")["measures"]["missed"]["value"] == 0


def test_the_new_rule_finds(package: Path) -> None:
    findings = run(package, "rules", "s.yaml")["findings"]
    assert "2 figures are more than the 1 that a person looks through." in [f["sentence"] for f in findings]


def test_the_new_reader_reads_and_what_it_read_is_confirmed(package: Path) -> None:
    mean = simulated_census(400)
    age = mean.schema["AGE"].numbers[mean["AGE"]].mean()
    (package / "handed").mkdir(exist_ok=True)
    (package / "handed" / "bench.log").write_text(f"bench 1.0\n\nMEAN(AGE) = {age:.3f}\n", encoding="utf-8")
    found = run(package, "read", "handed", "--data", "d.csv", "--schema", "d.schema.json", "-o", "read.yaml")
    assert [(o["kind"], o["confirmed"]) for o in found["outputs"]] == [("means", True)]


def test_the_new_mitigation_is_proposed_and_makes_an_output(package: Path) -> None:
    code = """
import numpy as np
from divulge.checking import make_cases
from divulge.mitigations import MITIGATIONS
from divulge.mitigations.mitigation import Trouble
from divulge.spec import read_inputs, read_spec
found = read_spec("s.yaml")
inputs = read_inputs(found)
(case,) = make_cases(found.outputs, [None], inputs.table)
trouble = Trouble(case, np.ones(len(case.labels)))
for step in (m for kind in MITIGATIONS for m in kind.propose(trouble)):
    made = step.apply(case.output, inputs.schema)
    print(step.describe(inputs.schema), made.significant)
"""
    assert "Print 2 significant digits 2" in ran(package, "-c", code)


def test_the_new_attack_is_tried_and_told_in_reports(package: Path, record: dict[str, Any]) -> None:
    told = "Whoever guesses the most frequent value of LTILL is nearly always right."
    assert told in [finding["sentence"] for finding in record["rules"]["findings"]]
    ran(package, "-m", "divulge", "report", "found/record.json", "--format", "markdown", "-o", "attacked.md")
    assert told in (package / "attacked.md").read_text(encoding="utf-8")


def test_the_new_source_is_read_and_the_new_method_changes_counts(package: Path) -> None:
    table = simulated_census(400)
    table.to_pandas().to_json(package / "d.jsonl", orient="records", lines=True)
    outputs = "[{kind: frequencies, variables: [LTILL], method: {kind: rounding-down, base: 7}, compute: true}]"
    text = f"data: {{lines: d.jsonl}}\nschema: d.schema.json\noutputs: {outputs}\n"
    (package / "lines.yaml").write_text(text, encoding="utf-8")
    (output,) = run(package, "compute", "lines.yaml")["outputs"]
    assert sum(figure["value"] for figure in output["figures"]) == 400
    assert [f["published"] for f in output["figures"]] == [7 * (f["value"] // 7) for f in output["figures"]]
    assert run(package, "embed", "lines.yaml", "-o", "lines.csv")["outputs"][0]["reproduced"] == 1.0


def test_the_new_kind_has_code_in_a_teaching_notebook(package: Path) -> None:
    (package / "t.yaml").write_text(
        SPEC.format(more=", released: [0.1, 0.2]").replace("data: d.csv\n", "rows: 400\n"), encoding="utf-8"
    )
    ran(package, "-m", "divulge", "teach", "t.yaml", "-o", "class")
    (book,) = (package / "class").glob("*.ipynb")
    text = book.read_text(encoding="utf-8")
    assert "values.dropna() > 64" in text
    assert "There is no code" not in text


def test_the_new_kind_has_a_form_in_the_service(package: Path) -> None:
    code = "from divulge.web.forms import find_form; print([f.name for f in find_form('tail').first])"
    assert ran(package, "-c", code).strip() == "['variables', 'by', 'above', 'name']"


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
        said.test_groups_behind_figures_hold_rows_of_the_table,
        shown.test_grid_has_every_figure_once,
    ],
    ids=lambda f: f.__name__,
)
def test_the_new_kind_keeps_the_promises_of_the_room(promise: object, tail: type[Output], tmp_path: Path) -> None:
    (example,) = tail.examples
    assert isinstance(example, Example)
    promise(tail, example, tmp_path)  # type: ignore[operator]
