"""From data to a verdict, to a folder that can be handed in, to a checker's decision, on the page of `divulge open`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pandas as pd
import pytest

from divulge.assess.folders.handed_in import in_doubt
from divulge.errors import DivulgeError
from divulge.web.desk import create_desk, open_desk
from divulge.web.desk.keys import Keys
from divulge.web.desk.serving import listen, serve_desk
from divulge.web.desk.work import ReadWork, read_files
from tests.support.desks import PEOPLE, Opened, opened, words


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Opened, httpx.Client]]:
    """Data and a table dropped in, a form filled in, and the whole assessed."""
    made = opened(Path(tmp_path_factory.mktemp("desk")) / "mine")
    browser = made.browser()
    csrf = {"csrf": made.keys.csrf}
    browser.post(f"{made.root}/data", data=csrf, files={"file": ("people.csv", PEOPLE.encode())})
    frame = pd.read_csv(io.StringIO(PEOPLE))
    table = pd.crosstab(frame.AGE, frame.SEX).to_csv().encode()
    browser.post(f"{made.root}/files", data=csrf, files={"files": ("table.csv", table)})
    made.wait()
    browser.post(f"{made.root}/outputs", data={**csrf, "kind": "frequencies", "field-variables": "SEX"})
    made.post(browser, "assess")
    made.wait()
    yield made, browser
    made.close()


def test_what_was_dropped_in_is_understood_and_assessed(assessed: tuple[Opened, httpx.Client]) -> None:
    place, browser = assessed
    page = words(browser.get(f"{place.root}/desk").text)
    assert "people.csv : 52 rows, 2 variables" in page
    assert "table.csv confirmed: 1 output" in page
    assert place.desk.found is not None
    record = place.desk.found.record
    assert [o["kind"] for o in record["outputs"]] == ["frequencies", "crosstab"]
    assert record["verdict"] in ("release", "review", "refuse")
    assert record["handed_in"]["files"][0]["status"] == "confirmed"
    assert browser.get(f"{place.root}/report").text.startswith("<!doctype html>")
    tables = zipfile.ZipFile(io.BytesIO(browser.get(f"{place.root}/tables.zip").content))
    assert {"output-1.csv", "output-2.xlsx"} <= set(tables.namelist())


def test_one_button_alone_assesses_what_is_in_the_list(assessed: tuple[Opened, httpx.Client]) -> None:
    # With two of them, the one below the form asked for variables of an output that nobody wanted to describe.
    place, browser = assessed
    page = browser.get(f"{place.root}/desk").text
    assert page.count(">Assess</button>") == 1
    assert ">Add it and assess</button>" in page
    assert "Describe another output" in page


def test_the_folder_to_hand_in_has_everything_but_the_data(assessed: tuple[Opened, httpx.Client]) -> None:
    place, browser = assessed
    place.post(browser, "save")
    saved = place.desk.folder.with_name("mine-hand-in")
    names = sorted(p.relative_to(saved).as_posix() for p in saved.rglob("*") if p.is_file())
    ours = ["divulge/assessment.yaml", "divulge/manifest.json", "divulge/record.json", "divulge/report.html"]
    assert [n for n in names if n != "divulge/notes.json"] == [*ours, "table.csv"]
    rows = PEOPLE.splitlines()[1:4]
    for path in saved.rglob("*"):
        if path.is_file():
            assert "\n".join(rows) not in path.read_text(encoding="utf-8"), path
    # Saved once more: the same, not more.
    place.post(browser, "save")
    assert sorted(p.relative_to(saved).as_posix() for p in saved.rglob("*") if p.is_file()) == names
    (saved / "mine.txt").write_text("not of the copy", encoding="utf-8")
    assert "holds files that are not of an earlier copy" in place.post(browser, "save").text
    (saved / "mine.txt").unlink()


def test_data_in_the_folder_are_never_handed_in(assessed: tuple[Opened, httpx.Client], data: Path) -> None:
    place, browser = assessed
    copy = place.desk.folder / "harmless.txt"
    copy.write_text(PEOPLE, encoding="utf-8")
    answer = browser.get(f"{place.root}/hand-in.zip")
    copy.unlink()
    assert answer.status_code == 409
    assert "is the data" in answer.text
    # Opened where it stands, the file of the data is not among the files.
    beside = opened(data.parent, data)
    assert beside.desk.files == []
    beside.close()


def test_a_checker_takes_nobodys_word_for_a_verdict(
    assessed: tuple[Opened, httpx.Client], data: Path, tmp_path: Path
) -> None:
    place, browser = assessed
    archive = zipfile.ZipFile(io.BytesIO(browser.get(f"{place.root}/hand-in.zip").content))
    folder = tmp_path / "handed-in"
    archive.extractall(folder)
    record = json.loads((folder / "divulge" / "record.json").read_text(encoding="utf-8"))
    forged = {**record, "verdict": "release", "reasons": ["<b>Trust me.</b>"]}
    (folder / "divulge" / "record.json").write_text(json.dumps(forged), encoding="utf-8")
    (folder / "divulge" / "report.html").write_text("<script>forged()</script>", encoding="utf-8")
    other = opened(folder, data)
    checker = other.browser()
    try:
        assert len(other.desk.own) == 2
        page = checker.get(f"{other.root}/desk").text
        assert "It is the word of whoever handed it in" in words(page)
        assert "<b>Trust me.</b>" not in page
        assert checker.get(f"{other.root}/report").status_code == 404
        refused = other.post(checker, "note", by="Chloe", text="Looks fine.", choice="release")
        assert "was not assessed here" in refused.text
        assert not (folder / "divulge" / "notes.json").exists()
        other.post(checker, "note", by="Chloe", text="<i>Round</i> to fives.", choice="return")
        page = checker.get(f"{other.root}/desk").text
        assert "decided: return" in words(page)
        assert "<i>Round</i>" not in page
    finally:
        other.close()
    notes = json.loads((folder / "divulge" / "notes.json").read_text(encoding="utf-8"))["notes"]
    assert [(n["by"], n["choice"]) for n in notes] == [("Chloe", "return")]


def test_a_spec_that_was_handed_in_names_neither_data_nor_how_to_judge(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "handed-in"
    (folder / "divulge").mkdir(parents=True)
    spec = f"data: {data}\npolicy: lax.yaml\nseed: 7\noutputs:\n  - {{kind: frequencies, variables: [SEX]}}\n"
    (folder / "divulge" / "assessment.yaml").write_text(spec, encoding="utf-8")
    made = opened(folder)
    try:
        assert made.desk.data is None
        assert set(made.desk.document("x")) == {"data", "outputs", "seed"}
        assert made.desk.document()["seed"] == 1
    finally:
        made.close()


@pytest.mark.parametrize(
    "output",
    [
        "{kind: frequencies, variables: [SEX], released: ../../secret.csv}",
        "{kind: custom, code: x.py, function: f}",
    ],
)
def test_a_spec_that_leads_out_of_the_folder_or_runs_code_is_refused(tmp_path: Path, output: str) -> None:
    (tmp_path / "secret.csv").write_text("term,value\nSEX=F,1\n", encoding="utf-8")
    folder = tmp_path / "in" / "deep"
    (folder / "divulge").mkdir(parents=True)
    (folder / "divulge" / "assessment.yaml").write_text(f"outputs:\n  - {output}\n", encoding="utf-8")
    with pytest.raises(DivulgeError):
        opened(folder)


def test_thresholds_are_those_of_whoever_opens_the_folder(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("delta: 0.05\nsmallest_group: 20\n", encoding="utf-8")
    folder = tmp_path / "mine"
    desk = open_desk(folder, policy=tmp_path / "policy.yaml")
    try:
        assert desk.document()["policy"] == {"delta": 0.05, "smallest_group": 20}
        assert "delta: 0.05" in desk.text()
        assert str(tmp_path) not in desk.text()
    finally:
        desk.close()


@pytest.mark.parametrize("text", ["delt: 0.05", "delta: 3", "profile: nowhere.yaml", "- 1"])
def test_thresholds_that_make_no_sense_are_refused_before_anything_is_made(tmp_path: Path, text: str) -> None:
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DivulgeError):
        open_desk(tmp_path / "mine", policy=tmp_path / "policy.yaml")
    assert not (tmp_path / "mine").exists()


def test_a_verdict_is_out_of_date_after_any_change(assessed: tuple[Opened, httpx.Client]) -> None:
    place, browser = assessed
    found, version = place.desk._found, place.desk.version
    own = list(place.desk.own)
    place.post(browser, "outputs", kind="frequencies", then="add", **{"field-variables": "AGE"})
    assert place.desk.found is None
    assert "Something has changed since the last assessment" in browser.get(f"{place.root}/desk").text
    assert browser.get(f"{place.root}/hand-in.zip").status_code == 409
    refused = place.post(browser, "note", by="Me", text="Fine.", choice="release")
    assert "was not assessed here" in refused.text
    # Correct it from its form: what was asked for is filled in.
    form = browser.get(f"{place.root}/desk?edit=2").text
    assert 'value="AGE" checked' in form
    place.post(browser, "outputs/remove", number="2")
    assert place.desk.own == own
    place.desk._found, place.desk.version, place.desk._read_at = found, version, version


def test_a_file_whose_figures_the_data_do_not_give_is_never_released(data: Path, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("AGE,F,M\n40,13,13\n41,13,99\n", encoding="utf-8")
    found = read_files(ReadWork(tmp_path, ("table.csv",), data), lambda step: None)
    assert found.outputs == []
    assert found.told is not None
    record = in_doubt({"verdict": "release", "reasons": []}, found.doubts, found.told)
    assert record["verdict"] == "review"
    assert "Figures that the data do not give: table.csv" in record["reasons"][0]


def test_data_that_were_dropped_in_are_gone_at_the_end(tmp_path: Path) -> None:
    made = opened(tmp_path / "mine")
    browser = made.browser()
    files = {"file": ("people.csv", PEOPLE.encode())}
    browser.post(f"{made.root}/data", data={"csrf": made.keys.csrf}, files=files)
    assert made.desk.data is not None
    kept = made.desk.data.path
    assert kept.exists()
    assert kept.parent.stat().st_mode & 0o077 == 0
    made.close()
    assert not kept.exists()
    assert list((tmp_path / "mine").rglob("*.csv")) == []


def test_mistakes_are_told_on_the_page_and_what_was_typed_stays(data: Path, tmp_path: Path) -> None:
    made = opened(tmp_path / "mine", data)
    browser = made.browser()
    try:
        answer = made.post(
            browser, "outputs", kind="crosstab", figures="AGE=40 & SEX=F, 13.5x", **{"field-variables": "AGE"}
        )
        assert "a number is needed" in answer.text or "figure" in answer.text
        assert "13.5x" in answer.text
        assert 'value="AGE" checked' in answer.text
        assert "there is nothing to assess yet" in made.post(browser, "assess").text
        assert "there is no such file" in made.post(browser, "data", path=str(tmp_path / "nowhere.csv")).text
    finally:
        made.close()


def test_it_ends_after_a_while_without_use(tmp_path: Path) -> None:
    desk, keys = open_desk(tmp_path / "mine"), Keys()
    # A tenth of a second instead of an hour.
    assert serve_desk(create_desk(desk, keys), listen("127.0.0.1"), desk, keys, idle=0.1)
    assert not desk.private.exists()
