"""From refuse to release in the service: a checker offers a change, its author submits it, and it is compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from divulge.errors import LeaseLostError
from divulge.ledger import datasets, jobs, searches, workflow
from divulge.ledger.model import Submission
from divulge.ledger.verify import verify
from tests.support.service import FIGURES, Service, build, post, record

CHANGED = {
    "sentence": "Round to base 5: 4 of 4 figures change, 71.3 % of the information.",
    "done": ["Output 1: Round to base 5."],
    "outputs": [{"kind": "crosstab", "variables": ["AGE", "SEX"], "base": 5, "compute": True}],
    "before": {"verdict": "refuse", "exposed": 3, "reasons": [], "risk": []},
    "after": {"verdict": "release", "exposed": 0, "reasons": [], "risk": []},
}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = build(tmp_path)
    yield made
    made.close()


def _searched(service: Service, number: int, found: list[dict[str, Any]]) -> None:
    assert post(service.client("chloe"), f"/submissions/{number}/search").status_code == 303
    lease = searches.take(service.ledger, 60)
    assert lease is not None
    lease.finish(found)


def test_offered_change_is_submitted_with_a_click_and_shown_beside_the_old(service: Service) -> None:
    number = service.ready()
    _searched(service, number, [CHANGED, {**CHANGED, "done": ["Output 1: Another."]}])
    page = service.client("chloe").get(f"/submissions/{number}").text
    assert "71.3 % of the information" in page
    assert "3 exposed before, 0 after" in page
    chloe, rosa = service.client("chloe"), service.client("rosa")
    assert post(chloe, f"/submissions/{number}/offer", {"offer": "0"}).status_code == 303
    # Before it is returned the author is told nothing.
    assert "Round to base" not in rosa.get(f"/submissions/{number}").text
    post(chloe, f"/submissions/{number}/return", {"reason": "See what is offered."})
    page = rosa.get(f"/submissions/{number}").text
    assert "Output 1: Round to base 5." in page
    for words in ("71.3", "exposed", "Another", "release</span>"):
        assert words not in page, words
    answer = post(rosa, f"/submissions/{number}/take", {"offer": "0"})
    assert answer.status_code == 303
    newer = int(answer.headers["location"].split("?")[0].rpartition("/")[2])
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    rounded = [{**f, "value": "15"} for f in FIGURES]
    lease.finish(record("release"), [rounded])
    page = chloe.get(f"/submissions/{newer}").text
    assert "What changed since version 1" in page
    assert "4 of 4 figures changed" in page
    assert '<td class="n">13</td><td class="n">15</td>' in page
    assert "About version 1: 1 comment" in page
    assert "What changed since" not in rosa.get(f"/submissions/{newer}").text
    assert verify(service.ledger).faults == ()


def test_change_that_was_not_offered_cannot_be_taken(service: Service) -> None:
    number = service.ready()
    _searched(service, number, [CHANGED, CHANGED])
    post(service.client("chloe"), f"/submissions/{number}/offer", {"offer": "0"})
    post(service.client("chloe"), f"/submissions/{number}/return", {"reason": "Change it."})
    rosa = service.client("rosa")
    assert post(rosa, f"/submissions/{number}/take", {"offer": "1"}).status_code == 404
    assert post(service.client("remy"), f"/submissions/{number}/take", {"offer": "0"}).status_code == 404
    assert post(service.client("chloe"), f"/submissions/{number}/take", {"offer": "0"}).status_code == 403


def test_worker_that_lost_a_search_changes_nothing(service: Service) -> None:
    number = service.ready()
    post(service.client("chloe"), f"/submissions/{number}/search")
    first = searches.take(service.ledger, -1)
    second = searches.take(service.ledger, 60)
    assert first is not None
    assert second is not None
    with pytest.raises(LeaseLostError):
        first.finish([CHANGED])
    second.fail("It took too long.")
    assert "It took too long." in service.client("chloe").get(f"/submissions/{number}").text


def test_search_finds_a_change_with_which_a_refused_table_is_released(service: Service) -> None:
    chance = random.Random(7)  # any: the two people of the island are put there by hand
    ill = ["yes" if chance.random() < 0.4 else "no" for _ in range(500)]
    rows = [f"{'north' if i < 300 else 'south'},{one}" for i, one in enumerate(ill)] + ["island,yes"] * 2
    (service.folder / "areas.csv").write_text("\n".join(["AREA,ILL", *rows]) + "\n", encoding="utf-8")
    with service.ledger.writing() as session:
        made = datasets.register(session, None, "areas", service.folder / "areas.csv")
        datasets.open_to(session, None, made.id, service.project)
        service.dataset = made.id
    number = service.submit(output={"kind": "crosstab", "variables": ["AREA", "ILL"], "compute": True})
    service.assess("refuse")
    with service.ledger.writing() as session:
        searches.ask(session, service.ids["chloe"], number)
    lease = searches.take(service.ledger, 600)
    assert lease is not None
    found = searches.run(searches.prepare(service.ledger, lease), lambda step: None)
    lease.finish(found)
    assert found
    assert all(one["after"]["verdict"] == "release" for one in found)
    assert found[0]["before"]["verdict"] == "refuse"
    with service.ledger.writing() as session:
        searches.offer(session, service.ids["chloe"], number, [0])
        workflow.give_back(session, service.ids["chloe"], number, "As offered.")
    answer = post(service.client("rosa"), f"/submissions/{number}/take", {"offer": "0"})
    assert answer.status_code == 303, answer.text
    with service.ledger.reading() as session:
        newer = session.get_one(Submission, number).replaced_by
        assert newer is not None
        assert newer.outputs[0].document != {"kind": "crosstab", "variables": ["AREA", "ILL"], "compute": True}


def test_author_of_a_taken_change_does_not_learn_how_it_was_drawn(service: Service) -> None:
    """The key of random rounding undoes it, and levels that were merged may be known from the data alone."""
    number = service.ready()
    keyed = {"kind": "crosstab", "variables": ["AGE", "SEX"], "compute": True, "method": "key 4711"}
    _searched(service, number, [CHANGED])
    post(service.client("chloe"), f"/submissions/{number}/offer", {"offer": "0"})
    post(service.client("chloe"), f"/submissions/{number}/return", {"reason": "As offered."})
    rosa = service.client("rosa")
    answer = post(rosa, f"/submissions/{number}/take", {"offer": "0"})
    newer = int(answer.headers["location"].split("?")[0].rpartition("/")[2])
    with service.ledger.writing() as session:
        session.get_one(Submission, newer).outputs[0].document = keyed
    for address in (f"/submissions/{newer}", f"/api/submissions/{newer}", f"/submit/spec?replaces={newer}"):
        assert "4711" not in rosa.get(address).text, address
    assert "4711" in service.client("chloe").get(f"/submissions/{newer}").text
