"""Who looked at what and who took what away is in the audit trail, whichever page it was."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from divulge.ledger import queries
from divulge.ledger.verify import verify
from tests.support.service import Service


def _seen(service: Service, number: int) -> list[tuple[str, str, str]]:
    service.app.state.seen.write()
    with service.ledger.reading() as session:
        found = queries.history(session, number, subject="view")
        return [(e.person, e.action, json.loads(e.details)["what"]) for e in found]


def test_views_and_downloads_are_in_the_trail_once_each(service: Service) -> None:
    number = service.make("released")
    rosa, chloe = service.client("rosa"), service.client("chloe")
    for _ in range(2):
        assert rosa.get(f"/submissions/{number}").status_code == 200
        assert chloe.get(f"/api/submissions/{number}").status_code == 200
    assert _seen(service, number) == [("rosa", "view", "page"), ("chloe", "view", "page")]
    for _ in range(2):
        assert rosa.get(f"/submissions/{number}/release.zip").status_code == 200
    # Looking again a moment later is still the same look; taking away twice is twice.
    assert _seen(service, number)[2:] == [("rosa", "download", "release.zip")] * 2
    assert verify(service.ledger).faults == ()


@pytest.mark.parametrize("written", ["+{n}", "{n}.0", "%20{n}", "{n}%20", "%2B{n}"])
def test_no_other_way_to_write_a_number_leads_past_the_trail(service: Service, written: str) -> None:
    number = service.make("released")
    rosa = service.client("rosa")
    for address in ("/submissions/{n}", "/submissions/{n}/release.zip", "/api/submissions/{n}"):
        answer = rosa.get(address.format(n=written.format(n=number)))
        assert answer.status_code in (404, 422), address
    assert _seen(service, number) == []


def test_checkers_see_on_the_page_who_looked_and_who_took_what_away(service: Service) -> None:
    number = service.make("released")
    rosa = service.client("rosa")
    assert rosa.get(f"/submissions/{number}/release.zip").status_code == 200
    assert "downloaded release.zip" in service.client("chloe").get(f"/submissions/{number}").text
    assert "downloaded" not in rosa.get(f"/submissions/{number}").text.replace("can be downloaded", "")


def test_what_was_not_shown_is_not_noted(service: Service) -> None:
    number = service.make("released")
    assert service.client("remy").get(f"/submissions/{number}").status_code in (403, 404)
    assert service.client().get(f"/submissions/{number}/release.zip").status_code == 303
    assert _seen(service, number) == []


def test_nothing_is_taken_away_that_cannot_be_written_down(service: Service) -> None:
    number = service.make("released")
    rosa = service.client("rosa")
    with service.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        connection.execute(text("ALTER TABLE trail RENAME TO gone"))
    answer = rosa.get(f"/submissions/{number}/release.zip")
    assert answer.status_code == 503
    assert b"output-1" not in answer.content
