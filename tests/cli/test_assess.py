"""`divulge assess`: verdicts, files, exit codes, resuming, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess.splits import checkpoint as checkpoints
from divulge.assess.splits import split as splits
from tests.support.running import divulge

SAFE = "outputs:\n  - {kind: crosstab, variables: [SEX, OWNS], compute: true}\n"
UNSAFE = "outputs:\n  - {kind: crosstab, variables: [TOWN, OWNS], compute: true}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six hundred people; the town of the last three has nobody else, one of the rare owners each."""
    rng = np.random.default_rng(1)
    rows = [f"{s},{o},{t}" for s, o, t in rng.integers(0, [2, 2, 4], size=(600, 3)).tolist()]
    rows += [f"0,9,{town}" for town in (21, 22, 23)]
    (tmp_path / "people.csv").write_text("SEX,OWNS,TOWN\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _spec(text: str, name: str = "spec.yaml") -> str:
    Path(name).write_text("data: people.csv\n" + text, encoding="utf-8")
    return name


def _assess(text: str, *options: object, folder: str = "out") -> dict[str, Any]:
    assert divulge("--quiet", "assess", _spec(text), "-o", folder, "--workers", 1, *options) == 0
    record: dict[str, Any] = json.loads(Path(folder, "record.json").read_text(encoding="utf-8"))
    return record


SAFE_DATA = "design: {kind: repeated-halves, splits: 20, curve: false}\n"


def test_three_people_alone_in_their_towns_are_found_and_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = _assess(UNSAFE + SAFE_DATA, "--exposed-rows", "rows.csv")
    assert record["verdict"] == "refuse"
    assert record["exposure"]["exposed"] == 3
    assert record["outputs"][0]["reproduced"] == record["outputs"][0]["figures"]
    rows = Path("rows.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [int(line.split(",")[0]) for line in rows] == [601, 602, 603]
    said = capsys.readouterr().out
    assert said.startswith("Counts of rows by TOWN × OWNS\nREFUSE: Should not be released as it is.\n")
    assert "\n  - 3 people are exposed" in said
    assert "Too few are exposed to say who" in said


def test_large_table_is_released(folder: Path) -> None:
    rows = Path("people.csv").read_text(encoding="utf-8").splitlines()[:-3]
    Path("people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    record = _assess(SAFE + SAFE_DATA)
    assert record["verdict"] == "release", record["reasons"]
    assert record["exposure"]["exposed"] == 0


def test_verdict_sets_the_exit_code_only_where_asked(folder: Path) -> None:
    spec = _spec(UNSAFE + SAFE_DATA)
    assert divulge("--quiet", "assess", spec, "-o", "out") == 0
    assert divulge("--quiet", "assess", spec, "-o", "out", "--fail-on", "review") == 20
    assert divulge("--quiet", "assess", spec, "-o", "out", "--fail-on", "refuse") == 20


def test_json_has_the_names_that_scripts_rely_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _assess(SAFE + SAFE_DATA, "--json")
    document = json.loads(capsys.readouterr().out)
    assert {"verdict", "reasons", "outputs", "risk", "exposure", "timings", "format_version"} <= set(document)
    risk = document["risk"][0]
    assert set(risk["measures"]["DCAP"]) >= {"original", "holdout", "difference", "interval", "anonymeter", "baseline"}


def _without_timings(path: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(Path(path, "record.json").read_text(encoding="utf-8"))
    del record["timings"]
    return record


def test_result_does_not_depend_on_the_number_of_workers(folder: Path) -> None:
    spec = _spec(UNSAFE + SAFE_DATA)
    for workers in (1, 2):
        assert divulge("--quiet", "assess", spec, "-o", f"out{workers}", "--workers", workers) == 0
    assert _without_timings("out1") == _without_timings("out2")


def test_interrupted_run_resumes_to_the_same_result(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = _assess(UNSAFE + SAFE_DATA, folder="whole")
    real, calls = splits.run_split, []

    def interrupted(task: Any, split: Any, *rest: Any) -> Any:
        calls.append(split.number)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return real(task, split, *rest)

    monkeypatch.setattr("divulge.assess.splits.runner.run_split", interrupted)
    assert divulge("assess", "spec.yaml", "-o", "out", "--workers", 1) == 130
    assert "--resume" in capsys.readouterr().err
    assert not Path("out/record.json").exists()
    assert len(list(Path("out/splits").glob("*-halves-*.npz"))) == 7
    calls.clear()
    calls.extend([0] * 10)  # past the interruption
    again = _assess(UNSAFE + SAFE_DATA, "--resume")
    assert len(calls) - 10 == 13  # those that were left
    del again["timings"], whole["timings"]
    assert again == whole
    assert not Path("out/splits").exists()


def test_resuming_another_assessment_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checkpoints.Checkpoint, "clear", lambda self: None)
    _assess(UNSAFE + SAFE_DATA)
    assert divulge("assess", _spec(SAFE + SAFE_DATA), "-o", "out", "--resume") == 2
    assert "belong to another spec" in capsys.readouterr().err


def test_two_tables_that_differ_by_one_person_are_caught_only_together(folder: Path) -> None:
    text = (
        "outputs:\n  - {kind: crosstab, variables: [OWNS, SEX], compute: true, where: OWNS < 2}\n"
        "  - {kind: crosstab, variables: [OWNS, SEX], where: TOWN < 21 and OWNS < 2, compute: true}\n"
    )
    rows = Path("people.csv").read_text(encoding="utf-8").splitlines()[:-3]
    Path("people.csv").write_text("\n".join([*rows, "1,1,21"]) + "\n", encoding="utf-8")
    record = _assess(text + "design: {kind: repeated-halves, splits: 30, curve: false}\n")
    assert [o["exposed"] for o in record["outputs"]] == [0, 0]
    assert record["emergent"]["exposed"] == 1
    assert record["verdict"] == "refuse"
    assert any("by none of them alone" in reason for reason in record["reasons"])


def test_folds_make_a_table_like_the_papers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = "scenario: {target: OWNS, keys: [SEX, TOWN], key_sizes: 1-2}\n"
    record = _assess(SAFE + scenario + "design: {kind: folds-of-folds}\nmeasures: [DCAP, TCAP]\n")
    folds = record["risk"][0]["folds"]
    rows = folds["DCAP"]
    inner = [f"Fold-Fold {i}.{j}" for i in (1, 2) for j in (1, 2)]
    below = ["Mean", "Standard deviation"]
    assert [r["label"] for r in rows] == ["Fold 1", "Fold 2", *below, *inner, *below]
    for first, count in ((0, 2), (4, 4)):
        some = rows[first : first + count]
        assert all(r["difference"] == pytest.approx(r["original"] - r["holdout"]) for r in some)
        for key in ("original", "holdout", "difference"):
            values = [r[key] for r in some]
            assert rows[first + count][key] == pytest.approx(np.mean(values))
            # The paper's divides by the number of folds: 0.01729 for 0.523784 and 0.489204.
            assert rows[first + count + 1][key] == pytest.approx(np.std(values))
    said = capsys.readouterr().out
    assert "TCAP_sweep_zero: OWNS from SEX and TOWN" in said
    assert re.search(r"^Fold 1 +\S+ +\S+ +-?\d\.\d{4}$", said, re.MULTILINE)
    assert record["verdict"] == "review"


def test_record_and_report_hold_no_row_and_fetch_nothing(folder: Path) -> None:
    rows = Path("people.csv").read_text(encoding="utf-8").replace(",21\n", ",4711\n")
    Path("people.csv").write_text(rows, encoding="utf-8")
    record = _assess(UNSAFE + SAFE_DATA)
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    # The figures of the output are what is asked to be released. Beside them no town of a single person is named.
    labels = [value["label"] for value in record["outputs"][0].pop("values")]
    assert any("4711" in label for label in labels)
    assert "4711" in json.dumps(record["outputs"][0].pop("grid"))
    # Rules name the figures that break them, by the same labels.
    said = json.dumps(record)
    for label in labels:
        said = said.replace(label, "")
    assert "4711" not in said


def test_record_and_report_tell_rules_and_arithmetic(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = _assess(UNSAFE + SAFE_DATA)
    assert record["rules"]["profile"]["name"] == "divulge"
    (found,) = (f for f in record["rules"]["findings"] if f["rule"] == "threshold")
    assert found["severity"] == "review"
    assert found["outputs"] == [0]
    assert "TOWN=21 & OWNS=9" in found["figures"]
    assert found in record["outputs"][0]["rules"]
    assert any(reason.startswith(found["sentence"].removesuffix(".")) for reason in record["reasons"])
    assert {"findings", "cells", "unreached", "notes", "protected"} <= set(record["audit"])
    assert "Rules and arithmetic" in Path("out/report.html").read_text(encoding="utf-8")
    assert "review: threshold." in capsys.readouterr().out


def test_profile_says_what_a_breach_does(folder: Path) -> None:
    record = _assess(UNSAFE + SAFE_DATA + "policy: {profile: opensafely}\n")
    assert record["rules"]["profile"]["name"] == "opensafely"
    (found,) = (f for f in record["rules"]["findings"] if f["rule"] == "threshold")
    assert found["severity"] == "refuse"


def test_withheld_figure_that_follows_is_refused_with_its_proof(folder: Path) -> None:
    # One cell of four is withheld, and the margins are printed beside: whatever the halves show, the whole shows it.
    hidden = "  - {kind: crosstab, variables: [SEX, OWNS], where: OWNS < 2, suppressed: ['SEX=0 & OWNS=0']}\n"
    margins = "".join(f"  - {{kind: crosstab, variables: [{v}], where: OWNS < 2}}\n" for v in ("SEX", "OWNS"))
    record = _assess("outputs:\n" + hidden + margins + SAFE_DATA)
    assert record["verdict"] == "refuse"
    (cell,) = record["audit"]["cells"]
    assert (cell["label"], cell["status"]) == ("SEX=0 & OWNS=0", "exact")
    assert cell["chain"]
    assert any("1 withheld or rounded figure follows exactly" in reason for reason in record["reasons"])
    assert [o["verdict"] for o in record["outputs"]][1:] == ["release", "release"]


def test_record_holds_every_figure_as_released_and_as_reproduced(folder: Path) -> None:
    values = _assess(SAFE + SAFE_DATA)["outputs"][0]["values"]
    assert [v["label"] for v in values][:2] == ["SEX=0 & OWNS=0", "SEX=0 & OWNS=1"]
    assert sum(v["released"] for v in values) == 603
    assert all(v["reproduced"] and v["value"] == v["released"] for v in values)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("outputs:\n  - {kind: crosstab, variables: [SEX], released: [1, 2, 3]}\n", 51, "3 values are given"),
        (SAFE + "design: {kind: thirds}\n", 50, "there is no design 'thirds'"),
        (SAFE + "policy: {delta: 7}\n", 50, "policy.delta"),
        (SAFE + "policy: nowhere.yaml\n", 30, "nowhere.yaml"),
        (SAFE + "synthesiser: {kind: oracle}\n", 50, "there is no synthesiser 'oracle'"),
        (SAFE + "scenario: {target: WAGE}\n", 45, "there is no variable 'WAGE'"),
        (SAFE + "scenario: {target: SEX, keys: [SEX]}\n", 50, "both a key and the target"),
        (SAFE + "measures: [TCAPP]\n", 50, "'TCAPP' is given"),
    ],
)
def test_assess_rejects_a_spec_that_makes_no_sense(
    folder: Path, text: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert divulge("assess", _spec(text), "-o", "out") == code
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


def test_spec_without_data_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bare.yaml").write_text(f"rows: 100\n{SAFE}", encoding="utf-8")
    assert divulge("assess", "bare.yaml") == 50
    assert "there are no data" in capsys.readouterr().err


def test_fewer_than_fifty_people_are_judged_by_counts_and_arithmetic(folder: Path) -> None:
    rows = Path("people.csv").read_text(encoding="utf-8").splitlines()[:40]
    Path("people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert _assess(SAFE)["splits"]["used"] == 0


def test_splits_without_any_figure_are_counted_and_not_dropped(folder: Path) -> None:
    rows = Path("people.csv").read_text(encoding="utf-8")
    Path("people.csv").write_text(rows + "1,1,77\n", encoding="utf-8")
    # One row in the subpopulation: in half of the splits there is none.
    record = _assess("outputs:\n  - {kind: crosstab, variables: [SEX], where: TOWN = 77, compute: true}\n" + SAFE_DATA)
    assert record["splits"] == {"used": 20, "failed": [], "silent": 10}
    assert record["verdict"] != "release"


def test_output_that_no_split_can_recompute_is_not_released(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "is_usable", lambda figures: False)
    record = _assess(SAFE + SAFE_DATA, "--workers", "1")
    assert record["splits"]["used"] == record["splits"]["silent"] > 0
    assert record["verdict"] == "review"
    assert any("had no figure" in reason for reason in record["reasons"])


def test_released_figures_that_the_data_do_not_give_are_reviewed(folder: Path) -> None:
    released = "{SEX=0: 300, SEX=1: 303}"
    record = _assess(f"outputs:\n  - {{kind: crosstab, variables: [SEX], released: {released}}}\n" + SAFE_DATA)
    assert record["verdict"] == "review"
    assert "2 released figures are not what the data give: SEX=0, SEX=1." in record["reasons"]
