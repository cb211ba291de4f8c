"""What a newcomer tries on the first day: nothing is dropped silently, hints can be pasted, nothing is a traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as t_distribution

from divulge.errors import DivulgeError, SpecError
from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.synonyms import kinds_by_other_names
from divulge.spec import parse_spec, read_inputs, read_spec
from divulge.spec.document import parse_yaml
from tests.support.running import divulge

RNG = np.random.default_rng(5)  # any seed: people who have nothing to do with each other
N = 400
FRAME = pd.DataFrame(
    {
        "AGE": RNG.integers(20, 60, N),
        "SEX": RNG.choice(["f", "m"], N),
        "TOWN": RNG.choice(["a", "b", "c"], N),
        "WAGE": RNG.integers(100, 200, N),
    }
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("people.csv", index=False)
    return tmp_path


def _linear() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """WAGE ~ AGE by least squares: coefficients, usual standard errors, HC1."""
    x = np.column_stack([np.ones(N), FRAME.AGE])
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ FRAME.WAGE.to_numpy(float)
    gap = FRAME.WAGE.to_numpy(float) - x @ beta
    meat = (x * gap[:, None] ** 2).T @ x
    usual = np.sqrt(np.diag(bread) * (gap @ gap) / (N - 2))
    return beta, usual, np.sqrt(np.diag(bread @ meat @ bread) * N / (N - 2))


def _broom(se: np.ndarray[Any, Any]) -> None:
    beta = _linear()[0]
    p = 2 * t_distribution.sf(np.abs(beta / se), N - 2)
    lines = [
        f"{name},{b:.4f},{e:.4f},{b / e:.3f},{q:.2g},***"
        for name, b, e, q in zip(["(Intercept)", "AGE"], beta, se, p, strict=True)
    ]
    header = "term,estimate,std.error,statistic,p.value,stars"
    Path("broom.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")


def test_what_broom_prints_is_kept_and_what_is_left_out_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _broom(_linear()[1])
    assert divulge("new", "s.yaml", "--data", "people.csv", "--results", "broom.csv", "--response", "WAGE") == 0
    assert "the columns stars are left out" in capsys.readouterr().err
    released = read_inputs(read_spec("s.yaml")).released[0]
    assert released is not None
    assert released.se is not None
    assert np.isfinite(released.se[:2]).all()
    assert divulge("compute", "s.yaml") == 0
    assert "All 6 released figures agree" in capsys.readouterr().out


def test_robust_standard_errors_are_named_and_agree(capsys: pytest.CaptureFixture[str]) -> None:
    _broom(_linear()[2])
    assert (
        divulge("--quiet", "new", "s.yaml", "--data", "people.csv", "--results", "broom.csv", "--response", "WAGE") == 0
    )
    assert divulge("compute", "s.yaml") == 0
    shown = capsys.readouterr().out
    assert "standard errors HC1" in shown
    assert "released se" in shown
    assert "All 6 released figures agree" in shown


def test_figure_that_the_data_do_not_give_is_the_first_reason_of_a_review(capsys: pytest.CaptureFixture[str]) -> None:
    _broom(_linear()[1] * [1, 2.9])
    assert (
        divulge("--quiet", "new", "s.yaml", "--data", "people.csv", "--results", "broom.csv", "--response", "WAGE") == 0
    )
    text = Path("s.yaml").read_text(encoding="utf-8").replace("splits: 30", "splits: 2, curve: false")
    Path("s.yaml").write_text(text + "synthesiser: {seconds: 0.2}\n", encoding="utf-8")
    assert divulge("--quiet", "assess", "s.yaml", "-o", "out", "--workers", "1") == 0
    record = json.loads(Path("out/record.json").read_text(encoding="utf-8"))
    assert record["verdict"] == "review"
    wrong = "AGE (t), AGE (p), the standard error of AGE"
    assert record["reasons"][0] == f"3 released figures are not what the data give: {wrong}."
    assert [set(v) >= {"se_released", "se"} for v in record["outputs"][0]["values"]] == [True, True, *[False] * 4]
    assert (record["outputs"][0]["figures"], record["outputs"][0]["following"]) == (2, 4)
    for kind in ("markdown", "html"):
        capsys.readouterr()
        assert divulge("report", "out", "--format", kind, "-o", f"r.{kind}") == 0
        report = Path(f"r.{kind}").read_text(encoding="utf-8")
        assert "Standard error" in report
        assert "further figures (tests, p values, intervals, ratios) follow from these" in report


@pytest.mark.parametrize(
    ("said", "meant"), [("negbin", "negative-binomial"), ("logit", "logistic"), ("freq", "crosstab"), ("OLS", "linear")]
)
def test_kind_is_suggested_by_its_meaning(said: str, meant: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec({"data": "people.csv", "outputs": [{"kind": said, "variables": ["SEX"]}]})
    assert caught.value.hint == f"Did you mean {meant!r}?"


def test_other_names_mean_kinds_that_there_are() -> None:
    known = {kind.kind: kind for kind in OUTPUTS}
    other = kinds_by_other_names(known)
    assert set(other.values()) <= set(known)
    assert not set(other) & set(known)


@pytest.mark.parametrize("command", ["check", "assess", "compute"])
def test_data_in_the_place_of_a_spec_are_told_without_a_value_of_theirs(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("people.csv").write_text("CANARY: 1\nCANARY: 2\n", encoding="utf-8")
    assert divulge(command, "people.csv") == SpecError.exit_code
    shown = " ".join(capsys.readouterr().err.split())
    assert "this is a file of data, and a spec is needed" in shown
    assert "divulge new SPEC.yaml --data people.csv" in shown
    assert "CANARY" not in shown


@pytest.mark.parametrize("name", ["tables.xlsx", "plot.png"])
def test_results_that_are_no_text_are_refused_with_what_to_do(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    assert divulge("new", "s.yaml", "--data", "people.csv", "--results", name) == SpecError.exit_code
    shown = capsys.readouterr().err
    assert "divulge read FOLDER" in " ".join(shown.split())
    assert "Traceback" not in shown


@pytest.mark.parametrize("margins", [False, True])
def test_crosstab_as_pandas_writes_it_is_read(margins: bool, capsys: pytest.CaptureFixture[str]) -> None:
    pd.crosstab(FRAME.TOWN, FRAME.SEX, margins=margins).to_csv("tab.csv")
    assert divulge("new", "s.yaml", "--data", "people.csv", "--results", "tab.csv") == 0
    assert ("totals are left out" in capsys.readouterr().err) == margins
    assert divulge("compute", "s.yaml", "--json") == 0
    figures = json.loads(capsys.readouterr().out)["outputs"][0]["figures"]
    assert len(figures) == 6
    assert all(f["agrees"] for f in figures)


def test_crosstab_of_pandas_with_two_variables_down_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    frame = FRAME.assign(BAND=np.where(FRAME.AGE < 40, "young", "old"))
    frame.to_csv("people.csv", index=False)
    pd.crosstab([frame.TOWN, frame.BAND], frame.SEX).to_csv("tab.csv")
    assert divulge("--quiet", "new", "s.yaml", "--data", "people.csv", "--results", "tab.csv") == 0
    capsys.readouterr()
    assert divulge("compute", "s.yaml", "--json") == 0
    assert all(f["agrees"] for f in json.loads(capsys.readouterr().out)["outputs"][0]["figures"])


def test_new_asks_again_after_a_wrong_answer_and_goes_back_one_question(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [
        "peopel.csv",
        "people.csv",
        "crosstabb",
        "freq",
        "SEX, TWON",
        "<",
        "means",
        "WAGE",
        "SEXX",
        "SEX",
        "XX",
        "",
    ]
    answers: Iterator[str] = iter(given)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda *a, **k: next(answers))
    monkeypatch.setattr("typer.confirm", lambda *a, **k: False)
    assert divulge("new", "s.yaml") == 0
    assert next(answers, None) is None
    assert vars(read_spec("s.yaml").outputs[0])["by"] == ("SEX",)
    assert "Did you mean 'TOWN'?" in capsys.readouterr().err


@pytest.mark.parametrize("verbose", [False, True])
def test_mistake_of_ours_is_a_sentence_and_never_a_traceback(
    verbose: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("CANARY-4711")

    monkeypatch.setattr("divulge.cli.inspect.read_table", fail)
    assert divulge(*(["--verbose"] if verbose else []), "inspect", "people.csv") == 70
    shown = capsys.readouterr()
    said = shown.out + shown.err
    assert "RuntimeError" in said
    assert "Traceback" not in said
    trace = Path("divulge-trace.txt")
    assert trace.exists() == verbose
    assert "CANARY" not in said + (trace.read_text(encoding="utf-8") if verbose else "")


WRONG: dict[str, dict[str, Any]] = {
    "kind": {"outputs": [{"kind": "crostab", "variables": ["SEX"]}]},
    "no kind": {"outputs": [{"variables": ["SEX"]}]},
    "odd splits": {"design": {"splits": 9}},
    "text for a number": {"design": {"splits": "10"}},
    "text for a switch": {"design": {"curve": "no"}},
    "risks the wrong way round": {"policy": {"release_risk": 0.3, "refuse_risk": 0.1}},
    "digits": {"outputs": [{"kind": "means", "variables": ["AGE"], "released": [40.123], "decimals": 1}]},
    "merge": {"outputs": [{"kind": "crosstab", "variables": ["SEX"], "coarser": {"SEX": {"merge": [["f"]]}}}]},
    "clusters": {"outputs": [{"kind": "linear", "formula": "AGE ~ SEX", "errors": "cluster"}]},
}
PASTED = re.compile(r"(?:Write|For example|As in) (?P<field>[a-z_]+: .+?)(?:, or leave|[.,]? [A-Z]|\.$|$)")


@pytest.mark.parametrize("what", WRONG)
def test_every_hint_that_shows_a_line_can_be_pasted(what: str) -> None:
    base = {"data": "people.csv", "outputs": [{"kind": "crosstab", "variables": ["SEX"]}]}
    with pytest.raises(DivulgeError) as caught:
        read_inputs(parse_spec({**base, **WRONG[what]}, Path()))
    for error in caught.value.every:
        assert error.hint, error
        found = PASTED.search(error.hint)
        if found is not None:
            assert parse_yaml(found["field"])


@pytest.mark.parametrize(
    "line", ["synthesiser: {seconds: 5}", "design: {splits: 30}", "design: {kind: repeated-halves, splits: 30}"]
)
def test_advice_of_verdicts_can_be_pasted(line: str) -> None:
    text = f"data: people.csv\noutputs: [{{kind: crosstab, variables: [SEX, TOWN]}}]\n{line}\n"
    assert parse_spec(parse_yaml(text))


def test_advice_of_the_policy_is_a_line_of_a_spec() -> None:
    source = Path(__import__("divulge.policy").policy.__file__).read_text(encoding="utf-8")
    lines = re.findall(r"\((\w+: \{[^)]*\})\)", source)
    assert lines
    for line in lines:
        assert parse_spec(
            {"data": "people.csv", "outputs": [{"kind": "crosstab", "variables": ["SEX"]}], **parse_yaml(line)}
        )
