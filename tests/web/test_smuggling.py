"""Nothing leaves that was not assessed: marked rows are sent in every field, file and format, and none comes out."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from divulge.assess import plan
from divulge.ledger import jobs, releases, workflow
from divulge.ledger.assessing import prepare, released_figures
from divulge.ledger.model import Choice, Submission
from divulge.spec import parse_spec
from tests.support.acro_folders import contents, table_entry, write_folder
from tests.support.service import FIGURES, Service, api_headers, post, record

MARK = "Zebedee4711"
ROWS = "AGE,SEX,name\n" + "".join(f"{40 + i},{'FM'[i % 2]},{MARK}-{i}\n" for i in range(500))
"""What a file of the data would look like; the mark stands for a row of it."""

SEXES = [{"label": "SEX=F", "value": "26"}, {"label": "SEX=M", "value": "26"}]


def _fields(service: Service, **more: Any) -> dict[str, Any]:
    return {"project": service.project, "dataset": service.dataset, "title": "Sexes", **more}


def _number(answer: httpx.Response) -> int:
    assert answer.status_code in (201, 303), answer.text
    if answer.status_code == 201:
        return int(answer.json()["id"])
    return int(answer.headers["location"].split("?")[0].rpartition("/")[2])


def _assess(service: Service) -> None:
    """With the figures that a worker reads from the data and what was sent; the verdict is canned."""
    while lease := jobs.take_job(service.ledger, "test"):
        work = prepare(service.ledger, lease.submission_id, lease.job_id)
        ready = plan(parse_spec(work.document, work.folder))
        lease.finish(record("release"), released_figures(ready))


def _released(service: Service, number: int, files: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Every file in the zip that leaves, after two checkers have approved of everything, files and all."""
    with service.ledger.writing() as session:
        approved = [u.id for u in session.get_one(Submission, number).uploads if u.name in files]
        for checker in ("chloe", "cyril"):
            workflow.decide(session, service.ids[checker], number, Choice.RELEASE, "Fine.", files=approved)
        releases.release(session, service.ids["chloe"], number, service.ledger.store)
    answer = service.client("rosa").get(f"/submissions/{number}/release.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.comment == b""
        found = {name: archive.read(name) for name in archive.namelist()}
    for name, content in list(found.items()):
        if name.endswith(".xlsx"):
            with zipfile.ZipFile(io.BytesIO(content)) as book:
                found |= {f"{name}/{part}": book.read(part) for part in book.namelist()}
    return found


def _holds_mark(found: dict[str, bytes]) -> list[str]:
    """The files of a release in whose name or content the mark is."""
    return [name for name, content in found.items() if MARK.encode() in content or MARK in name]


def test_data_attached_to_a_harmless_table_stay_here(service: Service) -> None:
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'
    files = [("files", ("appendix.csv", ROWS.encode())), ("files", ("notes.txt", MARK.encode()))]
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=spec), files=files))
    _assess(service)
    found = _released(service, number, files=("appendix.csv", "notes.txt"))
    assert list(found)[:3] == ["manifest.json", "files/output-1.csv", "files/outputs.xlsx"]
    assert found["files/output-1.csv"].decode().split() == ["term,value", "SEX=F,26", "SEX=M,26"]
    assert _holds_mark(found) == []


MARKED: dict[str, dict[str, Any]] = {
    "title": {"title": MARK},
    "purpose": {"purpose": MARK},
    "a comment in the spec": {"text": "# " + MARK + "\n{spec}"},
    "another part of the spec": {"text": "{spec}\nscenario: {{target: " + MARK + "}}\n" + MARK + ": 1"},
    "the name of the output": {"name": MARK},
    "the name of the file": {"file": f"{MARK}.csv"},
    "the context of all outputs": {"context-about": MARK, "context-population": MARK, "context-controls": MARK},
    "the reason for a file": {"why": MARK},
}


@pytest.mark.parametrize("where", MARKED)
def test_mark_in_a_field_does_not_leave(service: Service, where: str) -> None:
    given = dict(MARKED[where])
    file, name = given.pop("file", "sex.csv"), given.pop("name", "Sexes")
    spec = f"outputs: [{{kind: crosstab, name: {name}, variables: [SEX], released: {file}}}]"
    text = given.pop("text", "{spec}").format(spec=spec)
    files = [("files", (file, b"term,value\nSEX=M,26\nSEX=F,26\n"))]
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=text, **given), files=files))
    _assess(service)
    assert _holds_mark(_released(service, number)) == []


COLUMNS = {
    "an extra column": f"term,value,name\nSEX=F,26,{MARK}\nSEX=M,26,x\n",
    "a number of a person": "term,value,nhs_number\nSEX=F,26,4711\nSEX=M,26,1\n",
    "standard errors of counts": "term,value,se\nSEX=F,26,4711.26\nSEX=M,26,19700101\n",
    "a column without a name": f"term,value,\nSEX=F,26,{MARK}\nSEX=M,26,x\n",
}


@pytest.mark.parametrize("what", COLUMNS)
def test_column_that_is_not_assessed_is_refused(service: Service, what: str) -> None:
    spec = "outputs: [{kind: crosstab, variables: [SEX], released: sex.csv}]"
    files = [("files", ("sex.csv", COLUMNS[what].encode()))]
    answer = post(service.client("rosa"), "/submit/spec", _fields(service, text=spec), files=files)
    assert answer.status_code == 422
    assert "nothing leaves that is not assessed" in answer.text


def test_standard_errors_of_counts_are_refused_inline_too(service: Service) -> None:
    client = service.client("rosa")
    released = {"SEX=F": {"value": 26, "se": 4711}, "SEX=M": {"value": 26, "se": 19700101}}
    given = _fields(service, outputs=[{"kind": "crosstab", "variables": ["SEX"], "released": released}])
    answer = client.post("/api/submissions", json=given, headers=api_headers(client))
    assert answer.status_code == 422
    assert "no standard errors" in answer.text


def test_order_of_rows_and_how_labels_are_written_carry_nothing(service: Service) -> None:
    spec = "outputs: [{kind: crosstab, variables: [AGE, SEX], released: t.csv}]"
    rows = ["SEX=M & AGE = 41,13", "AGE=40  &  SEX=F,13.0", "SEX=M & AGE=40,13", "AGE=41 & SEX=F,1.3e1"]
    sent = [("files", ("t.csv", ("term,value\n" + "\n".join(rows)).encode()))]
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=spec), files=sent))
    _assess(service)
    found = _released(service, number)["files/output-1.csv"].decode().splitlines()
    assert [line.partition(",")[0] for line in found[1:]] == [f["label"] for f in FIGURES]


def test_figures_leave_in_the_layout_in_which_they_came(service: Service) -> None:
    spec = "outputs: [{kind: crosstab, variables: [AGE, SEX], released: t.csv}]"
    sent = [("files", ("t.csv", b"SEX,AGE,count\nM,41,13\nF,40,13\nM,40,13\nF,41,13\n"))]
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=spec), files=sent))
    _assess(service)
    found = _released(service, number)
    assert found["files/output-1.csv"].decode().split() == ["AGE,SEX,value", "40,F,13", "40,M,13", "41,F,13", "41,M,13"]
    sheet = found["files/outputs.xlsx/xl/worksheets/sheet1.xml"].decode()
    assert sheet.count("<v>13</v>") == 4


@pytest.mark.parametrize("given", ["26.0000000000471", "26.0000000000000", "25.9999999999529"])
def test_digits_that_nobody_compares_carry_nothing(service: Service, given: str) -> None:
    spec = "outputs: [{kind: crosstab, variables: [SEX], released: t.csv}]"
    sent = [("files", ("t.csv", f"term,value\nSEX=F,{given}\nSEX=M,26\n".encode()))]
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=spec), files=sent))
    _assess(service)
    found = _released(service, number)
    assert found["files/output-1.csv"].decode().split() == ["term,value", "SEX=F,26", "SEX=M,26"]


@pytest.mark.parametrize("given", ["40.50000000000471", "40.50000000000000"])
def test_digits_of_a_mean_that_nobody_compares_carry_nothing(service: Service, given: str) -> None:
    figures = f'{{"AGE | SEX=F": "{given}", "AGE | SEX=M": 40.5}}'
    spec = f"outputs: [{{kind: means, variables: [AGE], by: [SEX], released: {figures}}}]"
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=spec)))
    _assess(service)
    found = _released(service, number)["files/output-1.csv"].decode().splitlines()
    assert {line.rpartition(",")[2].rstrip("0") for line in found[1:]} == {"40.5"}


def test_decimals_of_each_count_carry_nothing(service: Service) -> None:
    spec = 'outputs: [{kind: crosstab, variables: [SEX], decimals: [4, 7], released: {"SEX=F": 26, "SEX=M": 26}}]'
    number = _number(post(service.client("rosa"), "/submit/spec", _fields(service, text=spec)))
    _assess(service)
    found = _released(service, number)["files/output-1.csv"].decode().split()
    assert found == ["term,value", "SEX=F,26", "SEX=M,26"]


LOUD: dict[str, dict[str, Any]] = {
    "a number in a formula": {"kind": "linear", "formula": "AGE ~ I((SEX == 'F') + 4711.19700101)"},
    "many numbers in a formula": {"kind": "linear", "formula": f"AGE ~ I((SEX == 'F'){' + 0 * 47' * 30})"},
    "quantiles": {"kind": "position", "variables": ["AGE"], "quantiles": [0.14711197]},
    "breaks": {"kind": "histogram", "variable": "AGE", "breaks": [39.4711197, 40.5, 42]},
    "times": {"kind": "survival", "time": "AGE", "event": "SEX", "observed": "F", "times": [40.4711197]},
    "a level of intervals": {
        "kind": "linear",
        "formula": "AGE ~ SEX",
        "statistics": ["interval"],
        "level": 0.9547111970,
    },
    "another notation": {"kind": "linear", "formula": "AGE ~ I((SEX == 'F') + 0x471119700101)"},
    "digits in pieces": {"kind": "linear", "formula": "AGE ~ I((SEX == 'F') + 4711_1970_0101)"},
    "signs in a row": {"kind": "linear", "formula": "AGE ~ I(-+--+-(SEX == 'F'))"},
    "a long transformation": {"kind": "linear", "formula": "AGE ~ I(0" + " + (SEX == 'F')" * 9 + ")"},
    "blanks in a leaf": {
        "kind": "tree",
        "response": "SEX",
        "variables": ["AGE"],
        "leaves": ["AGE  <  41", "AGE >= 41"],
    },
    "zeros in a leaf": {
        "kind": "tree",
        "response": "SEX",
        "variables": ["AGE"],
        "leaves": ["AGE < 41.00", "AGE >= 41"],
    },
    "brackets in a leaf": {
        "kind": "tree",
        "response": "SEX",
        "variables": ["AGE"],
        "leaves": ["((AGE < 41))", "AGE >= 41"],
    },
    "a power of ten": {"kind": "linear", "formula": "AGE ~ I((SEX == 'F') * 1e-47)"},
    "very many breaks": {"kind": "histogram", "variable": "AGE", "breaks": [39 + i / 200 for i in range(400)]},
}


@pytest.mark.parametrize("what", LOUD)
def test_numbers_of_ones_own_in_labels_are_short_and_few(service: Service, what: str) -> None:
    client = service.client("rosa")
    given = _fields(service, outputs=[{**LOUD[what], "compute": True}])
    answer = client.post("/api/submissions", json=given, headers=api_headers(client))
    assert answer.status_code == 422
    assert "leave" in answer.json()["error"]["message"]


@pytest.mark.parametrize("formula", ["AGE ~ I((SEX == 'F') / 1000000)", "AGE ~ I((SEX == 'F') - 43.217) + 1"])
def test_numbers_that_people_write_are_taken(service: Service, formula: str) -> None:
    client = service.client("rosa")
    given = _fields(service, outputs=[{"kind": "linear", "formula": formula, "compute": True}])
    assert client.post("/api/submissions", json=given, headers=api_headers(client)).status_code == 201


FORMATS = {
    "plot.png": b"\x89PNG\r\n\x1a\n" + MARK.encode(),
    "table.xlsx": MARK.encode(),
    "report.pdf": b"%PDF-1.7 " + MARK.encode(),
    "page.html": f"<p>{MARK}</p>".encode(),
    "picture.svg": f"<svg><text>{MARK}</text></svg>".encode(),
    "log.txt": ROWS.encode(),
    "output-1.csv": ROWS.encode(),
    "manifest.json": json.dumps({"name": MARK}).encode(),
}


@pytest.fixture
def with_others(service: Service) -> tuple[Service, int]:
    """A harmless table with a file of every format that is to leave without an assessment."""
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'
    files = [("others", (name, content)) for name, content in FORMATS.items()]
    fields = _fields(service, text=spec, why="They are needed.")
    number = _number(post(service.client("rosa"), "/submit/spec", fields, files=files))
    while lease := jobs.take_job(service.ledger, "test"):
        lease.finish(record("release"), [SEXES])
    return service, number


def test_file_that_was_not_assessed_stays_where_nobody_approves_of_it(with_others: tuple[Service, int]) -> None:
    service, number = with_others
    page = service.client("chloe").get(f"/submissions/{number}").text
    assert page.count("not assessed: leaves only where two checkers approve") == len(FORMATS)
    assert _holds_mark(_released(service, number)) == []


def test_file_that_was_not_assessed_needs_two_checkers(with_others: tuple[Service, int]) -> None:
    service, number = with_others
    with service.ledger.writing() as session:
        ids = {u.name: u.id for u in session.get_one(Submission, number).uploads}
        both, one = ids["plot.png"], ids["log.txt"]
        workflow.decide(session, service.ids["chloe"], number, Choice.RELEASE, "I looked.", files=[both, one, 999])
        workflow.decide(session, service.ids["cyril"], number, Choice.RELEASE, "I looked.", files=[both])
        made = releases.release(session, service.ids["chloe"], number, service.ledger.store)
    others = [f["name"] for f in made.manifest["files"] if not f["assessed"]]
    assert others == ["not-assessed/plot.png"]


def test_file_that_is_to_leave_without_an_assessment_needs_a_reason(service: Service) -> None:
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'
    files = [("others", ("plot.png", b"x"))]
    answer = post(service.client("rosa"), "/submit/spec", _fields(service, text=spec), files=files)
    assert answer.status_code == 422
    assert "no reason is given" in answer.text


def _acro(service: Service, folder: Path, edit: bool = False) -> httpx.Response:
    frame = pd.read_csv(service.folder / "people.csv")
    entries = {
        "output_0": table_entry(pd.crosstab(frame["AGE"], frame["SEX"]), "acro.crosstab(df.AGE, df.SEX)"),
        "hand": {"type": "custom", "files": [{"name": "hand.csv"}], "content": ROWS.encode(), "command": "custom"},
        "x-DONT_RELEASE": {
            "type": "custom",
            "files": [{"name": "x.csv"}],
            "content": ROWS.encode(),
            "command": "custom",
        },
    }
    made = write_folder(folder / "acro", entries)
    if edit:
        (made / "output_0_0.csv").write_text(f"SEX,F,M\n40,13,13\n41,13,13\n{MARK},1,1\n", encoding="utf-8")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in contents(made).items():
            archive.writestr(f"acro/{name}", content)
    files = {"folder": ("acro.zip", packed.getvalue(), "application/zip")}
    return post(service.client("rosa"), "/submit/acro", _fields(service), files=files)  # type: ignore[no-any-return]


def test_entries_that_acro_marks_as_not_to_be_released_never_leave(service: Service, tmp_path: Path) -> None:
    number = _number(_acro(service, tmp_path))
    _assess(service)
    with service.ledger.reading() as session:
        uses = {u.name: (u.use, u.why) for u in session.get_one(Submission, number).uploads}
    assert uses["acro-x.csv"] == ("supporting", "")
    assert uses["acro-hand.csv"][0] == "other"
    assert "hand: a file that was added by hand" in uses["acro-hand.csv"][1]
    assert _holds_mark(_released(service, number, files=("acro-x.csv", "acro-output_0_0.csv"))) == []


def test_folder_that_was_edited_after_acro_wrote_it_is_refused(service: Service, tmp_path: Path) -> None:
    answer = _acro(service, tmp_path, edit=True)
    assert answer.status_code == 422
    assert "checksums differ: output_0" in answer.text
