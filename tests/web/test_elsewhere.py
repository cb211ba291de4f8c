"""Log-ins at a provider: the linked account and no other, whatever a stranger or a wrong provider says."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from divulge.errors import DivulgeError, UsageError
from divulge.ledger.model import Identity, Person, TrailEntry
from divulge.ledger.verify import verify
from divulge.web import Deployment, accounts
from divulge.web.oidc import Begun, Provider, read_provider
from tests.support.provider import CLIENT, SECRET, LocalProvider, local_provider
from tests.support.service import PASSWORD, Service, build, post

ADDRESS = "http://localhost:8765"


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with local_provider() as made:
        yield made


def serve(tmp_path: Path, provider: LocalProvider, claim: str | None = None) -> Service:
    named = Provider(provider.issuer, CLIENT, SECRET, claim)
    return build(tmp_path, Deployment(address=ADDRESS, provider=named))


@pytest.fixture
def service(tmp_path: Path, provider: LocalProvider) -> Iterator[Service]:
    made = serve(tmp_path, provider)
    yield made
    made.close()


def come_back(client: httpx.Client, provider: LocalProvider, **claims: Any) -> httpx.Response:
    """Begin in a browser, log in at the provider, and come back."""
    begun = client.get("/log-in/elsewhere?next=/projects")
    assert begun.status_code == 303
    state, code = provider.log_in(begun.headers["location"], **claims)
    return client.get(f"/log-in/back?state={state}&code={code}")


def link(service: Service, provider: LocalProvider, name: str, **claims: Any) -> httpx.Response:
    """Link somebody's account from its page."""
    client = service.client(name)
    page = post(client, "/account/identities", {"password": PASSWORD})
    assert page.status_code == 200, page.text
    found = re.search(r'href="(http://127[^"]+)"', page.text)
    assert found is not None
    state, code = provider.log_in(found[1].replace("&amp;", "&"), **claims)
    return client.get(f"/log-in/back?state={state}&code={code}")


def who(client: httpx.Client) -> str | None:
    answer = client.get("/api/session")
    return answer.json()["name"] if answer.status_code == 200 else None


def test_account_that_its_owner_linked_is_logged_in(service: Service, provider: LocalProvider) -> None:
    stranger = service.client()
    assert "Log in with your organisation" in stranger.get("/log-in").text
    refused = come_back(stranger, provider, sub="u-17", email="rosa@example.org", email_verified=True)
    assert refused.status_code == 403
    assert who(stranger) is None
    assert link(service, provider, "rosa", sub="u-17").headers["location"] == "/account?done=linked"
    assert provider.issuer in service.client("rosa").get("/account").text
    answer = come_back(stranger, provider, sub="u-17")
    assert answer.headers["location"] == "/projects"
    assert who(stranger) == "rosa"
    with service.ledger.reading() as session:
        entry = session.scalars(select(TrailEntry).where(TrailEntry.action == "link")).one()
    assert (entry.person, json.loads(entry.details)["by"]) == ("rosa", "account")
    assert not verify(service.ledger).faults


def test_address_that_people_choose_themselves_lets_nobody_in(tmp_path: Path, provider: LocalProvider) -> None:
    service = serve(tmp_path, provider, claim="email")
    assert post(service.client("chloe"), "/account/notices", {"email": "ada@example.org", "tell": "each"}).is_redirect
    answer = come_back(service.client(), provider, sub="u-1", email="ada@example.org", email_verified=True)
    assert answer.status_code == 403
    service.close()


@pytest.mark.parametrize(
    ("claim", "claims", "is_in"),
    [
        ("email", {"email": "rosa@example.org", "email_verified": True}, True),
        ("email", {"email": "rosa@example.org", "email_verified": False}, False),
        ("email", {"email": "rosa@example.org", "email_verified": "true"}, False),
        ("email", {"email": "rosa@example.org"}, False),
        ("email", {"email": ["rosa@example.org"], "email_verified": True}, False),
        ("preferred_username", {"preferred_username": "rosa@example.org"}, True),
        ("preferred_username", {"email": "rosa@example.org", "email_verified": True}, False),
        (None, {"email": "rosa@example.org", "email_verified": True}, False),
    ],
)
def test_claim_counts_only_where_it_was_named_and_an_administrator_wrote_its_value(
    tmp_path: Path, provider: LocalProvider, claim: str | None, claims: dict[str, Any], is_in: bool
) -> None:
    service = serve(tmp_path, provider, claim)
    with service.ledger.writing() as session:
        session.get_one(Person, service.ids["rosa"]).proxy_name = "rosa@example.org"
    client = service.client()
    come_back(client, provider, sub="u-1", **claims)
    assert who(client) == ("rosa" if is_in else None)
    service.close()


WRONG: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://elsewhere.example"},
    "for another service": {"aud": "another"},
    "for several, by another": {"aud": [CLIENT, "another"], "azp": "another"},
    "an old one": {"exp": 1, "iat": 1},
    "of another log-in": {"nonce": "another"},
    "of no log-in": {"nonce": None},
    "of nobody": {"sub": None},
    "from the future": {"nbf": int(time.time()) + 3600},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_statement_that_is_not_in_order_lets_nobody_in(
    service: Service, provider: LocalProvider, wrong: dict[str, Any]
) -> None:
    link(service, provider, "rosa", sub="u-17")
    provider.wrong = wrong
    client = service.client()
    assert come_back(client, provider, sub="u-17").status_code == 403
    assert who(client) is None


@pytest.mark.parametrize("signed_by", ["another key", "our secret", "nobody"])
def test_statement_that_the_provider_did_not_sign_lets_nobody_in(
    service: Service, provider: LocalProvider, signed_by: str
) -> None:
    link(service, provider, "rosa", sub="u-17")
    provider.signed_by = signed_by
    client = service.client()
    assert come_back(client, provider, sub="u-17").status_code == 403
    assert who(client) is None


def test_code_of_another_browser_logs_nobody_in(service: Service, provider: LocalProvider) -> None:
    link(service, provider, "rosa", sub="u-17")
    mine, theirs = service.client(), service.client()
    begun = mine.get("/log-in/elsewhere")
    state, code = provider.log_in(begun.headers["location"], sub="u-17")
    # Without a log-in of its own, with one of its own, and the right one with a code that was made up.
    assert theirs.get(f"/log-in/back?state={state}&code={code}").status_code == 403
    theirs.get("/log-in/elsewhere")
    assert theirs.get(f"/log-in/back?state={state}&code={code}").status_code == 403
    assert mine.get(f"/log-in/back?state={state}&code=made-up").status_code == 403
    assert who(theirs) is None
    assert who(mine) is None


def test_stranger_links_nothing_to_the_account_of_somebody_else(service: Service, provider: LocalProvider) -> None:
    # remy begins to link; the way back is opened in rosa's browser, which holds no log-in elsewhere of its own.
    remy, rosa = service.client("remy"), service.client("rosa")
    page = post(remy, "/account/identities", {"password": PASSWORD})
    address = re.search(r'href="(http://127[^"]+)"', page.text)[1].replace("&amp;", "&")  # type: ignore[index]
    state, code = provider.log_in(address, sub="intruder")
    assert rosa.get(f"/log-in/back?state={state}&code={code}").status_code == 403
    # And with remy's cookie in rosa's browser, as from another host of the domain: it is of remy's log-in.
    rosa.cookies.set("divulge-elsewhere", remy.cookies["divulge-elsewhere"], domain="localhost.local", path="/log-in")
    assert rosa.get(f"/log-in/back?state={state}&code={code}").status_code == 403
    with service.ledger.reading() as session:
        assert session.scalars(select(Identity)).all() == []


def test_log_in_is_linked_with_one_account_and_needs_the_password(service: Service, provider: LocalProvider) -> None:
    assert post(service.client("rosa"), "/account/identities", {"password": "wrong"}).status_code == 403
    link(service, provider, "rosa", sub="u-17")
    assert link(service, provider, "remy", sub="u-17").status_code == 409
    with service.ledger.reading() as session:
        held = session.scalars(select(Identity)).one()
    assert held.person_id == service.ids["rosa"]
    assert post(service.client("remy"), f"/account/identities/{held.id}/remove").status_code == 404
    assert post(service.client("rosa"), f"/account/identities/{held.id}/remove").status_code == 303
    client = service.client()
    assert come_back(client, provider, sub="u-17").status_code == 403


@pytest.mark.parametrize("end", ["closed", "new password"])
def test_account_that_is_closed_or_was_lost_is_not_logged_in(
    service: Service, provider: LocalProvider, end: str
) -> None:
    link(service, provider, "rosa", sub="u-17")
    with service.ledger.writing() as session:
        ada = session.get_one(Person, service.ids["ada"])
        if end == "closed":
            accounts.change_account(session, ada, service.ids["rosa"], "researcher", False)
        else:
            accounts.reset_password(session, ada, service.ids["rosa"])
    client = service.client()
    assert come_back(client, provider, sub="u-17").status_code == 403
    assert who(client) is None


def test_way_on_after_a_log_in_is_a_page_of_ours(service: Service, provider: LocalProvider) -> None:
    link(service, provider, "rosa", sub="u-17")
    client = service.client()
    begun = client.get("/log-in/elsewhere?next=//elsewhere.example")
    state, code = provider.log_in(begun.headers["location"], sub="u-17")
    assert client.get(f"/log-in/back?state={state}&code={code}").headers["location"] == "/"


def test_provider_that_is_away_is_said_and_nothing_breaks(tmp_path: Path) -> None:
    away = Provider("http://127.0.0.1:9", CLIENT, SECRET)  # where everything is thrown away: nobody listens
    service = build(tmp_path, Deployment(address=ADDRESS, provider=away))
    assert service.client().get("/log-in/elsewhere").status_code == 503
    service.close()


@pytest.mark.parametrize("text", [None, "", "nonsense", "e30=", "bnVsbA==", "\xff", "eyJzdGF0ZSI6IDF9"])
def test_cookie_that_somebody_made_up_is_none(text: str | None) -> None:
    assert Begun.read(text) is None


def test_provider_is_read_with_what_it_needs() -> None:
    assert read_provider(None, None, None, None) is None
    for given in (("https://id.example", None, None, SECRET), ("https://id.example", CLIENT, None, "")):
        with pytest.raises(UsageError):
            read_provider(*given)
    with pytest.raises(DivulgeError, match="https"):
        read_provider("http://id.example", CLIENT, None, SECRET)
    found = read_provider("https://id.example", CLIENT, "email", SECRET)
    assert found is not None
    assert SECRET not in repr(found)
