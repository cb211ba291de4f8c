"""Tokens of programs: shown once, kept as a hash, limited to their scopes and their owner, revoked, in the trail."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from divulge.ledger import people
from divulge.ledger.model import ApiToken, Person, Role, TrailEntry, utc_now
from divulge.ledger.verify import verify
from divulge.web import accounts
from tests.support.service import OUTPUT, PASSWORD, Service, post


def make(service: Service, name: str, *scopes: str, days: str = "30") -> str:
    """A token of somebody's, as the page shows it."""
    fields = {"name": "nightly", "scope": list(scopes), "days": days, "password": PASSWORD}
    answer = post(service.client(name), "/account/tokens", fields)
    found = re.search(r'<code id="told">([^<]+)</code>', answer.text)
    assert found is not None, answer.text
    return found[1]


def program(service: Service, token: str) -> httpx.Client:
    made = service.client()
    made.headers["Authorization"] = f"Bearer {token}"
    return made


def new(service: Service) -> dict[str, Any]:
    return {"project": service.project, "dataset": service.dataset, "title": "T", "outputs": [dict(OUTPUT)]}


def test_token_is_shown_once_and_kept_as_a_hash(either: Service) -> None:
    token = make(either, "rosa", "submit")
    assert token not in either.client("rosa").get("/account/tokens").text
    with either.ledger.reading() as session:
        held = session.scalars(select(ApiToken)).one()
        told = session.scalars(select(TrailEntry).where(TrailEntry.action == "add token")).one()
    assert token not in str(vars(held))
    assert token not in told.details
    assert (told.person, json.loads(told.details)["scopes"]) == ("rosa", ["submit"])
    assert not verify(either.ledger).faults


def test_program_does_what_its_scopes_and_its_owner_may(either: Service) -> None:
    reading, handing_in = (program(either, make(either, "rosa", *scopes)) for scopes in ((), ("submit",)))
    assert reading.get("/api/submissions").status_code == 200
    assert reading.post("/api/submissions", json=new(either)).status_code == 403
    made = handing_in.post("/api/submissions", json=new(either))
    assert made.status_code == 201
    address = f"/api/submissions/{made.json()['id']}"
    either.assess("release")
    vote = {"choice": "release", "reason": "Large cells."}
    # Neither by a scope that a researcher cannot have, nor without the scope.
    assert handing_in.post(f"{address}/decisions", json=vote).status_code == 403
    assert handing_in.get(f"{address}/record").status_code == 403
    submitting = program(either, make(either, "chloe", "submit"))
    checking = program(either, make(either, "chloe", "check"))
    assert submitting.post(f"{address}/decisions", json=vote).status_code == 403
    assert checking.post(f"{address}/decisions", json=vote).status_code == 200
    assert checking.post(f"{address}/comments", json={"text": "Fine."}).status_code == 200
    with either.ledger.reading() as session:
        entry = session.scalars(select(TrailEntry).where(TrailEntry.action == "decide")).one()
        number = session.scalars(select(ApiToken.id).order_by(ApiToken.created_at.desc())).first()
    assert entry.person == "chloe"
    assert json.loads(entry.details)["by_token"] == number
    assert not verify(either.ledger).faults


def test_scope_that_the_owner_has_no_use_for_is_refused(service: Service) -> None:
    fields = {"name": "x", "scope": "check", "days": "3", "password": PASSWORD}
    answer = post(service.client("rosa"), "/account/tokens", fields)
    assert answer.status_code == 422
    assert "more than its owner" in answer.text


def test_token_does_no_more_than_its_owner_at_that_moment(service: Service) -> None:
    number = service.ready()
    checking = program(service, make(service, "chloe", "check"))
    assert checking.get(f"/api/submissions/{number}/record").status_code == 200
    with service.ledger.writing() as session:
        people.change_person(session, None, service.ids["chloe"], role=Role.RESEARCHER)
    assert checking.get(f"/api/submissions/{number}").status_code == 404
    vote = {"choice": "release", "reason": "Mine."}
    assert checking.post(f"/api/submissions/{number}/decisions", json=vote).status_code == 404


@pytest.mark.parametrize("end", ["revoked", "expired", "closed", "new password"])
def test_token_that_has_ended_is_nobody(service: Service, end: str) -> None:
    client = program(service, make(service, "rosa", "submit"))
    assert client.get("/api/session").json()["name"] == "rosa"
    with service.ledger.writing() as session:
        held, ada = session.scalars(select(ApiToken)).one(), session.get_one(Person, service.ids["ada"])
        if end == "expired":
            held.expires_at = utc_now() - timedelta(seconds=1)
        elif end == "closed":
            accounts.change_account(session, ada, service.ids["rosa"], "researcher", False)
        elif end == "new password":
            accounts.reset_password(session, ada, service.ids["rosa"])
    if end == "revoked":
        assert post(service.client("rosa"), f"/account/tokens/{held.id}/revoke").status_code == 303
    answer = client.get("/api/session")
    assert answer.status_code == 401
    assert client.post("/api/submissions", json=new(service)).status_code == 401
    if end == "closed":
        with service.ledger.writing() as session:
            accounts.change_account(session, ada, service.ids["rosa"], "researcher", True)
        assert client.get("/api/session").status_code == 401, "opened again, the old token stays ended"


def test_nobody_revokes_the_token_of_somebody_else(service: Service) -> None:
    client = program(service, make(service, "rosa"))
    with service.ledger.reading() as session:
        number = session.scalars(select(ApiToken.id)).one()
    assert post(service.client("ada"), f"/account/tokens/{number}/revoke").status_code == 404
    assert client.get("/api/session").status_code == 200


def test_token_opens_no_page_and_makes_no_other_token(service: Service) -> None:
    client = program(service, make(service, "rosa", "submit"))
    for address in ("/submissions", "/account/tokens", "/account"):
        assert client.get(address).headers["location"].startswith("/log-in")
    assert client.delete("/api/session").status_code == 403
    session = client.get("/api/session").json()
    assert session["csrf"] == ""
    assert client.post("/account/tokens", data={"csrf": "", "name": "x", "days": "1"}).status_code == 303


@pytest.mark.parametrize("header", ["Bearer", "Bearer nonsense", "Bearer \xff", "bearer divulge_"])
def test_wrong_token_is_nobody_even_beside_a_log_in(service: Service, header: str) -> None:
    client = service.client("rosa")
    answer = client.get("/api/submissions", headers={"Authorization": header.encode("latin-1")})
    assert answer.status_code == 401


def test_session_that_was_stolen_makes_no_token_without_the_password(service: Service) -> None:
    answer = post(service.client("rosa"), "/account/tokens", {"name": "x", "days": "3", "password": "wrong"})
    assert answer.status_code == 403
    with service.ledger.reading() as session:
        assert session.scalars(select(ApiToken)).all() == []


def test_what_a_program_takes_away_is_noted_with_its_token(service: Service) -> None:
    number = service.make("released")
    client = program(service, make(service, "rosa"))
    taken = client.get(f"/api/submissions/{number}/release.zip")
    assert taken.headers["content-type"] == "application/zip"
    with service.ledger.reading() as session:
        entry = session.scalars(select(TrailEntry).where(TrailEntry.action == "download")).one()
        token = session.scalars(select(ApiToken.id)).one()
    assert (entry.person, json.loads(entry.details)["what"]) == ("rosa", f"release.zip, by token {token}")


def test_program_hands_in_files(service: Service) -> None:
    client = program(service, make(service, "rosa", "submit"))
    fields = {"project": service.project, "dataset": service.dataset, "title": "Logs"}
    answer = client.post("/api/submissions/files", data=fields, files=[("files", ("a.log", b"AGE  40  26\n"))])
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert [f["use"] for f in made["files"]] == ["supporting"]
    got = client.get(f"/api/submissions/{made['id']}/files/{made['files'][0]['id']}")
    assert got.content == b"AGE  40  26\n"
    # Where nobody is known, nothing that is sent is read.
    stranger = service.client().post("/api/submissions/files", data=fields, files=[("files", ("a.log", b"x"))])
    assert stranger.status_code == 401


def test_page_for_programs_describes_every_operation(service: Service) -> None:
    text = service.client("rosa").get("/api").text
    for path, methods in service.app.openapi()["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in text
    assert "X-CSRF-Token" in json.dumps(service.app.openapi())
