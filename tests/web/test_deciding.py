"""Deciding output by output: what the choices add up to, that nobody sees the others' first, and correcting."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.errors import SpecError, StateError
from divulge.ledger import jobs, releases, workflow
from divulge.ledger.model import Choice, Submission
from divulge.ledger.proposals import Proposal
from tests.support.service import FIGURES, OUTPUT, Service, api_headers, post, record


@pytest.fixture
def two(service: Service) -> int:
    """A submission of two outputs that waits for decisions."""
    with service.ledger.writing() as session:
        proposal = Proposal("Two", [dict(OUTPUT), {**OUTPUT, "name": "The same again"}])
        made = workflow.submit(session, service.ids["rosa"], service.project, service.dataset, proposal).id
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    lease.finish(record("release"), [FIGURES, FIGURES])
    return made


def _decide(service: Service, who: str, number: int, first: str, second: str, reason: str = "Looked at.") -> None:
    fields = {"choice-1": first, "choice-2": second, "reason": reason}
    answer = post(service.client(who), f"/submissions/{number}/decide", fields)
    assert answer.status_code == 303, answer.text


def _choice(service: Service, number: int) -> list[str]:
    with service.ledger.reading() as session:
        return [str(d.choice) for d in session.get_one(Submission, number).decisions]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [("release", "release", "release"), ("release", "return", "return"), ("refuse", "return", "refuse")],
)
def test_choices_of_outputs_add_up_to_the_strictest(
    service: Service, two: int, first: str, second: str, together: str
) -> None:
    _decide(service, "chloe", two, first, second)
    assert _choice(service, two) == [together]


def test_submission_with_one_output_to_be_changed_is_not_released(service: Service, two: int) -> None:
    _decide(service, "chloe", two, "release", "release")
    _decide(service, "cyril", two, "release", "return")
    with service.ledger.writing() as session, pytest.raises(StateError, match="against its release"):
        releases.release(session, service.ids["chloe"], two, service.ledger.store)


def test_choice_for_every_output_is_needed(service: Service, two: int) -> None:
    with service.ledger.writing() as session, pytest.raises(SpecError, match="every output"):
        workflow.decide(session, service.ids["chloe"], two, {1: Choice.RELEASE}, "Half.")
    answer = post(service.client("chloe"), f"/submissions/{two}/decide", {"choice-1": "maybe", "reason": "x"})
    assert answer.status_code == 422


def test_one_choice_is_for_all_outputs_but_those_with_one_of_their_own(service: Service, two: int) -> None:
    fields: dict[str, Any] = {"output": ["1", "2"], "choice": "release", "choice-2": "return", "reason": "Looked at."}
    assert post(service.client("chloe"), f"/submissions/{two}/decide", fields).status_code == 303
    with service.ledger.reading() as session:
        assert session.get_one(Submission, two).decisions[0].outputs == {"1": "release", "2": "return"}
    # One that nobody has chosen for is not approved by silence.
    silent = {"output": ["1", "2"], "choice-2": "release", "reason": "Looked at."}
    assert post(service.client("cyril"), f"/submissions/{two}/decide", silent).status_code == 422


def test_checker_who_has_decided_goes_on_to_the_next_that_waits(service: Service, two: int) -> None:
    other = service.ready(title="Waits too")
    chloe = service.client("chloe")
    link = f'href="/submissions/{other}">Next that waits for you: Waits too'
    assert link not in chloe.get(f"/submissions/{two}").text
    answer = post(chloe, f"/submissions/{two}/decide", {"output": ["1", "2"], "choice": "release", "reason": "Fine."})
    assert link in chloe.get(answer.headers["location"]).text
    assert "Next that waits" not in service.client("rosa").get(f"/submissions/{two}?done=decided").text


def test_nobody_sees_what_the_others_decided_before_all_have(service: Service, two: int) -> None:
    _decide(service, "chloe", two, "refuse", "refuse", "Cell three is a single person.")
    for who in ("cyril", "dora"):
        client = service.client(who)
        page = client.get(f"/submissions/{two}").text
        assert "Cell three" not in page
        assert "1 has decided" in page
        told = client.get(f"/api/submissions/{two}").json()
        assert told["decisions"] == []
        listed = client.get("/api/submissions").json()["items"][0]
        assert (listed["decided"], listed["needed"]) == (1, 2)
        assert "Chloe" not in client.get("/submissions").text
    assert "Cell three" in service.client("chloe").get(f"/submissions/{two}").text
    _decide(service, "cyril", two, "release", "release")
    assert "Cell three" in service.client("cyril").get(f"/submissions/{two}").text


def test_decision_can_be_corrected_until_the_last_one(service: Service, two: int) -> None:
    _decide(service, "chloe", two, "refuse", "refuse")
    _decide(service, "chloe", two, "release", "release", "I misread the table.")
    assert _choice(service, two) == ["release"]
    _decide(service, "cyril", two, "release", "release")
    answer = post(
        service.client("chloe"),
        f"/submissions/{two}/decide",
        {"choice-1": "refuse", "choice-2": "refuse", "reason": "x"},
    )
    assert answer.status_code == 409
    assert _choice(service, two) == ["release", "release"]


def test_program_decides_for_all_outputs_or_for_each(service: Service, two: int) -> None:
    for who, given in (("chloe", {"choice": "release"}), ("cyril", {"outputs": {"1": "release", "2": "refuse"}})):
        client = service.client(who)
        answer = client.post(
            f"/api/submissions/{two}/decisions", json={**given, "reason": "Yes."}, headers=api_headers(client)
        )
        assert answer.status_code == 200, answer.text
    assert _choice(service, two) == ["release", "refuse"]
    client = service.client("chloe")
    neither = client.post(f"/api/submissions/{two}/decisions", json={"reason": "x"}, headers=api_headers(client))
    assert neither.status_code == 422
