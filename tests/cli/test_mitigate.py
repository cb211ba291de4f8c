"""`divulge mitigate`: a refused table becomes one that is released, and says what was given up for it."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from divulge.spec import read_spec
from tests.support.running import divulge

SPEC = """
data: people.csv
outputs:
  - {kind: crosstab, variables: [area, ill], compute: true}
seed: 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Areas of which one has two people, who are told apart by the table."""
    where = tmp_path_factory.mktemp("mitigate")
    rng = np.random.default_rng(4)  # any seed: the two people are put there by hand
    area = np.array(["north"] * 300 + ["south"] * 200 + ["island"] * 2)
    ill = np.where(rng.random(len(area)) < 0.4, "yes", "no")
    ill[-2:] = "yes"
    pd.DataFrame({"area": area, "ill": ill}).to_csv(where / "people.csv", index=False)
    (where / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return where


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert divulge("mitigate", folder / "spec.yaml", "-o", folder / "safer", "--most", "3", "--json") == 0
    return dict(json.loads(said.getvalue()))


def test_refused_table_is_released_after_a_change(found: dict[str, Any]) -> None:
    assert found["before"]["verdict"] in ("refuse", "review")
    assert found["proposals"]
    assert {p["after"]["verdict"] for p in found["proposals"]} == {"release"}
    for proposal in found["proposals"]:
        assert set(proposal) >= {"sentence", "steps", "spec", "loss", "before", "after"}
        assert "of the information" in proposal["sentence"]
        assert 0 < proposal["loss"]["information"] < 1


def test_proposals_lie_on_the_front_of_risk_and_loss(found: dict[str, Any]) -> None:
    losses = [p["loss"]["information"] for p in found["proposals"]]
    assert losses == sorted(losses)


def test_spec_of_a_proposal_is_released_when_it_is_assessed_again(folder: Path, found: dict[str, Any]) -> None:
    spec = found["proposals"][0]["spec"]
    assert read_spec(spec).data == folder / "safer" / ".." / "people.csv"
    assert divulge("assess", spec, "-o", folder / "again", "--fail-on", "review") == 0


def test_tables_are_written_in_three_formats(found: dict[str, Any]) -> None:
    for proposal in found["proposals"]:
        assert [Path(t).suffix for t in proposal["tables"]] == [".csv", ".xlsx", ".tex"]
        text, book, tex = (Path(t) for t in proposal["tables"])
        assert text.read_text(encoding="utf-8").startswith("area,")
        assert len(pd.read_csv(text)) >= 2
        with zipfile.ZipFile(book) as archive:
            assert b"north" in archive.read("xl/worksheets/sheet1.xml")
        assert r"\begin{tabular}" in tex.read_text(encoding="utf-8")


def test_page_shows_risk_against_loss_and_fetches_nothing(found: dict[str, Any]) -> None:
    page = Path(found["page"]).read_text(encoding="utf-8")
    assert "<svg" in page
    assert "http" not in page
    assert found["proposals"][0]["sentence"].split(":")[0] in page


def test_no_group_that_is_too_small_is_named(found: dict[str, Any]) -> None:
    assert "island" not in json.dumps(found["blame"])


def test_released_output_needs_no_change(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "safe.yaml").write_text(SPEC.replace("[area, ill]", "[ill]"), encoding="utf-8")
    assert divulge("mitigate", folder / "safe.yaml", "-o", tmp_path) == 0
    assert "Nothing need be changed." in capsys.readouterr().out
