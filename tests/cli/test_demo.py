"""`divulge demo`: what it lists, writes and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from divulge.demo import DEMOS
from divulge.spec import read_spec
from divulge.table import read_schema, read_table
from divulge.terminal import demo_job
from tests.support.running import divulge


def test_listing_says_which_are_simulated_and_which_real(capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("demo") == 0
    lines = capsys.readouterr().out.splitlines()
    for demo in DEMOS:
        assert any(f" {demo.name} " in line and f" {demo.origin} " in line for line in lines)


def test_written_files_hold_the_same_tables(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert divulge("demo", "--write", folder) == 0
    for demo in DEMOS:
        schema = read_schema(folder / f"{demo.name}.schema.json")
        assert read_table(folder / f"{demo.name}.csv", schema).equals(demo.make())


def test_real_data_are_written_with_their_source(tmp_path: Path) -> None:
    assert divulge("--quiet", "demo", "--write", tmp_path) == 0
    assert "CC BY 4.0" in (tmp_path / "cps.source.txt").read_text(encoding="utf-8")


def test_json_lists_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("demo", "--write", tmp_path, "--json") == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [t["name"] for t in tables] == [demo.name for demo in DEMOS]
    assert all(Path(file).exists() for t in tables for file in t["files"])


@pytest.fixture
def _one_assessment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quickest of the four; `make demo` runs them all."""
    monkeypatch.setattr(demo_job, "SPECS", ("cps-safe",))


@pytest.mark.usefixtures("_one_assessment")
def test_run_assesses_and_prints_the_path_of_the_report_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert divulge("demo", "--run", tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cps-safe (50,000 people)"
    assert any(line.startswith("RELEASE") for line in lines[1:4]), "the output's title comes first"
    report = Path(lines[-1])
    assert report.is_absolute()
    page = report.read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "May be released as it is." in page
    assert "CC BY 4.0" in (tmp_path / "cps.source.txt").read_text(encoding="utf-8")


def test_every_spec_of_the_demonstration_can_be_read(tmp_path: Path) -> None:
    for name in demo_job.SPECS:
        source = Path(demo_job.__file__).parent / "demo_specs" / f"{name}.yaml"
        assert read_spec(source).seed == 1


def test_outputs_of_simulated_data_are_called_simulated_in_their_reports() -> None:
    simulated = {demo.name for demo in DEMOS if demo.origin == "simulated"}
    for name in demo_job.SPECS:
        spec = read_spec(Path(demo_job.__file__).parent / "demo_specs" / f"{name}.yaml")
        for output in spec.outputs:
            assert ("simulated" in str(output.name)) == (name.split("-")[0] in simulated), name


def test_write_and_run_together_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("demo", "--write", tmp_path, "--run", tmp_path) == 2
    assert "Give one of them." in capsys.readouterr().err


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert divulge("demo", "--write", tmp_path / "file") == 38
    assert "cannot make the folder" in capsys.readouterr().err
