"""What nobody is shown who should not be: exposure to researchers, others' outputs, values of rows, HTML as HTML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from divulge.ledger import jobs, workflow
from divulge.ledger.model import Audience, Role
from divulge.web import accounts
from tests.support.service import CANARY, OUTPUT, Service, api_headers, build, post

HTML = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
"""Left as it is on a page it would run, or show that a template ran it (49)."""


def test_researcher_sees_nothing_of_an_assessment_anywhere(either: Service) -> None:
    number = either.ready()
    with either.ledger.writing() as session:
        chloe = either.ids["chloe"]
        workflow.comment(session, chloe, number, f"Among us: {CANARY}", audience=Audience.CHECKERS)
    client = either.client("rosa")
    pages = [f"/submissions/{number}", "/submissions", f"/submit/spec?replaces={number}", "/projects/1", "/account"]
    pages += [f"/submissions/{number}/report", "/datasets/1"]
    pages += [f"/api/submissions/{number}", f"/api/submissions/{number}/record", "/api/submissions", "/api/datasets"]
    pages += ["/api/datasets/1/ledger"]
    for page in pages:
        text = client.get(page).text
        assert CANARY not in text, page
        assert "refuse" not in text.replace("refused", "").replace("Refused", "").replace('"refuse":', ""), page
    with client.stream("GET", f"/submissions/{number}/progress") as stream:
        assert CANARY not in stream.read().decode()


def test_why_an_assessment_failed_is_for_checkers(service: Service) -> None:
    number = service.submit()
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    lease.fail(f"It went wrong: {CANARY}")
    assert CANARY in service.client("chloe").get(f"/submissions/{number}").text
    client = service.client("rosa")
    for page in (f"/submissions/{number}", f"/api/submissions/{number}", f"/submissions/{number}/progress"):
        assert CANARY not in client.get(page).text


def test_figures_that_the_service_computed_are_shown_once_they_are_released(service: Service) -> None:
    number = service.submit(output={"kind": "crosstab", "variables": ["AGE", "SEX"], "compute": True})
    service.assess()
    client = service.client("rosa")
    assert "AGE=40" not in client.get(f"/submissions/{number}").text
    assert client.get(f"/api/submissions/{number}").json()["outputs"][0]["figures"] is None
    seen = service.client("chloe").get(f"/submissions/{number}").text
    assert re.search(
        r'colspan="2">SEX</th>.*<th scope="row">40</th><td class="n">13</td><td class="n">13</td>', seen, re.S
    )
    released = service.make("released")
    assert "AGE=40 &amp; SEX=F" in client.get(f"/submissions/{released}").text


def test_somebody_elses_submission_is_as_absent_as_one_that_never_was(either: Service) -> None:
    number = either.ready("rosa")
    client = either.client("remy")
    for address in ("/submissions/{}", "/submissions/{}/report", "/api/submissions/{}", "/submissions/{}/progress"):
        theirs, nobodys = client.get(address.format(number)), client.get(address.format(999_999))
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.text.replace(f"submission {number}", "N") == nobodys.text.replace("submission 999999", "N")
    assert post(client, f"/submissions/{number}/comment", {"text": "x"}).status_code == 404
    sent = client.post(f"/api/submissions/{number}/cancel", headers=api_headers(client))
    assert sent.status_code == 404


def test_nobody_decides_on_their_own_submission(service: Service) -> None:
    number = service.ready("chloe")
    client = service.client("chloe")
    assert "Your decision" not in client.get(f"/submissions/{number}").text
    answer = post(client, f"/submissions/{number}/decide", {"choice": "release", "reason": "Mine."})
    assert answer.status_code == 403
    assert post(client, f"/submissions/{number}/assign", {"person": service.ids["chloe"]}).status_code == 403


def test_html_in_every_field_is_shown_as_text(either: Service) -> None:
    rosa, chloe, ada, dora = (either.client(name) for name in ("rosa", "chloe", "ada", "dora"))
    output = {**OUTPUT, "name": HTML}
    number = either.submit(title=HTML, output=output)
    either.assess()
    post(rosa, f"/submissions/{number}/comment", {"text": HTML})
    post(chloe, f"/submissions/{number}/decide", {"choice": "refuse", "reason": HTML})
    post(ada, "/projects", {"name": HTML, "about": HTML})
    post(ada, "/people", {"name": HTML, "full_name": HTML, "role": "checker"})
    (either.folder / "other.csv").write_text("A<b>,B\n1,2\n2,3\n", encoding="utf-8")
    post(dora, "/datasets", {"name": HTML, "collection": HTML, "path": str(either.folder / "other.csv")})
    spec = 'outputs: [{kind: crosstab, variables: ["<b>x</b>"], compute: true}]'
    fields = {"project": either.project, "dataset": either.dataset, "title": HTML, "purpose": HTML, "text": spec}
    shown = [post(rosa, "/submit/spec", fields)]
    shown += [
        rosa.get(f"/submissions/{number}"),
        rosa.get("/submissions"),
        rosa.get("/submissions", params={"q": HTML}),
    ]
    shown += [
        chloe.get(f"/submissions/{number}"),
        chloe.get("/submissions"),
        dora.get("/datasets"),
        dora.get("/datasets/2"),
    ]
    shown += [ada.get("/people"), ada.get("/projects"), ada.get("/projects/2"), rosa.get("/submit/table?kind=" + HTML)]
    shown += [rosa.get("/submissions?done=" + HTML), rosa.get("/log-in", params={"next": HTML})]
    for answer in shown:
        assert "<img src=x" not in answer.text, answer.url
        assert "<b>x</b>" not in answer.text, answer.url
        assert "49" not in re.sub(r"[\w-]{20,}", "", answer.text.split("<main")[-1]) or "7*7" in answer.text, answer.url
    assert "&lt;img src=x" in chloe.get(f"/submissions/{number}").text


def test_no_value_of_a_row_is_on_any_page(tmp_path: Path) -> None:
    service = build(tmp_path)
    canary = "row-canary-5519"
    rows = "".join(f"{canary if i == 7 else i},{i % 2}\n" for i in range(40))
    (tmp_path / "rows.csv").write_text("NAME,SEX\n" + rows, encoding="utf-8")
    (tmp_path / "broken.csv").write_text(f"A,B\n1,2\n{canary},3,4,5\n", encoding="utf-8")
    dora, rosa = service.client("dora"), service.client("rosa")
    shown = [
        post(dora, "/datasets", {"name": f"d{i}", "path": str(tmp_path / n)})
        for i, n in enumerate(("rows.csv", "broken.csv"))
    ]
    assert shown[1].status_code == 422
    shown += [dora.get(p) for p in ("/datasets", "/datasets/2", "/api/datasets", "/api/datasets/2/ledger")]
    shown += [rosa.get(p) for p in ("/submit/table?kind=crosstab&dataset=2", "/api/datasets")]
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=7": 1}}]'
    fields = {"project": service.project, "dataset": 2, "title": "x", "text": spec}
    shown.append(post(rosa, "/submit/spec", fields))
    assert [a.url for a in shown if canary in a.text] == []
    service.close()


def test_list_takes_as_many_queries_however_long_it_is(either: Service) -> None:
    counts = []
    client = either.client("chloe")
    for n in (1, 12):
        for _ in range(n):
            either.submit()
        either.assess()
        counts.append(_queries(either, client, "/submissions"))
    assert counts[0] == counts[1]
    # The log-in, counts by state, the lines, their checkers, votes and jobs, projects with members, datasets.
    assert counts[0] <= 13


@pytest.mark.parametrize("path", ["/submissions/{n}", "/datasets/1", "/projects", "/people", "/api/submissions/{n}"])
def test_page_takes_as_many_queries_however_much_is_on_it(service: Service, path: str) -> None:
    client = service.client("ada" if path == "/people" else "chloe")
    first = service.make("released")
    counts = [_queries(service, client, path.format(n=first))]
    second = service.make("released")
    with service.ledger.writing() as session:
        for i in range(5):
            workflow.comment(session, service.ids["rosa"], second, f"Comment {i}")
            accounts.add_account(session, None, f"extra-{i}", Role.CHECKER, "")
    counts.append(_queries(service, client, path.format(n=second)))
    assert counts[0] == counts[1]
    assert counts[1] <= 18


def _queries(service: Service, client: Any, path: str) -> int:
    assert client.get(path).status_code == 200
    # That somebody has looked is written down a little later: now, and not amid the page that is counted.
    service.app.state.seen.write()
    seen = []

    def note(*given: Any) -> None:
        seen.append(given[2])

    event.listen(service.ledger.engine, "before_cursor_execute", note)
    try:
        assert client.get(path).status_code == 200
    finally:
        event.remove(service.ledger.engine, "before_cursor_execute", note)
    return len([s for s in seen if s.lstrip().upper().startswith("SELECT")])


def test_list_shows_exactly_what_may_be_seen(either: Service) -> None:
    from divulge.ledger import states
    from divulge.ledger.listing import Filters, list_submissions
    from divulge.ledger.model import Person, Submission

    numbers = [either.ready(by) for by in ("rosa", "remy", "chloe")]
    with either.ledger.reading() as session:
        for name, person_id in either.ids.items():
            person = session.get_one(Person, person_id)
            listed = {line.id for line in list_submissions(session, person, Filters()).items}
            seen = {n for n in numbers if states.may(states.Rights(person).check_see, session.get_one(Submission, n))}
            assert listed == seen, name
