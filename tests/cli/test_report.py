"""`divulge report` and `divulge compare`: files, formats, and what they refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from divulge.reports import REPORTS
from tests.support.running import divulge

RECORD: dict[str, Any] = {
    "format_version": 1,
    "verdict": "refuse",
    "reasons": ["3 people are exposed."],
    "rows": 603,
    "exposure": {"exposed": 3, "share": 3 / 603, "delta": 0.1, "false_discoveries": 0.05, "smallest_group": 10},
    "risk": [
        {"scenario": "OWNS from TOWN", "marginal_risk": {"value": 0.01, "interval": [0.008, 0.012]}, "exposed": 3},
    ],
    "outputs": [
        {
            "number": 1,
            "name": "Owners",
            "kind": "crosstab",
            "verdict": "refuse",
            "precision": "0 decimals",
            "figures": 4,
            "reproduced": 4,
            "exposed": 3,
            "values": [
                {"label": f"TOWN={i}", "released": released, "value": 10.0, "reproduced": True}
                for i, released in enumerate((10.0, 20.0, 40.0, None))
            ],
        }
    ],
    "policy": {"release_risk": 0.02},
    "splits": {"used": 30, "failed": []},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    _write("fine", RECORD)
    return tmp_path


def _write(name: str, record: dict[str, Any]) -> None:
    Path(name).mkdir()
    Path(name, "record.json").write_text(json.dumps(record), encoding="utf-8")


_EACH = [pytest.param(r, id=r.format, marks=[pytest.mark.needs("pango")] * (r.format == "pdf")) for r in REPORTS]


@pytest.mark.parametrize("report", _EACH)
def test_report_is_written_beside_the_record(report: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("report", "fine", "--format", report.format) == 0
    made = Path("fine", f"report{report.suffix}")
    assert capsys.readouterr().out.strip() == str(made.resolve())
    content = made.read_bytes()
    assert content.startswith(b"%PDF-") if report.format == "pdf" else b"603" in content


def test_report_goes_where_it_is_asked_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("report", "fine/record.json", "-f", "markdown", "-o", "elsewhere.md", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"format": "markdown", "file": "elsewhere.md"}
    assert "# REFUSE: Should not be released as it is." in Path("elsewhere.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "it is not JSON"), ('{"format_version": 0}', "format version 1 is needed"), ("[]", "says None")],
    ids=["not JSON", "another version", "not a record"],
)
def test_report_rejects_what_is_no_record(
    content: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("odd.json").write_text(content, encoding="utf-8")
    assert divulge("report", "odd.json") == 56
    assert said in capsys.readouterr().err


def test_report_rejects_an_unknown_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("report", "fine", "--format", "docx") == 2
    assert "markdown" in capsys.readouterr().err


def test_pdf_without_weasyprint_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    assert divulge("report", "fine", "--format", "pdf") == 2
    assert "divulge[pdf]" in capsys.readouterr().err
    assert not Path("fine/report.pdf").exists()


def _coarser() -> dict[str, Any]:
    """The same output, of which one figure is withheld and one rounded from 20 to 25."""
    record = json.loads(json.dumps(RECORD))
    record |= {"verdict": "release", "exposure": {**RECORD["exposure"], "exposed": 0}}
    record["risk"][0]["marginal_risk"] = {"value": 0.001, "interval": [0.0, 0.002]}
    record["outputs"][0]["values"][0]["released"] = None
    record["outputs"][0]["values"][1]["released"] = 25.0
    return dict(record)


def test_compare_tells_risk_and_what_is_kept_of_the_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write("coarse", _coarser())
    assert divulge("compare", "fine", "coarse", "--json") == 0
    fine, coarse = json.loads(capsys.readouterr().out)["assessments"]
    assert (fine["name"], fine["verdict"], fine["utility"], fine["released"]) == ("fine", "refuse", 1.0, 3)
    assert fine["marginal_risk"]["interval"][1] == 0.012
    # One of three withheld, one off by a quarter, one kept: (0 + 0.75 + 1)/3.
    assert coarse["utility"] == pytest.approx(1.75 / 3)
    assert (coarse["verdict"], coarse["exposed"], coarse["released"]) == ("release", 0, 2)


def test_compare_prints_a_table_and_draws_a_map(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write("coarse", _coarser())
    assert divulge("compare", "fine", "coarse", "-o", "map.html") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["1", "fine", "refuse", "3", "0.0120", "3", "1.0000"]
    assert lines[2].split() == ["2", "coarse", "release", "0", "0.0020", "2", "0.5833"]
    assert "how much of the first one" in Path("map.html").read_text(encoding="utf-8")


def test_compare_of_unlike_outputs_has_no_utility(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = _coarser()
    other["outputs"][0]["kind"] = "means"
    _write("other", other)
    assert divulge("compare", "fine", "other", "-o", "map.html", "--json") == 0
    assert json.loads(capsys.readouterr().out)["assessments"][1]["utility"] is None
    assert "placed by how many figures they release" in Path("map.html").read_text(encoding="utf-8")


def test_compare_rejects_one_record_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("compare", "fine") == 2
    assert "two records are needed" in capsys.readouterr().err
