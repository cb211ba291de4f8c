"""`divulge new`: a spec from options, questions, or a file of results; what it writes can be used as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from divulge.demo import DEMOS
from divulge.outputs.kinds.linear import Linear
from divulge.spec import read_inputs, read_spec
from divulge.spec.document import read_document
from divulge.table import write_schema, write_table
from tests.support.running import divulge


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    census = next(d for d in DEMOS if d.name == "census").make().take(slice(0, 800))
    write_table(census, "census.csv")
    write_schema(census.schema, "census.schema.json")
    return tmp_path


WITH = ("--data", "census.csv", "--schema", "census.schema.json")


def test_options_become_a_commented_spec_that_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--crosstab", "TENURE,SEX", "--model", "TENURE ~ AGE + SEX", "--target", "TENURE", "--keys", "AGE,SEX")
    assert divulge("new", "spec.yaml", *WITH, *options) == 0
    text = Path("spec.yaml").read_text(encoding="utf-8")
    assert text.count("#") >= 6
    found = read_spec("spec.yaml")
    assert [o.kind for o in found.outputs] == ["crosstab", "logistic"]
    assert (found.scenarios[0].target, found.scenarios[0].keys) == ("TENURE", ("AGE", "SEX"))
    assert read_inputs(found).n_rows == 800
    assert "divulge check spec.yaml, and divulge assess spec.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("formula", "kind"), [("AGE ~ SEX", "linear"), ("TENURE ~ AGE", "logistic"), ("AREAP ~ AGE", "multinomial")]
)
def test_kind_of_a_model_follows_from_its_response(formula: str, kind: str) -> None:
    assert divulge("--quiet", "new", "spec.yaml", *WITH, "--model", formula) == 0
    assert read_spec("spec.yaml").outputs[0].kind == kind


def test_file_that_is_there_is_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spec.yaml").write_text("mine", encoding="utf-8")
    assert divulge("new", "spec.yaml", *WITH, "--crosstab", "SEX,AGE") == 2
    assert Path("spec.yaml").read_text(encoding="utf-8") == "mine"
    assert "--force" in capsys.readouterr().err
    assert divulge("--quiet", "new", "spec.yaml", *WITH, "--crosstab", "SEX,AGE", "--force") == 0
    assert read_spec("spec.yaml").outputs[0].kind == "crosstab"


def test_names_of_files_are_as_the_folder_of_the_spec_sees_them() -> None:
    Path("specs").mkdir()
    assert divulge("--quiet", "new", "specs/a.yaml", *WITH, "--crosstab", "SEX,LTILL") == 0
    assert read_document(Path("specs/a.yaml"))["data"] == "../census.csv"
    assert read_inputs(read_spec("specs/a.yaml")).n_rows == 800


def _crosstab() -> pd.Series[Any]:
    return pd.read_csv("census.csv").groupby(["SEX", "LTILL"]).size()


def _long(path: Path) -> None:
    _crosstab().rename("n").reset_index().to_csv(path, index=False)


def _wide(path: Path) -> None:
    _crosstab().unstack().to_csv(path)


def _wide_with_margins(path: Path) -> None:
    frame = pd.read_csv("census.csv")
    pd.crosstab(frame["SEX"], frame["LTILL"], margins=True).to_csv(path)


@pytest.mark.parametrize("write", [_long, _wide, _wide_with_margins])
def test_crosstab_is_told_from_its_file(write: Any) -> None:
    write(Path("table.csv"))
    assert divulge("--quiet", "new", "spec.yaml", *WITH, "--results", "table.csv") == 0
    found = read_spec("spec.yaml")
    assert vars(found.outputs[0])["variables"] == ("SEX", "LTILL")
    released = read_inputs(found).released[0]
    assert released is not None
    assert sorted(released.values.tolist()) == sorted(float(n) for n in _crosstab())
    assert divulge("--quiet", "compute", "spec.yaml") == 0


@pytest.mark.parametrize("columns", [["term", "coef", "se"], ["Parameter", "Estimate", "Std"]])
def test_model_is_told_from_the_names_of_its_coefficients(
    columns: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    census = next(d for d in DEMOS if d.name == "census").make().take(slice(0, 800))
    figures = Linear(formula="AGE ~ C(TENURE) + SEX + C(TENURE):SEX").evaluate(census)
    assert figures.se is not None
    lines = [f"{a},{v:.4f},{s:.4f}" for a, v, s in zip(figures.labels, figures.values, figures.se, strict=True)]
    Path("model.csv").write_text(",".join(columns) + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert divulge("--quiet", "new", "spec.yaml", *WITH, "--results", "model.csv", "--response", "AGE") == 0
    output = read_spec("spec.yaml").outputs[0]
    assert vars(output)["formula"] == "AGE ~ C(TENURE) + SEX + C(TENURE):SEX"
    capsys.readouterr()
    assert divulge("compute", "spec.yaml", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert all(f["agrees"] for f in document["outputs"][0]["figures"])


def test_model_needs_to_know_what_it_explains(capsys: pytest.CaptureFixture[str]) -> None:
    Path("model.csv").write_text("term,coef\nIntercept,1.5\nAGE,0.2\n", encoding="utf-8")
    assert divulge("new", "spec.yaml", *WITH, "--results", "model.csv") == 50
    assert "--response" in capsys.readouterr().err


@pytest.mark.parametrize("dummy", ["SEX_2", "SEX2", "factor(SEX)2", "as.factor(SEX)2"])
def test_dummies_named_by_variable_and_value_are_understood(dummy: str) -> None:
    Path("model.csv").write_text(f"term,coef\nconst,1.50\nAGE,0.20\n{dummy},0.10\n", encoding="utf-8")
    assert divulge("--quiet", "new", "spec.yaml", *WITH, "--results", "model.csv", "--response", "TENURE") == 0
    spec = read_spec("spec.yaml")
    assert vars(spec.outputs[0])["formula"] == "TENURE ~ AGE + C(SEX)"
    assert read_inputs(spec).released[0] is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\n", "at least one line"),
        ("a,b\n1,2,3\n", "as many cells"),
        ("what,is\nthis,1\n", "cannot be told"),
        ("term,coef\nNOBODY,1\n", "names no variable"),
        ("SEX,n\n7,3\n", "has no value '7'"),
    ],
)
def test_results_that_cannot_be_told_are_refused(content: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.csv").write_text(content, encoding="utf-8")
    assert divulge("new", "spec.yaml", *WITH, "--results", "x.csv", "--response", "AGE") == 50
    assert said in capsys.readouterr().err
    assert not Path("spec.yaml").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Give --data FILE"),
        (WITH, "what is to be released is not known"),
        (("--schema", "census.schema.json", "--crosstab", "SEX,LTILL"), "Give --rows N"),
    ],
)
def test_what_is_not_given_is_asked_for_in_words(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert divulge("new", "spec.yaml", *options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code"), [(("--crosstab", "SEX,NOBODY"), 45), (("--crosstab", "SEX,AGE", "--target", "NOBODY"), 45)]
)
def test_unknown_variable_is_refused_before_anything_is_written(options: tuple[str, ...], code: int) -> None:
    assert divulge("new", "spec.yaml", *WITH, *options) == code
    assert not Path("spec.yaml").exists()


def test_questions_are_asked_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: Iterator[str] = iter(["census.csv", "means", "AGE", "SEX", "SEX", "AGE"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda *a, **k: next(answers))
    monkeypatch.setattr("typer.confirm", lambda *a, **k: False)
    assert divulge("--quiet", "new", "spec.yaml") == 0
    found = read_spec("spec.yaml")
    assert (found.outputs[0].kind, vars(found.outputs[0])["by"]) == ("means", ("SEX",))
    assert (found.scenarios[0].target, found.scenarios[0].keys) == ("SEX", ("AGE",))
    assert next(answers, None) is None


def test_nothing_is_asked_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> str:
        raise AssertionError("a question was asked")

    monkeypatch.setattr("typer.prompt", refuse)
    assert divulge("--quiet", "new", "spec.yaml", *WITH, "--crosstab", "SEX,LTILL") == 0


def test_awkward_names_survive_the_file(folder: Path) -> None:
    Path("odd.csv").write_text("n,a: b,#x\n" + "yes,1,2\nno,2,3\n" * 30, encoding="utf-8")
    assert divulge("--quiet", "new", "spec.yaml", "--data", "odd.csv", "--crosstab", "n,a: b", "--target", "#x") == 0
    found = read_spec("spec.yaml")
    assert vars(found.outputs[0])["variables"] == ("n", "a: b")
    assert found.scenarios[0].target == "#x"
