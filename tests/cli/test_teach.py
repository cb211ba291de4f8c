"""`divulge teach`: files for a class from figures and a schema alone, and what it says where a figure is missed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pyreadstat
import pytest

from divulge.table import EditRule, read_schema, read_table, write_table
from examples.teaching_data.south_yorkshire import SCHEMA_FILE, halves, simulated_people
from tests.support.running import divulge

EXAMPLE = Path(__file__).parents[2] / "examples" / "teaching_data" / "three_outputs.yaml"

SCHEMA = """{"missingValues": [], "fields": [
 {"name": "SEX", "type": "integer", "title": "Sex", "categories": [
   {"value": 1, "label": "Male"}, {"value": 2, "label": "Female"}]},
 {"name": "AGE", "type": "integer", "title": "Age in years", "constraints": {"minimum": 20, "maximum": 69}},
 {"name": "OWNS", "type": "string", "categories": ["no", "yes"]},
 {"name": "TEA", "type": "string", "categories": ["green", "black"], "frequencies": [90, 210]}
]}"""
SPEC = """schema: people.schema.json
rows: 300
data: nowhere/secret.csv
outputs:
  - kind: crosstab
    name: Owners by sex
    variables: [SEX, OWNS]
    released: [100, 40, 90, 70]
  - kind: means
    variables: [AGE]
    by: [SEX]
    decimals: 1
    released: [44.2, 45.6]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.schema.json").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


def spec(text: str = SPEC, name: str = "cars.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def counts(frame: pd.DataFrame) -> list[int]:
    return [int(n) for n in frame.groupby(["SEX", "OWNS"]).size()]


def test_figures_come_out_as_printed_where_no_data_exist(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("teach", spec(), "-o", "class") == 0
    frame = pd.read_csv("class/cars-simulated.csv")
    assert len(frame) == 300
    assert counts(frame) == [100, 40, 90, 70]
    assert frame.groupby("SEX")["AGE"].mean().round(1).tolist() == [44.2, 45.6]
    said = capsys.readouterr().out
    assert "Owners by sex: 4 of 4 figures as printed." in said
    assert "In no published figure, and so made up altogether: TEA." in said
    assert "Every published figure comes out as printed." in said


def test_what_was_published_before_is_no_more_made_up_than_the_rest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = "earlier:\n  - {kind: crosstab, variables: [TEA, OWNS], released: [60, 30, 130, 80]}\n"
    assert divulge("teach", spec(SPEC + before), "-o", "class") == 0
    assert "made up altogether" not in capsys.readouterr().out
    note = Path("class/cars-simulated-note.md").read_text(encoding="utf-8")
    assert "`TEA` is in no published figure" not in note
    assert "`OWNS` and `TEA`" not in note


def test_every_file_says_that_it_is_simulated(folder: Path) -> None:
    assert divulge("--quiet", "teach", spec(), "-o", "class") == 0
    names = sorted(p.name for p in Path("class").iterdir())
    assert names == [
        "cars-simulated-dictionary.md",
        "cars-simulated-note.md",
        "cars-simulated-published.csv",
        "cars-simulated.csv",
        "cars-simulated.dta",
        "cars-simulated.ipynb",
        "cars-simulated.sav",
        "cars-simulated.schema.json",
    ]
    for reader, name in ((pyreadstat.read_sav, "cars-simulated.sav"), (pyreadstat.read_dta, "cars-simulated.dta")):
        frame, meta = reader(f"class/{name}")
        assert meta.file_label == "SIMULATED data: cars"
        assert meta.column_names_to_labels["AGE"] == "Age in years"
        assert meta.variable_value_labels["SEX"] == {1: "Male", 2: "Female"}
        assert counts(frame) == [100, 40, 90, 70]
    schema = json.loads(Path("class/cars-simulated.schema.json").read_text(encoding="utf-8"))
    assert schema["simulated"] is True
    assert read_table("class/cars-simulated.csv", read_schema("class/cars-simulated.schema.json")).n_rows == 300
    assert json.loads(Path("class/cars-simulated.ipynb").read_text(encoding="utf-8"))["metadata"]["simulated"] is True
    for name in ("note", "dictionary"):
        assert "nobody in them exists" in Path(f"class/cars-simulated-{name}.md").read_text(encoding="utf-8").lower()


def test_note_lists_every_figure_and_what_is_made_up(folder: Path) -> None:
    assert divulge("--quiet", "teach", spec(), "-o", "class") == 0
    note = Path("class/cars-simulated-note.md").read_text(encoding="utf-8")
    assert "| SEX=1 & OWNS=no | 100 | 100 | yes |" in note
    assert "| AGE \\| SEX=2 | 45.6 | 45.6 | yes |" in note
    assert "All 6 published figures come out as printed." in note
    assert "`TEA` is in no published figure" in note
    assert "no published output together: `AGE` and `OWNS`." in note
    dictionary = Path("class/cars-simulated-dictionary.md").read_text(encoding="utf-8")
    assert "| 1 | Male | 140 |" in dictionary


def test_missed_figures_are_said_and_set_the_exit_status(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # One more owner than the crosstab has.
    text = SPEC.replace(
        "[44.2, 45.6]", "[44.2, 45.6]\n  - {kind: frequencies, variables: [OWNS], released: [189, 111]}"
    )
    assert divulge("teach", spec(text), "-o", "class", "--seconds", 1) == 3
    said = capsys.readouterr().out
    assert "not reproduced" in said
    assert "Not every published figure comes out as printed." in said
    note = Path("class/cars-simulated-note.md").read_text(encoding="utf-8")
    assert "do **not** come out as printed" in note
    assert "| **no** |" in note


def test_versions_differ_but_have_the_same_answers(folder: Path) -> None:
    assert divulge("--quiet", "teach", spec(), "-o", "class", "--versions", 3) == 0
    frames = [pd.read_csv(f"class/cars-simulated-{i}.csv") for i in (1, 2, 3)]
    assert [counts(f) for f in frames] == [[100, 40, 90, 70]] * 3
    assert not frames[0].equals(frames[1])
    assert not frames[1].equals(frames[2])
    assert "in all 3 versions" in Path("class/cars-simulated-note.md").read_text(encoding="utf-8")


def test_same_seed_gives_the_same_rows(folder: Path) -> None:
    for out in ("a", "b"):
        assert divulge("--quiet", "teach", spec(), "-o", out) == 0
    assert divulge("--quiet", "teach", spec(), "-o", "c", "--seed", 2) == 0
    first, second, other = (Path(out, "cars-simulated.csv").read_bytes() for out in "abc")
    assert first == second
    assert first != other


FULL = """teaching:
  title: Owners and tea
  rules: ["AGE < 25 -> OWNS = no", "AGE < 30 -> PET = none"]
  extra: more.schema.json
  weight:
    margins:
      SEX: {Male: 2400, Female: 2600}
      OWNS: [3000, 2000]
"""


def test_rules_weight_and_extra_variables_are_in_the_data(folder: Path) -> None:
    Path("more.schema.json").write_text(
        '{"missingValues": [], "fields": [{"name": "PET", "type": "string", "categories": ["none", "cat"], '
        '"frequencies": [150, 150]}]}',
        encoding="utf-8",
    )
    assert divulge("--quiet", "teach", spec(SPEC + FULL), "-o", "class") == 0
    frame = pd.read_csv("class/cars-simulated.csv")
    assert counts(frame) == [100, 40, 90, 70]
    assert frame.groupby("SEX")["WEIGHT"].sum().round().tolist() == [2400, 2600]
    assert frame.groupby("OWNS")["WEIGHT"].sum().round().tolist() == [3000, 2000]
    schema = read_schema("class/cars-simulated.schema.json")
    table = read_table("class/cars-simulated.csv", schema)
    for rule in ("AGE < 25 -> OWNS = no", "AGE < 30 -> PET = none"):
        assert not EditRule.parse(rule, schema).broken(table).any()
    assert (frame["AGE"] < 25).any()
    assert set(frame["PET"]) == {"none", "cat"}
    note = Path("class/cars-simulated-note.md").read_text(encoding="utf-8")
    assert "Owners and tea (simulated)" in note
    assert "Deming & Stephan 1940" in note
    assert "| SEX=2 | 2,600 | 2,600.0 |" in note


def test_json_has_versions_and_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("teach", spec(), "-o", "class", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "reproduced"
    assert (document["rows"], document["figures"], document["made up"]) == (300, 6, ["TEA"])
    assert len(document["versions"]) == 1
    assert document["versions"][0]["missed"] == 0
    assert len(document["files"]) == 8


def test_names_that_spss_does_not_take_leave_the_rest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("people.schema.json").write_text(SCHEMA.replace('"TEA"', '"TEA TIME"'), encoding="utf-8")
    assert divulge("teach", spec(), "-o", "class") == 0
    assert Path("class/cars-simulated.csv").exists()
    assert not Path("class/cars-simulated.sav").exists()
    assert "No .sav file: SPSS does not take the variable name 'TEA TIME'." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (SPEC.replace("schema: people.schema.json\n", ""), 50, "schema: a schema is needed"),
        (SPEC.replace("rows: 300\n", ""), 50, "rows: how many rows"),
        (SPEC.replace("    released: [100, 40, 90, 70]\n", ""), 50, "outputs[0].released"),
        (SPEC + "teaching: {rules: [AGEE < 3]}\n", 45, "teaching.rules[0]"),
        (SPEC + "teaching: {version: 3}\n", 50, "Did you mean 'versions'?"),
        (SPEC + "teaching: {weight: {name: SEX, margins: {SEX: [1, 2]}}}\n", 50, "teaching.weight.name"),
        (SPEC + "teaching: {weight: {margins: {SX: [1, 2]}}}\n", 45, "teaching.weight.margins.SX"),
        (SPEC + "teaching: {extra: people.schema.json}\n", 40, "in both schemas"),
    ],
    ids=["no schema", "no rows", "no numbers", "bad rule", "unknown field", "name taken", "unknown margin", "twice"],
)
def test_what_is_wrong_is_said_with_its_place(
    folder: Path, text: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert divulge("teach", spec(text), "-o", "class") == code
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--original", "x.csv"], "are for --assess"),
        (["--assess"], "needs the original data"),
    ],
)
def test_assessing_needs_the_original(
    folder: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SPEC.replace("data: nowhere/secret.csv\n", "")
    assert divulge("teach", spec(text), "-o", "class", *options) == 2
    assert said in capsys.readouterr().err


def _notebook(path: Path) -> tuple[Any, dict[str, Any]]:
    """The notebook, run by a kernel of its own, and what its last cells printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the kernel's machinery, not ours
        from nbclient import NotebookClient

        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        NotebookClient(book, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    return book, {"last": "".join(o.get("text", "") for o in book.cells[-1].outputs)}


def test_second_experiment_of_the_paper_comes_out_as_printed_and_its_notebook_agrees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert divulge("teach", EXAMPLE, "-o", tmp_path, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["rows"], document["figures"]) == ("reproduced", 4027, 32)
    book, printed = _notebook(tmp_path / "three_outputs-simulated.ipynb")
    assert printed["last"].splitlines() == [
        "Output 1: 14 of 14 figures as published",
        "Output 2: 14 of 14 figures as published",
        "Output 3: 4 of 4 figures as published",
    ]
    shown = "".join(
        o["data"]["text/plain"] for c in book.cells if c.cell_type == "code" for o in c.outputs if "data" in o
    )
    assert "C(TENURE)[T.7]" in shown
    assert "-1.9224" in shown


def test_risk_has_the_tables_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    original, holdout = halves(simulated_people(1200))
    write_table(original, "original.csv")
    write_table(holdout, "holdout.csv")
    frame = original.to_pandas()
    released = [int(n) for n in frame.groupby(["TENURE", "CARS"]).size().unstack(fill_value=0).to_numpy().ravel()]
    text = f"schema: {SCHEMA_FILE}\nrows: 600\nseed: 1\noutputs:\n"
    text += f"  - {{kind: crosstab, variables: [TENURE, CARS], released: {released}}}\n"
    before = [int(n) for n in frame.groupby("CARS").size()]
    text += f"earlier:\n  - {{kind: crosstab, variables: [CARS], released: {before}}}\n"
    text += "design: {kind: repeated-halves, splits: 4, curve: false}\n"
    options = ("--assess", "--original", "original.csv", "--holdout", "holdout.csv")
    assert divulge("--quiet", "teach", spec(text), "-o", "class", *options) == 0
    document = json.loads(Path("class/cars-simulated-risk.json").read_text(encoding="utf-8"))
    assert document["targets"] == ["TENURE", "CARS"]
    lines = {line["comparison"]: line for line in document["tcap"]}
    assert list(lines) == [
        "original → original",
        "original → teaching data",
        "holdout → teaching data",
        "original → synthetic data that saw it (CART)",
        "baseline",
    ]
    shares = np.bincount(original["CARS"]) / original.n_rows
    assert lines["baseline"]["CARS"] == pytest.approx((shares**2).sum())
    assert [r["target"] for r in document["risk"]] == ["TENURE", "CARS"]
    assert any("together with 1 output that was released before" in reason for reason in document["reasons"])
    page = Path("class/cars-simulated-risk.md").read_text(encoding="utf-8")
    assert "Tables 10 and 11" in page
    assert "For the custodian" in page
