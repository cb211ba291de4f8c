"""`divulge audit` as people and scripts use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.running import answered, said

SPEC = """data: d.csv
outputs:
  - {kind: crosstab, variables: [SEX]}
  - {kind: crosstab, variables: [SEX], where: AGE >= 18, name: adults}
  - {kind: linear, formula: AGE ~ SEX}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'fm'[i % 2]},{17 if i == 3 else 20 + i % 7}\n" for i in range(40))
    Path("d.csv").write_text("SEX,AGE\n" + rows, encoding="utf-8")
    Path("s.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return said(capsys, "audit", *arguments)


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return answered(capsys, "audit", *arguments)


def test_json_has_the_fixed_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(capsys, "s.yaml")
    (cell,) = answer["cells"]
    assert set(cell) >= {"output", "label", "low", "high", "status", "chain"}
    assert (cell["low"], cell["high"], cell["status"]) == (1, 1, "exact")
    assert cell["chain"] == "outputs[0]: SEX=m − adults: SEX=m = 20 − 19 = 1"
    (finding,) = answer["findings"]
    assert set(finding) >= {"rule", "severity", "outputs", "figures", "sentence"}
    assert answer["unreached"][0]["output"] == 2


def test_people_read_the_proof_and_what_is_out_of_reach(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "s.yaml")
    assert "refuse: exact group." in out
    assert "outputs[0]: SEX=m − adults: SEX=m = 20 − 19 = 1" in out
    assert "Out of reach: outputs[2] (linear)" in out


def test_released_figures_are_audited_without_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = '{"fields": [{"name": "SEX", "type": "string", "categories": ["f", "m"], "missingValues": []}]}'
    Path("schema.json").write_text(schema, encoding="utf-8")
    text = "schema: schema.json\nrows: 25\noutputs:\n"
    text += "  - {kind: frequencies, variables: [SEX], released: {SEX=f: 22, SEX=m: null}, suppressed: [SEX=m]}\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    (cell,) = found(capsys, "s.yaml")["cells"]
    assert (cell["label"], cell["low"], cell["high"], cell["status"]) == ("SEX=m", 3, 3, "exact")
    assert cell["chain"] == "number of rows − SEX=f = 25 − 22 = 3"


def test_earlier_release_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "data: d.csv\noutputs:\n  - {kind: crosstab, variables: [SEX], where: AGE >= 18}\n"
    text += "earlier:\n  - {kind: crosstab, variables: [SEX], name: of March}\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    assert "of March: SEX=m − outputs[0]: SEX=m" in found(capsys, "s.yaml")["cells"][0]["chain"]


def test_nothing_that_is_not_stated_is_said_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text("data: d.csv\noutputs:\n  - {kind: crosstab, variables: [SEX]}\n", encoding="utf-8")
    _, out, _ = run(capsys, "s.yaml")
    assert "Nothing follows that is not stated." in out


WITHHELD = """data: c.csv
outputs:
  - {kind: crosstab, variables: [A, B], suppressed: ["A=p & B=x"]}
"""
TOTALS = """data: t.csv
outputs:
  - {kind: totals, variables: [V], by: [A], suppressed: ["V | A=p", "V | A=q"]}
  - {kind: totals, variables: [V]}
"""


def test_granted_marginals_give_a_withheld_cell_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Without them only the number of rows is known; with them each margin gives the cell.
    rows = "".join(f"{a},{b}\n" for a, b, n in (("p", "x", 4), ("p", "y", 20), ("q", "x", 30)) for _ in range(n))
    Path("c.csv").write_text("A,B\n" + rows + "p,\n" * 3, encoding="utf-8")
    Path("c.yaml").write_text(WITHHELD, encoding="utf-8")
    (plain,) = found(capsys, "c.yaml")["cells"]
    assert plain["status"] == "protected"
    (cell,) = (c for c in found(capsys, "c.yaml", "--marginals")["cells"] if c["output"] == 0)
    assert (cell["status"], cell["low"], cell["high"]) == ("exact", 4, 4)
    assert "how often B occurs" in cell["chain"]


def test_only_contributor_of_a_withheld_total_learns_the_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"r,{i}\n" for i in range(1, 60))
    Path("t.csv").write_text("A,V\np,500\nq,300\nq,200\n" + rows, encoding="utf-8")
    Path("t.yaml").write_text(TOTALS, encoding="utf-8")
    answer = found(capsys, "t.yaml", "--coalition", "1")
    assert answer["cells"][0]["status"] != "exact"
    (one,) = answer["insiders"]
    assert (one["who"], one["figure"]) == (["V | A=p"], "V | A=q")
    assert one["low"] == pytest.approx(500)
    assert one["high"] == pytest.approx(500)
    _, out, _ = run(capsys, "t.yaml", "--coalition", "1")
    assert "Insiders of V | A=p learn that V | A=q is 500." in out


LEVELS = """{"fields": [{"name": "r", "type": "string", "constraints": {"enum": ["a", "b", "d"]}},
{"name": "c", "type": "string", "constraints": {"enum": ["p", "q"]}}]}"""
FILE = """r,c,count
a,p,*\na,q,*\na,TOTAL,7
b,p,*\nb,q,*\nb,TOTAL,3
d,p,3\nd,q,3\nd,TOTAL,6
TOTAL,p,9\nTOTAL,q,7\nTOTAL,TOTAL,16
"""


@pytest.mark.parametrize("word", ["Total", "all", "Everyone"])
def test_margins_may_be_called_totals_in_a_file(folder: Path, capsys: pytest.CaptureFixture[str], word: str) -> None:
    (folder / "t.csv").write_text(FILE.replace("TOTAL", word), encoding="utf-8")
    (folder / "t.json").write_text(LEVELS, encoding="utf-8")
    output = "{kind: crosstab, variables: [r, c], margins: true, released: t.csv}"
    (folder / "t.yaml").write_text(f"schema: t.json\nrows: 16\noutputs: [{output}]\n", encoding="utf-8")
    if word == "Everyone":
        code, _, err = run(capsys, "t.yaml")
        assert code != 0
        assert "there is no figure 'r=a & c=Everyone'" in err
        return
    # Handbook on SDC 2025, example 3: the first cell lies between 3 and 6. All intervals are final.
    cells = found(capsys, "t.yaml")["cells"]
    assert [(c["low"], c["high"], c["sharp"]) for c in cells] == [
        (3, 6, True),
        (1, 4, True),
        (0, 3, True),
        (0, 3, True),
    ]
