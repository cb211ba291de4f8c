"""`divulge rules` as people and scripts use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.rules import RULES
from tests.support.running import answered, said

SPEC = """data: d.csv
outputs:
  - {kind: crosstab, variables: [SEX]}
  - {kind: means, variables: [AGE], by: [SEX], name: ages}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'fm'[i < 4]},{20 + i},{i // 2}\n" for i in range(16))
    Path("d.csv").write_text("SEX,AGE,HOME\n" + rows, encoding="utf-8")
    Path("s.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return said(capsys, "rules", *arguments)


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return answered(capsys, "rules", *arguments)


def test_json_has_the_fixed_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(capsys, "s.yaml")
    first = answer["findings"][0]
    assert set(first) >= {"rule", "severity", "outputs", "figures", "sentence"}
    small = [f for f in answer["findings"] if f["rule"] == "threshold"]
    assert small == [
        {
            "rule": "threshold",
            "severity": "review",
            "outputs": [0],
            "figures": ["SEX=m"],
            "people": 4,
            "sentence": "1 cell of fewer than 10 people.",
        }
    ]
    assert answer["worst"] == "review"
    assert answer["outputs"] == ["review", "review"]


def test_option_names_another_rule_book(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, "s.yaml", "--profile", "acro")["worst"] == "refuse"
    assert found(capsys, "s.yaml", "--profile", "datashield")["worst"] is None


def test_spec_names_the_rule_book_and_the_entity(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text(SPEC + "policy: {profile: rdc}\nentity: HOME\n", encoding="utf-8")
    answer = found(capsys, "s.yaml")
    assert answer["profile"] == "rdc"
    # Four men of two homes; twelve women of six homes are enough for five.
    assert [f["figures"] for f in answer["findings"] if f["rule"] == "threshold"] == [["SEX=m"]]
    assert "different values of HOME" in answer["findings"][0]["sentence"]


def test_people_read_rule_sentence_and_figures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "s.yaml")
    assert "review: threshold. 1 cell of fewer than 10 people." in out
    assert "ages (means)" in out
    assert "By these rules: review." in out


def test_without_a_spec_all_rules_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = found(capsys)["rules"]
    assert [r["rule"] for r in listed] == [rule.name for rule in RULES]
    assert all(r["source"] and r["asks"] for r in listed)


def test_unknown_profile_and_entity_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "s.yaml", "--profile", "arco")
    assert code
    assert "acro" in err
    Path("s.yaml").write_text(SPEC + "entity: HOUSE\n", encoding="utf-8")
    code, _, err = run(capsys, "s.yaml")
    assert code
    assert "entity" in err


def test_data_are_needed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "schema: schema.json\nrows: 5\noutputs:\n  - {kind: frequencies, variables: [SEX], released: [2, 3]}\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    code, _, err = run(capsys, "s.yaml")
    assert code
    assert "divulge audit needs none" in err


def test_new_table_is_compared_with_what_was_released_before(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{'fm'[i % 2]},{20 + i // 2}\n" for i in range(60))
    Path("d.csv").write_text("SEX,AGE\n" + rows, encoding="utf-8")
    Path("new.yaml").write_text(
        "data: d.csv\noutputs: [{kind: crosstab, variables: [SEX]}]\n"
        "earlier: [{kind: crosstab, variables: [SEX], where: AGE > 21}]\n",
        encoding="utf-8",
    )
    answer = found(capsys, "new.yaml")
    assert [f["outputs"] for f in answer["findings"] if f["rule"] == "differencing"] == [[0, 1]]
    assert len(answer["outputs"]) == 1
    assert "(with earlier[0])" in run(capsys, "new.yaml")[1]


def test_what_is_wrong_with_earlier_outputs_alone_is_not_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.yaml").write_text(
        "data: d.csv\noutputs: [{kind: means, variables: [AGE]}]\nearlier: [{kind: crosstab, variables: [HOME]}]\n",
        encoding="utf-8",
    )
    assert all(0 in f["outputs"] for f in found(capsys, "new.yaml")["findings"])
