"""Files of any kind, from upload to release: recognised, confirmed, corrected; their author learns nothing."""

from __future__ import annotations

import io
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from divulge.errors import UploadError
from divulge.ledger import assessing, datasets, jobs, queries, releases, workflow
from divulge.ledger.model import Choice, Person, Submission
from divulge.ledger.verify import verify
from divulge.web import recognising
from tests.support import handed_in
from tests.support.service import Service, build, post, record

QUICK = {"design": {"kind": "repeated-halves", "splits": 2}, "measures": ["TCAP"]}
MARK = "Zebedee4711"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Two hundred people, a dataset of rosa's project."""
    made = build(tmp_path)
    handed_in.people().to_csv(tmp_path / "wages.csv", index=False)
    with made.ledger.writing() as session:
        found = datasets.register(session, None, "wages", tmp_path / "wages.csv", settings=QUICK)
        datasets.open_to(session, None, found.id, made.project)
        made.dataset = found.id
    yield made
    made.close()


@pytest.fixture(autouse=True)
def canned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading is real, and so are the figures; the verdict is canned. The browser's test assesses in earnest."""

    def assess(ready: Any, **_: Any) -> Any:
        outputs = [
            {"number": i, "name": o.name, "kind": o.kind, "verdict": "release", "rules": [], "grid": None}
            for i, o in enumerate(ready.outputs, start=1)
        ]
        made = {**record("release"), "reasons": [], "outputs": outputs}
        return SimpleNamespace(record=made, checkpoint=SimpleNamespace(clear=lambda: None))

    monkeypatch.setattr(assessing, "assess", assess)
    monkeypatch.setattr(recognising, "_read_aside", recognising.recognise)


def crosstab_csv(frame: pd.DataFrame, heads: str = "place,women,men", more: int = 0) -> str:
    counts = pd.crosstab(frame.town, frame.sex)
    return heads + "\n" + "".join(f"{t},{r.iloc[0] + more},{r.iloc[1]}\n" for t, r in counts.iterrows())


def send(service: Service, files: dict[str, bytes], **more: Any) -> int:
    fields = {"project": service.project, "dataset": service.dataset, "title": "Files", **more}
    given = [("files", (name, content)) for name, content in files.items()]
    answer = post(service.client("rosa"), "/submit/files", fields, files=given)
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].split("?")[0].rpartition("/")[2])


def work(service: Service) -> None:
    """What a worker does, in this process."""
    while lease := jobs.take_job(service.ledger, "here"):
        ready = assessing.prepare(service.ledger, lease.submission_id, lease.job_id)
        found = assessing.run(ready, lambda step: None)
        lease.finish(found.record, found.figures, found.outputs)


def record_of(service: Service, number: int) -> dict[str, Any]:
    with service.ledger.reading() as session:
        newest = session.get_one(Submission, number).assessments[-1]
        return dict(json.loads(queries.find_record(session, newest.id)))


def release(service: Service, number: int) -> dict[str, bytes]:
    with service.ledger.writing() as session:
        for checker in ("chloe", "cyril"):
            workflow.decide(session, service.ids[checker], number, Choice.RELEASE, "Fine.")
        releases.release(session, service.ids["chloe"], number, service.ledger.store)
    answer = service.client("rosa").get(f"/submissions/{number}/release.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_log_and_table_in_a_zip_are_read_assessed_and_leave_as_figures(service: Service) -> None:
    frame = handed_in.people()
    log = handed_in.stata_log(frame) + f"\n* {MARK}\n"
    number = send(service, {"all.zip": zipped({"out/a.log": log.encode(), "b.csv": crosstab_csv(frame).encode()})})
    work(service)
    page = service.client("chloe").get(f"/submissions/{number}").text
    assert page.count(">confirmed</span>") == 4
    assert "NOT confirmed" not in page
    told = record_of(service, number)["handed_in"]
    assert [file["status"] for file in told["files"]] == ["confirmed", "confirmed"]
    left = release(service, number)
    counts = pd.crosstab(frame.town, frame.sex)
    sent = [c.decode() for name, c in left.items() if name.endswith(".csv")]
    assert any(f"town=Bath & sex=Female,{counts.loc['Bath', 'Female']}" in text for text in sent)
    # What else stands in the files stays here, and so do the files.
    assert not any(MARK.encode() in content for content in left.values())
    assert not any(name.endswith((".log", "b.csv")) for name in left)
    assert verify(service.ledger).faults == ()


def test_part_that_the_data_do_not_give_is_not_assessed_and_makes_review(service: Service) -> None:
    frame = handed_in.people()
    files = {"a.log": handed_in.stata_log(frame), "b.csv": crosstab_csv(frame, more=3), "c.png": "not a picture"}
    number = send(service, {name: text.encode() for name, text in files.items()})
    work(service)
    found = record_of(service, number)
    assert found["verdict"] == "review"
    said = " ".join(found["reasons"])
    assert "Figures that the data do not give: b.csv" in said
    assert "c.png: a picture" in said
    assert all("b.csv" not in o["name"] for o in found["outputs"])
    page = service.client("chloe").get(f"/submissions/{number}").text
    assert "NOT confirmed" in page
    assert "a picture, whose numbers cannot be read as text" in page
    assert not any(b"b.csv" in content for content in release(service, number).values())


def seen(service: Service, number: int) -> list[str]:
    """All that the author can look at, with numbers and moments made alike."""
    client, found = service.client("rosa"), []
    with service.ledger.reading() as session:
        files = [u.id for u in session.get_one(Submission, number).uploads]
    at = f"/submissions/{number}"
    pages = ["", "/handed-in", "/correct", "/progress", "/report", *(f"/files/{f}/view" for f in files)]
    for address in (*(f"{at}{part}" for part in pages), f"/api{at}"):
        answer = client.get(address)
        text = re.sub(r'name="csrf" value="[^"]+', "", answer.text)
        text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)?|\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC", "MOMENT", text)
        text = re.sub(r'(submissions/|files/|#|"id":|"submission":|replaces=)\d+', r"\1N", text)
        found.append(f"{answer.status_code} {text}")
    return found


def test_author_sees_the_same_whether_the_data_give_the_figures_or_not(service: Service) -> None:
    """Agreement would be an oracle: one could hand in guesses until a page says that they are right."""
    frame = handed_in.people()
    right = {"a.log": handed_in.stata_log(frame).encode()}
    number = send(service, right)
    before = seen(service, number)
    work(service)
    assert seen(service, number) == before
    # The same files beside data that do not give a single figure of them.
    other = frame.assign(age=frame.age + 1, wage=frame.wage + 7, town=frame.town.to_numpy()[::-1])
    other.iloc[:150].to_csv(service.folder / "other.csv", index=False)
    with service.ledger.writing() as session:
        dora = session.get_one(Person, service.ids["dora"])
        service.dataset = datasets.register(session, dora, "other", service.folder / "other.csv", settings=QUICK).id
        datasets.open_to(session, dora, service.dataset, service.project)
    wrong = send(service, right)
    work(service)
    assert [text.replace("other", "wages") for text in seen(service, wrong)] == before
    page = service.client("chloe").get(f"/submissions/{wrong}").text
    assert "No output in the files was confirmed by the data." in page
    assert "Nothing of it could be assessed." in page
    assert "confirmed" not in "".join(before)


def test_submission_of_which_nothing_is_confirmed_waits_for_the_checkers_and_nothing_of_it_leaves(
    service: Service,
) -> None:
    number = send(service, {"notes.txt": f"Nothing here is a table. {MARK}".encode()})
    work(service)
    found = record_of(service, number)
    assert (found["verdict"], found["outputs"]) == ("review", [])
    assert service.client("chloe").get(f"/submissions/{number}/report").status_code == 200
    assert "Nothing of it could be assessed." in service.client("chloe").get(f"/submissions/{number}").text
    left = release(service, number)
    assert list(left) == ["manifest.json"]
    assert MARK.encode() not in b"".join(left.values())
    assert verify(service.ledger).faults == ()


def test_author_corrects_a_reading_and_the_checker_sees_it(service: Service) -> None:
    frame = handed_in.people()
    # No name of the data stands above the towns, and the columns have other words than the values.
    text = "where they live,a,b\n" + crosstab_csv(frame).partition("\n")[2]
    number = send(service, {"t.csv": text.encode(), "a.log": handed_in.stata_log(frame).encode()})
    client = service.client("rosa")
    page = client.get(f"/submissions/{number}/correct").text
    names = re.findall(r'name="(name-\d+-\d+)"', page)
    at = page.index("t.csv, lines")
    first = next(name for name in names if page.index(f'name="{name}"') > at)
    answer = post(client, f"/submissions/{number}/correct", {first: "town", f"where-{first.split('-')[1]}": "age < 99"})
    assert answer.status_code == 303
    newer = int(answer.headers["location"].split("?")[0].rpartition("/")[2])
    assert newer != number
    with service.ledger.reading() as session:
        old, new = session.get_one(Submission, number), session.get_one(Submission, newer)
        assert (old.state, new.version) == ("returned", 2)
    assert "Corrected by its author" in client.get(f"/submissions/{newer}/handed-in").text
    work(service)
    page = service.client("chloe").get(f"/submissions/{newer}").text
    assert "Corrected by its author" in page
    assert "is the variable &#39;town&#39;" in page
    assert "its rows are age &lt; 99, not all" in page
    assert verify(service.ledger).faults == ()


def test_what_the_author_calls_no_output_stays_in_the_list(service: Service) -> None:
    frame = handed_in.people()
    number = send(service, {"a.log": handed_in.stata_log(frame).encode()})
    answer = post(service.client("rosa"), f"/submissions/{number}/correct", {"none-1": "yes"})
    newer = int(answer.headers["location"].split("?")[0].rpartition("/")[2])
    work(service)
    found = record_of(service, newer)
    assert found["verdict"] == "review"
    assert len(found["handed_in"]["outputs"]) == 3
    assert not any(o["kind"] == "crosstab" for o in found["outputs"])
    assert "says that it is no output" in service.client("chloe").get(f"/submissions/{newer}").text


def test_only_the_author_corrects_and_only_before_a_decision(service: Service) -> None:
    number = send(service, {"a.log": handed_in.stata_log(handed_in.people()).encode()})
    for who in ("remy", "chloe", "dora", "ada"):
        assert post(service.client(who), f"/submissions/{number}/correct", {}).status_code in (403, 404)
    assert service.client("remy").get(f"/submissions/{number}/handed-in").status_code == 404
    work(service)
    release(service, number)
    assert post(service.client("rosa"), f"/submissions/{number}/correct", {}).status_code == 409


def test_nobody_sends_corrections_by_hand(service: Service) -> None:
    fields = {"project": service.project, "dataset": service.dataset, "title": "T"}
    files = [("files", ("corrections-of-readings.json", b"[]"))]
    answer = post(service.client("rosa"), "/submit/files", fields, files=files)
    assert answer.status_code == 422
    assert "the service&#39;s own" in answer.text


def test_file_that_cannot_be_read_is_listed_and_page_goes_on(service: Service) -> None:
    number = send(service, {"x.xlsx": b"PK\x03\x04broken", "y.docx": b"", "z.html": b"<b>" * 3000, "p.pkl": b"\x80"})
    page = service.client("rosa").get(f"/submissions/{number}/handed-in")
    assert page.status_code == 200
    assert "a pickle: loading it could run code" in page.text


def test_author_whose_files_take_for_ever_holds_up_no_checker(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = send(service, {"slow.txt": b"slow"}), send(service, {"quick.txt": b"quick"})
    begun, ended, tried = threading.Event(), threading.Event(), []

    def read(files: Any) -> Any:
        if files[0][0] == "slow.txt":
            tried.append(files)
            begun.set()
            ended.wait(60)
            raise UploadError("it takes too long.")
        return recognising.recognise(files)

    monkeypatch.setattr(recognising, "_read_aside", read)
    rosa, chloe = service.client("rosa"), service.client("chloe")
    author = threading.Thread(target=rosa.get, args=(f"/submissions/{slow}/handed-in",))
    author.start()
    assert begun.wait(60)
    assert chloe.get(f"/submissions/{quick}/handed-in", timeout=30).status_code == 200
    ended.set()
    author.join()
    # What could not be read is not tried again with every look.
    assert rosa.get(f"/submissions/{slow}/handed-in").status_code == 422
    assert len(tried) == 1


def test_process_that_reads_files_gives_what_is_in_them_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    (tmp_path / "x").write_text(handed_in.stata_log(handed_in.people()), encoding="utf-8")
    found = recognising._read_aside([("a.log", str(tmp_path / "x"))])
    assert [o["kind"] for o in found["outputs"]] == ["means", "crosstab", "linear"]
    assert not any("agree" in key or key == "confirmed" for o in found["outputs"] for key in o)


def test_file_is_shown_as_text_with_what_was_recognised_marked(service: Service) -> None:
    text = handed_in.stata_log(handed_in.people()) + "<script>alert(1)</script>\n"
    number = send(service, {"a.log": text.encode()})
    with service.ledger.reading() as session:
        file = session.get_one(Submission, number).uploads[0].id
    page = service.client("rosa").get(f"/submissions/{number}/files/{file}/view").text
    assert '<tr id="L10" class="mark">' in page
    assert '<tr id="L8">' in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
