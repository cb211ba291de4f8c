"""A checker's day: what waits, oldest first; several approved at once and never one too many; reasons and context."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, select

from divulge.ledger import jobs, reasons, workflow
from divulge.ledger.dashboard import find_dashboard
from divulge.ledger.model import CheckerDecision, Choice, Person, Submission, Upload, Use, utc_now
from divulge.ledger.proposals import Proposal
from divulge.ledger.verify import verify
from divulge.ledger.waiting import find_waiting
from tests.support.service import CANARY, FIGURES, OUTPUT, Service, api_headers, post, record


def make(service: Service, verdict: str = "release", severity: str | None = None, title: str = "T") -> int:
    """A submission that is ready, with a verdict and where asked a broken rule."""
    number = service.submit(title=title)
    found = record(verdict)
    found["rules"] = {**(found.get("rules") or {}), "findings": [], "broken": []}
    found["audit"] = {**(found.get("audit") or {}), "findings": []}
    if severity is not None:
        broken = {"rule": "few", "severity": severity, "outputs": [0], "figures": [], "sentence": "Few.", "people": 1}
        found["rules"]["findings"] = [broken]
    while lease := jobs.take_job(service.ledger, "test"):
        lease.finish(found, [FIGURES])
    return number


def choices(service: Service) -> dict[int, tuple[str, str]]:
    with service.ledger.reading() as session:
        return {d.submission_id: (d.person.name, d.choice) for d in session.scalars(select(CheckerDecision))}


def test_home_has_what_waits_for_me_oldest_first_with_its_age(either: Service) -> None:
    old, new = make(either, title="The old one"), make(either, title="The new one")
    with either.ledger.writing() as session:
        session.get_one(Submission, old).changed_at = utc_now() - timedelta(days=3, minutes=1)
    page = either.client("chloe").get("/home").text
    assert page.index("The old one") < page.index("The new one")
    assert "3 days<br>" in page
    with either.ledger.writing() as session:
        workflow.decide(session, either.ids["chloe"], old, Choice.RELEASE, "Fine.")
    mine, theirs = (either.client(name).get("/home").text for name in ("chloe", "cyril"))
    assert "The old one" not in mine, "my decision is in; what the other decides I wait for"
    assert "The old one" in theirs
    with either.ledger.writing() as session:
        workflow.decide(session, either.ids["cyril"], old, Choice.RELEASE, "Fine.")
    assert "All have decided" in either.client("chloe").get("/home").text
    with either.ledger.writing() as session:
        workflow.give_back(session, either.ids["chloe"], new, "Round it.")
    assert "Returned to you" in either.client("rosa").get("/home").text
    assert "The new one" not in either.client("remy").get("/home").text


def test_failed_assessment_waits_for_checkers_and_custodians_alone(service: Service) -> None:
    service.submit(title="Broken")
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    lease.fail(CANARY)
    for name in ("chloe", "dora"):
        assert "The assessment failed" in service.client(name).get("/home").text
    assert "failed" not in service.client("rosa").get("/home").text


def test_home_asks_the_database_as_often_for_many_as_for_one(service: Service) -> None:
    asked: list[str] = []
    event.listen(service.ledger.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))

    def count() -> int:
        with service.ledger.reading() as session:
            asked.clear()
            find_waiting(session, session.get_one(Person, service.ids["chloe"]))
            return len(asked)

    make(service)
    before = count()
    for _ in range(5):
        make(service)
    assert count() == before


def test_several_are_approved_at_once_and_each_is_a_decision_of_its_own(either: Service) -> None:
    numbers = [make(either), make(either, severity="note")]
    client = either.client("chloe")
    assert all(f'value="{n}"' in client.get("/home").text for n in numbers)
    answer = post(client, "/approvals", {"submission": [str(n) for n in numbers], "reason": "Large cells."})
    assert answer.headers["location"] == "/home?done=approved"
    assert choices(either) == dict.fromkeys(numbers, ("chloe", "release"))
    assert not verify(either.ledger).faults


@pytest.mark.parametrize("why", ["review", "refuse", "broken rule", "doubt", "own", "other file", "not ready", "twice"])
def test_what_is_not_plain_is_never_approved_at_once(service: Service, why: str) -> None:
    verdict = why if why in ("review", "refuse") else "release"
    number = make(service, verdict, {"broken rule": "refuse", "doubt": "review"}.get(why))
    name = "chloe"
    with service.ledger.writing() as session:
        if why == "own":
            session.get_one(Submission, number).author_id = service.ids["chloe"]
        elif why == "other file":
            blob = service.ledger.store.put(b"x")
            session.add(
                Upload(submission_id=number, name="x", digest=blob.digest, size=1, use=Use.OTHER, why="A plot.")
            )
        elif why == "twice":
            workflow.decide(session, service.ids["chloe"], number, Choice.RETURN, "Round it.")
    if why == "not ready":
        number = service.submit()
    client = service.client(name)
    assert f'name="submission" value="{number}"' not in client.get("/home").text
    before = choices(service)
    answer = post(client, "/approvals", {"submission": str(number), "reason": "All of them."})
    assert answer.status_code in (403, 409, 422)
    assert choices(service) == before


def test_one_that_cannot_be_approved_is_named_and_the_others_are(service: Service) -> None:
    good, bad = make(service), make(service, "refuse")
    given = {"submission": [str(bad), str(good)], "reason": "Fine."}
    answer = post(service.client("chloe"), "/approvals", given)
    assert answer.status_code == 409
    assert f"submission {bad}: it is to be looked at by itself." in answer.text
    assert set(choices(service)) == {good}


def test_stale_verdict_is_not_approved_at_once_either(service: Service) -> None:
    number = make(service)
    (service.folder / "people.csv").write_text("AGE,SEX\n40,F\n", encoding="utf-8")
    answer = post(service.client("chloe"), "/approvals", {"submission": str(number), "reason": "Fine."})
    assert answer.status_code == 409
    assert choices(service) == {}


def test_dashboard_counts_what_came_what_was_decided_and_whether_it_followed_the_verdict(either: Service) -> None:
    numbers = [make(either, "release"), make(either, "refuse"), make(either, "review")]
    with either.ledger.writing() as session:
        session.get_one(Submission, numbers[0]).created_at = utc_now() - timedelta(hours=10)
        workflow.give_back(session, either.ids["chloe"], numbers[0], "Round it.")
        workflow.withdraw(session, either.ids["rosa"], numbers[2])
        for name in ("chloe", "cyril"):
            workflow.decide(session, either.ids[name], numbers[1], Choice.REFUSE, "No.")
        workflow.refuse(session, either.ids["chloe"], numbers[1])
    either.submit()
    with either.ledger.reading() as session:
        found = find_dashboard(session, 90)
        nothing = find_dashboard(session, 90, project_id=10**6)
    assert (found.submitted, found.decided, found.waiting) == (4, 2, 1)
    assert found.agreement["release"] == {"released": 0, "returned": 1, "refused": 0}
    assert found.agreement["refuse"] == {"released": 0, "returned": 0, "refused": 1}
    assert sum(found.agreement["review"].values()) == 0, "what its author withdraws is no decision"
    assert found.hours == pytest.approx(5, abs=0.5)  # the middle of ten hours and next to none, on a slow machine
    assert sum(w.submitted for w in found.weeks) == 4
    assert [(p.name, p.submitted, p.waiting) for p in found.projects] == [("Ageing", 4, 1)]
    assert (nothing.submitted, nothing.hours) == (0, None)
    page = either.client("dora").get("/dashboard?days=30&project=x").text
    assert "Verdict against decision" in page


def test_reason_can_start_from_a_template(service: Service) -> None:
    client = service.client("dora")
    given = {"choice": "return", "title": "Small cells", "text": "Please merge <cells> below ten."}
    assert post(client, "/reasons", given).status_code == 303
    page = service.client("chloe").get(f"/submissions/{make(service)}").text
    assert 'value="Please merge &lt;cells&gt; below ten."' in page
    assert verify(service.ledger).faults == ()
    with service.ledger.reading() as session:
        number = reasons.list_templates(session)[0].id
    assert post(client, f"/reasons/{number}/remove").status_code == 303
    assert "None yet" in client.get("/reasons").text


@pytest.mark.parametrize("wrong", [{"choice": "maybe"}, {"title": " "}, {"text": "\0"}, {"title": "x" * 101}])
def test_template_that_makes_no_sense_is_refused(service: Service, wrong: dict[str, str]) -> None:
    given = {"choice": "return", "title": "T", "text": "Merge.", **wrong}
    assert post(service.client("chloe"), "/reasons", given).status_code == 422


def test_context_is_said_with_an_output_and_shown_beside_it(either: Service) -> None:
    rosa = either.client("rosa")
    said = {"about": "Table 2 of the paper", "population": "Adults of 40 and 41", "controls": "Cells below ten merged"}
    text = "outputs:\n- {kind: crosstab, variables: [AGE, SEX], compute: true, context: {about: Of output one}}"
    fields: dict[str, Any] = {"project": either.project, "dataset": either.dataset, "title": "T", "text": text}
    answer = post(rosa, "/submit/spec", fields | {f"context-{name}": value for name, value in said.items()})
    number = int(re.search(r"/submissions/(\d+)", answer.headers["location"])[1])  # type: ignore[index]
    page = either.client("chloe").get(f"/submissions/{number}").text
    assert all(value in page for value in (*said.values(), "Of output one"))
    held = rosa.get(f"/api/submissions/{number}").json()["context"]
    assert held == {"0": said, "1": {"about": "Of output one"}}
    assert not verify(either.ledger).faults
    either.assess()
    with either.ledger.writing() as session:
        workflow.give_back(session, either.ids["chloe"], number, "Round it.")
    again = rosa.get(f"/submit/spec?replaces={number}").text
    assert "Cells below ten merged" in again
    assert "Of output one" in again


@pytest.mark.parametrize("context", [{"2": {"about": "x"}}, {"1": {"more": "x"}}, {"1": {"about": "x" * 5001}}])
def test_context_of_no_output_is_refused(service: Service, context: dict[str, Any]) -> None:
    client = service.client("rosa")
    given = {"project": service.project, "dataset": service.dataset, "title": "T", "outputs": [dict(OUTPUT)]}
    answer = client.post("/api/submissions", json={**given, "context": context}, headers=api_headers(client))
    assert answer.status_code == 422


@pytest.mark.parametrize("context", ["5", "[1]", "{about: [1]}", "{more: x}"])
def test_context_that_is_none_in_a_spec_is_refused(service: Service, context: str) -> None:
    text = f"outputs:\n- {{kind: crosstab, variables: [AGE], compute: true, context: {context}}}"
    fields = {"project": service.project, "dataset": service.dataset, "title": "T", "text": text}
    assert post(service.client("rosa"), "/submit/spec", fields).status_code == 422


def test_files_that_are_to_leave_come_along_into_a_new_version(service: Service) -> None:
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'
    about = {"project": service.project, "dataset": service.dataset, "title": "Plots", "why": "Figure 1."}
    files = [("others", ("one.png", b"\x89PNG one")), ("others", ("two.png", b"\x89PNG two"))]
    rosa = service.client("rosa")
    first = post(rosa, "/submit/spec", {**about, "text": spec}, files=files).headers["location"].split("?")[0]
    assert post(rosa, f"{first}/withdraw").status_code == 303
    page = rosa.get(f"/submit/spec?replaces={first.rpartition('/')[2]}").text
    assert page.count('name="keep"') == page.count("checked") == 2
    again = {"replaces": first.rpartition("/")[2], "title": "Plots", "text": spec, "keep": "one.png"}
    second = post(rosa, "/submit/spec", again).headers["location"].split("?")[0]
    kept = rosa.get(f"/api{second}").json()["files"]
    assert [(f["name"], f["use"]) for f in kept] == [("one.png", "other")]


def test_new_version_does_not_tell_which_files_of_acro_could_be_read(service: Service) -> None:
    with service.ledger.writing() as session:
        blob = service.ledger.store.put(b"x")
        proposal = Proposal(
            "Folder",
            [dict(OUTPUT)],
            uploads=[("read.csv", blob)],
            others=[("unread.csv", blob, "it cannot be read")],
            origin="acro",
        )
        old = workflow.submit(session, service.ids["rosa"], service.project, service.dataset, proposal).id
        workflow.withdraw(session, service.ids["rosa"], old)
    rosa = service.client("rosa")
    assert 'name="keep"' not in rosa.get(f"/submit/spec?replaces={old}").text
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'
    fields = {"replaces": old, "title": "Folder", "text": spec, "keep": ["unread.csv", "read.csv"]}
    made = post(rosa, "/submit/spec", fields).headers["location"].split("?")[0]
    assert rosa.get(f"/api{made}").json()["files"] == []


def test_changes_are_not_offered_for_what_nothing_speaks_against(service: Service) -> None:
    chloe = service.client("chloe")
    assert "Look for changes" not in chloe.get(f"/submissions/{make(service)}").text
    assert "Look for changes" in chloe.get(f"/submissions/{make(service, severity='review')}").text
