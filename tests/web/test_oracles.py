"""Nothing else that a researcher can ask tells how far a submission is, what the data confirm, or what others do.

Nor does one checker learn what another decided before all have.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from sqlalchemy import event

from divulge.ledger import jobs, people, searches, workflow
from divulge.ledger.jobs import FoundOutput
from divulge.ledger.model import Choice, JobState, Submission
from divulge.ledger.proposals import HANDED_IN, Proposal
from divulge.web import tokens
from tests.support.service import FIGURES, OUTPUT, PASSWORD, Service, api_headers, post, record

SPEC = "outputs: [{kind: crosstab, variables: [SEX], compute: true}]"

OWN_ACTIONS: dict[str, dict[str, Any]] = {
    "versions": {"title": "Again", "outputs": [dict(OUTPUT)]},
    "release": {},
    "refuse": {},
    "assess": {},
    "cancel": {},
    "return": {"reason": "x"},
    "decisions": {"choice": "release", "reason": "x"},
    "decisions/airlock": {"status": "RETURNED"},
    "assignments": {"person": 3},
}


def _told(service: Service, number: int) -> list[tuple[int, str]]:
    """What the author is answered to everything that can be tried with a submission."""
    rosa = service.client("rosa")
    headers = api_headers(rosa)
    at = f"/api/submissions/{number}"
    found = [rosa.post(f"{at}/{name}", json=given, headers=headers) for name, given in OWN_ACTIONS.items()]
    found += [rosa.get(f"{at}/{name}") for name in ("record", "verdict/airlock", "files/1", "release.zip")]
    found.append(post(rosa, "/submit/spec", {"replaces": number, "title": "T", "text": "outputs: []"}))
    found.append(post(rosa, f"/submissions/{number}/take", {"offer": "0"}))
    found.append(rosa.get(f"/submit/spec?replaces={number}"))
    return [(a.status_code, re.sub(r'(name="(csrf|token)" value=")[^"]+', r"\1", a.text)) for a in found]


def test_no_answer_tells_the_author_how_far_it_is(service: Service) -> None:
    number = service.submit()
    first = _told(service, number)
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    assert _told(service, number) == first
    lease.finish(record("refuse"), [FIGURES])
    assert _told(service, number) == first
    with service.ledger.writing() as session:
        workflow.decide(session, service.ids["chloe"], number, Choice.REFUSE, "One is exposed.")
        held = searches.ask(session, service.ids["cyril"], number)
        held.state, held.found, held.offered = JobState.DONE, [{"done": ["Merged."], "outputs": [dict(OUTPUT)]}], [0]
    assert _told(service, number) == first


def test_own_numbers_do_not_tell_how_much_others_do(either: Service) -> None:
    rosa = either.client("rosa")
    files = [("files", (f"{i}.txt", f"{i}".encode(), "text/plain")) for i in range(5)]
    found: dict[str, list[int]] = {"submissions": [], "files": [], "tokens": []}
    for i in range(8):
        form = {"project": either.project, "dataset": either.dataset, "title": f"T{i}", "text": SPEC}
        at = post(rosa, "/submit/spec", form, files=files).headers["location"]
        shown = rosa.get(f"/api{at}").json()
        found["submissions"].append(shown["id"])
        found["files"] += [file["id"] for file in shown["files"]]
        with either.ledger.writing() as session:
            found["tokens"].append(tokens.make(session, either.ids["rosa"], f"T{i}", [], 1, PASSWORD)[0].id)
    for what, numbers in found.items():
        assert len(set(numbers)) == len(numbers), what
        # As likely in a drawn order as one of 8!: counted ones always are.
        assert numbers != sorted(numbers), what
    listed = [line["id"] for line in rosa.get("/api/submissions").json()["items"]]
    assert listed == found["submissions"][::-1], "the newest first"


def test_release_does_not_tell_how_much_others_do(service: Service) -> None:
    made = service.make("released")
    answer = service.client("rosa").get(f"/submissions/{made}/release.zip")
    about = zipfile.ZipFile(io.BytesIO(answer.content)).read("manifest.json").decode()
    assert set(json.loads(about)["trail"]) == {"hash"}


def test_list_does_not_tell_the_author_whether_somebody_looks_after_it(service: Service) -> None:
    number = service.submit()
    rosa = service.client("rosa")
    addresses = [f"/submissions?whose={whose}" for whose in ("assigned", "unassigned", "undecided", "mine")]
    before = [rosa.get(address).text.count('class="title"') for address in addresses]
    with service.ledger.writing() as session:
        workflow.assign(session, service.ids["chloe"], number, service.ids["chloe"])
    assert [rosa.get(address).text.count('class="title"') for address in addresses] == before


@pytest.mark.parametrize("asked", ["crosstab", "table.csv"])
def test_search_does_not_tell_the_author_what_the_data_confirm(service: Service, asked: str) -> None:
    with service.ledger.writing() as session:
        blob = service.ledger.store.put(b"a guess")
        proposal = Proposal("Guess", (), uploads=[("guess.txt", blob)], origin=HANDED_IN)
        workflow.submit(session, service.ids["rosa"], service.project, service.dataset, proposal)
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    made = {**OUTPUT, "name": "table.csv, line 3"}
    lease.finish(record("release"), [FIGURES], [FoundOutput(made["name"], "crosstab", made, ("AGE", "SEX"))])
    rosa, chloe = service.client("rosa"), service.client("chloe")
    assert rosa.get(f"/api/submissions?q={asked}").json()["total"] == 0
    assert ">Guess<" not in rosa.get(f"/submissions?q={asked}").text
    assert rosa.get("/api/submissions?q=Guess").json()["total"] == 1
    assert chloe.get(f"/api/submissions?q={asked}").json()["total"] == 1


def test_name_of_a_project_is_not_told_to_those_outside(service: Service) -> None:
    with service.ledger.writing() as session:
        secret = people.add_project(session, None, "Closures of hospitals").id
    rosa = service.client("rosa")
    told = set()
    for project in (secret, 99_999):
        given = {"project": project, "dataset": service.dataset, "title": "T", "outputs": [dict(OUTPUT)]}
        answer = rosa.post("/api/submissions", json=given, headers=api_headers(rosa))
        files = {"files": ("a.txt", b"x")}
        form = {"project": project, "dataset": service.dataset, "title": "T"}
        sent = rosa.post("/api/submissions/files", data=form, files=files, headers=api_headers(rosa))
        page = rosa.get(f"/projects/{project}")
        told.add((answer.status_code, answer.text, sent.status_code, sent.text, page.status_code))
    assert len(told) == 1
    assert "hospitals" not in str(told)


@pytest.mark.parametrize("address", ["/submissions/{}", "/submissions/{}/handed-in", "/api/submissions/{}"])
def test_submission_of_somebody_else_takes_no_longer_than_one_that_never_was(service: Service, address: str) -> None:
    there = service.make("released")
    remy = service.client("remy")
    asked: list[str] = []
    event.listen(service.ledger.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    counts = set()
    for number in (there, 999_999_999):
        asked.clear()
        assert remy.get(address.format(number)).status_code == 404
        counts.add(len([text for text in asked if text.startswith("SELECT")]))
    assert len(counts) == 1


def test_token_of_a_form_is_everybodys_own(service: Service) -> None:
    made = []
    for who in ("rosa", "remy", "rosa"):
        client = service.client(who)
        given = {"project": service.project, "dataset": service.dataset, "title": who, "outputs": [dict(OUTPUT)]}
        answer = client.post("/api/submissions", json={**given, "token": "chapter-1"}, headers=api_headers(client))
        assert answer.status_code == 201
        made.append(answer.json()["id"])
    assert made[0] == made[2] != made[1]


@pytest.mark.parametrize("step", ["release", "refuse"])
def test_no_answer_tells_a_checker_what_another_decided_before_all_have(service: Service, step: str) -> None:
    told = set()
    for choice in Choice:
        number = service.ready()
        with service.ledger.writing() as session:
            workflow.decide(session, service.ids["chloe"], number, choice, "A reason.")
        cyril = service.client("cyril")
        answer = cyril.post(f"/api/submissions/{number}/{step}", headers=api_headers(cyril))
        shown = cyril.get(f"/api/submissions/{number}").json()
        assert answer.status_code == 409
        told.add((answer.text.replace(f"submission {number}", "it"), str(shown["can"]), str(shown["decisions"])))
    assert len(told) == 1


def _assess_again(service: Service, number: int, verdict: str) -> None:
    with service.ledger.writing() as session:
        workflow.assess(session, service.ids["dora"], number)
    service.assess(verdict)


def test_decision_on_an_assessment_that_the_page_did_not_show_is_not_taken(service: Service) -> None:
    number = service.submit()
    service.assess("release")
    chloe = service.client("chloe")
    page = chloe.get(f"/submissions/{number}").text
    held = page.partition('name="assessment" value="')[2].partition('"')[0]
    told = chloe.get(f"/api/submissions/{number}").json()["assessment"]
    verdict = chloe.get(f"/api/submissions/{number}/verdict/airlock").json()["assessment"]
    assert held == str(told) == str(verdict)
    _assess_again(service, number, "refuse")
    fields = {"choice-1": "release", "reason": "It says release.", "assessment": held}
    answer = post(chloe, f"/submissions/{number}/decide", fields)
    assert answer.status_code == 409
    assert "assessed again since you looked at it" in answer.text
    headers = api_headers(chloe)
    given = {"choice": "release", "reason": "It says release.", "assessment": told}
    assert chloe.post(f"/api/submissions/{number}/decisions", json=given, headers=headers).status_code == 409
    by_hook = f"/api/submissions/{number}/decisions/airlock?assessment={verdict}"
    assert chloe.post(by_hook, json={"status": "RETURNED"}, headers=headers).status_code == 409
    with service.ledger.reading() as session:
        assert session.get_one(Submission, number).decisions == []
    newest = chloe.get(f"/api/submissions/{number}").json()["assessment"]
    given["assessment"] = newest
    assert chloe.post(f"/api/submissions/{number}/decisions", json=given, headers=headers).status_code == 200
