"""Who gets in and who does not: passwords, cookies, tokens, proxies, and the headers that browsers obey."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, update

from divulge.errors import UsageError
from divulge.ledger import people
from divulge.ledger.model import BrowserSession, LogInAttempt, Person, utc_now
from divulge.web import Deployment, passwords, sessions
from divulge.web.deployment import parse_networks
from divulge.web.guard import safe_next
from divulge.web.serving import Place
from tests.support.service import PASSWORD, Service, api_headers, build, post, token_in


def _try(client: httpx.Client, name: str, password: str, onward: str = "/") -> httpx.Response:
    token = token_in(client.get("/log-in").text)
    return client.post("/log-in", data={"name": name, "password": password, "csrf": token, "next": onward})


def test_cookie_is_out_of_reach_of_scripts_and_kept_as_a_hash_alone(service: Service) -> None:
    client = service.client()
    cookie = _try(client, "rosa", PASSWORD).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    token = client.cookies["divulge"]
    with service.ledger.reading() as session:
        held = session.scalars(select(BrowserSession)).one()
    assert held.token_hash == sessions.hashed(token)
    assert token not in vars(held).values()


def test_stolen_cookie_is_worth_nothing_after_log_out(service: Service) -> None:
    client, thief = service.client("rosa"), service.client()
    thief.cookies.set("divulge", client.cookies["divulge"])
    assert thief.get("/submissions").status_code == 200
    assert post(client, "/log-out").status_code == 303
    assert thief.get("/submissions").status_code == 303
    assert thief.get("/api/submissions").status_code == 401


@pytest.mark.parametrize("column", ["seen_at", "expires_at"], ids=["idle", "old"])
def test_log_in_ends_when_idle_and_when_old(service: Service, column: str) -> None:
    client = service.client("rosa")
    with service.ledger.writing() as session:
        session.execute(update(BrowserSession).values({column: utc_now() - timedelta(hours=2)}))
    assert client.get("/submissions").status_code == 303


def test_closed_account_is_logged_out(service: Service) -> None:
    client, admin = service.client("rosa"), service.client("ada")
    post(admin, f"/people/{service.ids['rosa']}", {"role": "researcher"})
    assert client.get("/submissions").status_code == 303
    assert _try(service.client(), "rosa", PASSWORD).status_code == 401


def test_wrong_names_and_wrong_passwords_are_told_apart_by_nobody(service: Service) -> None:
    texts = []
    for name in ("rosa", "nobody-at-all"):
        answer = _try(service.client(), name, "wrong")
        assert answer.status_code == 401
        texts.append(answer.text.split("<main")[1].split("<form")[0])
    assert texts[0] == texts[1]


def test_sixth_attempt_is_held_back_even_with_the_right_password(service: Service) -> None:
    client = service.client()
    for _ in range(5):
        assert _try(client, "rosa", "wrong").status_code == 401
    assert _try(client, "rosa", PASSWORD).status_code == 429
    # Somebody else at the same address is not.
    assert _try(client, "remy", PASSWORD).status_code == 303
    with service.ledger.writing() as session:
        session.execute(update(LogInAttempt).values(at=utc_now() - sessions.WINDOW))
    assert _try(service.client(), "rosa", PASSWORD).status_code == 303


def test_form_without_its_token_does_nothing(service: Service) -> None:
    client, number = service.client("rosa"), service.submit()
    for token in (None, "", "wrong", service.client("remy").get("/account").text[-10:]):
        data = {"text": "Hello"} | ({} if token is None else {"csrf": token})
        assert client.post(f"/submissions/{number}/comment", data=data).status_code == 403
    assert client.post("/api/submissions", json={}).status_code in (403, 422)
    assert client.post(f"/api/submissions/{number}/comments", json={"text": "Hello"}).status_code == 403
    assert "Nobody has said anything yet" in client.get(f"/submissions/{number}").text


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}],
    ids=["other origin", "no origin", "cross site"],
)
def test_form_from_another_site_is_refused_even_with_a_token(service: Service, headers: dict[str, str]) -> None:
    client, number = service.client("rosa"), service.submit()
    assert post(client, f"/submissions/{number}/comment", {"text": "Hello"}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "onward",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "\\\\evil",
    ],
)
def test_nobody_is_sent_to_another_site(service: Service, onward: str) -> None:
    assert safe_next(onward) == "/"
    assert _try(service.client(), "rosa", PASSWORD, onward).headers["location"] == "/"


def test_log_in_goes_on_to_the_page_that_was_asked_for(service: Service) -> None:
    client = service.client()
    asked = client.get("/submissions?state=ready")
    assert asked.headers["location"] == "/log-in?next=%2Fsubmissions%3Fstate%3Dready"
    assert _try(client, "rosa", PASSWORD, "/submissions?state=ready").headers["location"] == "/submissions?state=ready"


def test_every_answer_carries_the_headers_that_browsers_obey(service: Service) -> None:
    client = service.client("chloe")
    for path in ("/submissions", "/log-in", "/nowhere", "/api/submissions", "/static/style.css", "/health"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


def test_report_has_an_origin_of_its_own_and_reaches_nothing(service: Service) -> None:
    number = service.ready()
    policy = service.client("chloe").get(f"/submissions/{number}/report").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-same-origin" not in policy
    assert "connect-src" not in policy


def test_pages_hold_no_script_and_no_style_of_their_own(service: Service) -> None:
    number = service.ready()
    client = service.client("chloe")
    for path in ("/submissions", f"/submissions/{number}", "/submit/table?kind=crosstab", "/datasets/1"):
        text = client.get(path).text
        assert " style=" not in text
        assert "<style" not in text
        assert text.count("<script") == 1
        assert " on" + "click" not in text


def test_name_that_is_not_ours_is_refused(service: Service) -> None:
    assert service.client().get("/log-in", headers={"host": "rebound.example"}).status_code == 403


def test_first_password_is_changed_before_anything_else(service: Service) -> None:
    admin = service.client("ada")
    told = post(admin, f"/people/{service.ids['rosa']}/password")
    given = told.text.split('<code id="told">')[1].split("<")[0]
    client = service.client()
    assert _try(client, "rosa", given).headers["location"] == "/account"
    assert client.get("/submissions").headers["location"] == "/account"
    assert client.get("/api/submissions").status_code == 403
    wrong = post(client, "/account", {"old": given, "new": "short", "again": "short"})
    assert wrong.status_code == 422
    new = "three words and rain"
    assert post(client, "/account", {"old": given, "new": new, "again": new}).status_code == 303
    assert client.get("/submissions").status_code == 200
    assert _try(service.client(), "rosa", given).status_code == 401


def test_new_password_logs_out_other_browsers_but_not_this_one(service: Service) -> None:
    here, there = service.client("rosa"), service.client("rosa")
    new = "three words and rain"
    post(here, "/account", {"old": PASSWORD, "new": new, "again": new})
    assert here.get("/submissions").status_code == 200
    assert there.get("/submissions").status_code == 303


def test_passwords_that_are_easy_to_guess_are_refused() -> None:
    for wrong in ("short", "aaaaaaaaaaaaaa", "my name is rosa", "x" * 201):
        with pytest.raises(UsageError):
            passwords.check_new(wrong, "rosa")
    passwords.check_new(passwords.new_password(), "rosa")


def test_api_logs_in_and_out(service: Service) -> None:
    client = service.client()
    assert client.post("/api/session", json={"name": "rosa", "password": "wrong"}).status_code == 401
    assert client.post("/api/session", json={"name": "rosa", "password": PASSWORD}).json()["role"] == "researcher"
    assert client.get("/api/submissions").status_code == 200
    assert client.delete("/api/session").status_code == 403
    assert client.delete("/api/session", headers=api_headers(client)).status_code == 204
    assert client.get("/api/submissions").status_code == 401


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[Service]:
    settings = Deployment(proxies=parse_networks(["127.0.0.1"]), user_header="X-Remote-User")
    made = build(tmp_path, settings)
    with made.ledger.writing() as session:
        session.get_one(Person, made.ids["rosa"]).proxy_name = "rosa@tre"
    yield made
    made.close()


def test_trusted_proxy_names_who_is_asking(proxied: Service) -> None:
    client = proxied.client()
    assert client.get("/submissions").status_code == 303
    answer = client.get("/submissions", headers={"X-Remote-User": "rosa@tre"})
    assert answer.status_code == 200
    assert "Rosa" in answer.text
    # The cookie alone is not enough: who is logged out at the proxy is logged out here.
    assert client.get("/submissions").status_code == 303
    # Another name on the same cookie is another person.
    assert client.get("/submissions", headers={"X-Remote-User": "stranger"}).status_code == 403
    token = token_in(client.get("/submit/spec", headers={"X-Remote-User": "rosa@tre"}).text)
    sent = client.post("/log-out", data={"csrf": token}, headers={"X-Remote-User": "rosa@tre"})
    assert sent.status_code == 303
    assert client.post("/log-in", data={"name": "rosa", "password": PASSWORD}).status_code == 403


def test_header_from_anybody_else_is_nothing(tmp_path: Path) -> None:
    settings = Deployment(proxies=parse_networks(["192.0.2.7"]), user_header="X-Remote-User")
    made = build(tmp_path, settings)
    with made.ledger.writing() as session:
        session.get_one(Person, made.ids["rosa"]).proxy_name = "rosa@tre"
    assert made.client().get("/submissions", headers={"X-Remote-User": "rosa@tre"}).status_code == 303
    made.close()


def test_exposed_service_needs_tls_or_a_proxy(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="passwords would travel readable"):
        Place("0.0.0.0").settings([], [], None)
    with pytest.raises(UsageError, match="together"):
        Place("0.0.0.0", certificate=tmp_path / "a.pem").settings([], [], None)
    with pytest.raises(UsageError, match="believed"):
        Place("127.0.0.1", behind_proxy=True).settings([], [], "X-Remote-User")
    assert not Place("127.0.0.1").settings([], [], None).secure
    behind = Place("0.0.0.0", behind_proxy=True).settings(["divulge.example"], ["10.0.0.0/8"], "X-Remote-User")
    assert behind.secure
    assert behind.trusts("10.1.2.3")
    assert not behind.trusts("192.0.2.1")


def test_secure_cookies_carry_the_prefix_that_binds_them_to_the_host(tmp_path: Path) -> None:
    made = build(tmp_path, Deployment(secure=True))
    answer = _try(made.client(), "rosa", PASSWORD)
    # Over plain HTTP the browser does not send the form's cookie back, so nobody logs in unprotected.
    assert answer.status_code == 403
    assert "Secure" in answer.headers["set-cookie"]
    made.close()


def test_roles_in_the_form_are_words_from_the_list(service: Service) -> None:
    admin = service.client("ada")
    assert post(admin, "/people", {"name": "x", "role": "emperor"}).status_code == 422
    with service.ledger.writing() as session:
        assert session.scalar(select(Person).where(Person.name == "x")) is None
        people.add_person(session, None, "x", people.Role.CHECKER)
