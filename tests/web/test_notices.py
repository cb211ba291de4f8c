"""News by e-mail and by a webhook: told once, told together, and never a word of anybody's or an outcome in it."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from divulge.errors import SpecError, UsageError
from divulge.ledger import releases, workflow
from divulge.ledger.model import Audience, Choice, Notice, Person, utc_now
from divulge.ledger.notices import _next_digest
from divulge.ledger.verify import verify
from divulge.terminal.serve_options import with_others
from divulge.web import Deployment
from divulge.web.notify import Mail, Notifier, Webhook, read_mail, read_webhook
from divulge.web.notify.ways import _signature, check_email
from tests.support.letters import mail_server, receiver
from tests.support.service import CANARY, Service, post

SECRET = "a secret of some length"


def give_addresses(service: Service, **tell: str) -> None:
    with service.ledger.writing() as session:
        for name in ("rosa", "remy", "chloe", "cyril"):
            person = session.get_one(Person, service.ids[name])
            person.email, person.tell = f"{name}@example.org", tell.get(name, "each")


def decide(service: Service, number: int, how: str) -> None:
    with service.ledger.writing() as session:
        if how == "returned":
            workflow.give_back(session, service.ids["chloe"], number, f"Round it. {CANARY}")
            return
        choice = Choice.RELEASE if how == "released" else Choice.REFUSE
        for name in ("chloe", "cyril"):
            workflow.decide(session, service.ids[name], number, choice, CANARY)
        if how == "released":
            releases.release(session, service.ids["chloe"], number, service.ledger.store)
        else:
            workflow.refuse(session, service.ids["chloe"], number)


def mailing(service: Service, port: int, address: str | None = "https://divulge.example") -> Notifier:
    return Notifier(service.ledger, Mail("127.0.0.1", port, "divulge@example.org"), None, address)


def test_checkers_are_told_what_waits_and_the_author_of_a_decision(either: Service) -> None:
    give_addresses(either)
    with mail_server() as (port, letters):
        notifier = mailing(either, port)
        number = either.submit(title=CANARY)
        assert notifier.send_due() == 0, "nobody is told that something was submitted"
        either.assess("release")
        assert notifier.send_due() == 2
        assert {letter["To"] for letter in letters} == {"chloe@example.org", "cyril@example.org"}
        decide(either, number, "released")
        assert notifier.send_due() == 1
        assert letters[-1]["To"] == "rosa@example.org"
        assert notifier.send_due() == 0, "told once"
    assert f"https://divulge.example/submissions/{number}" in letters[-1].get_payload(decode=True).decode()
    assert CANARY not in "".join(letter.as_string() for letter in letters)


def test_author_is_told_the_same_whatever_was_decided_and_nothing_before(service: Service) -> None:
    give_addresses(service)
    told, numbers = [], []
    with mail_server() as (port, letters):
        notifier = mailing(service, port, None)
        for how in ("released", "returned", "refused"):
            numbers.append(number := service.submit(title=f"{CANARY} {how}"))
            service.assess("release" if how == "released" else "refuse")
            with service.ledger.writing() as session:
                workflow.comment(session, service.ids["chloe"], number, CANARY, audience=Audience.CHECKERS)
            notifier.send_due()
            assert "rosa@example.org" not in {letter["To"] for letter in letters[len(told) :] if letter["To"]}
            decide(service, number, how)
            notifier.send_due()
            told.append(next(x for x in reversed(letters) if x["To"] == "rosa@example.org"))
            letters.clear()
            letters.extend(told)
    texts = {re.sub(r"#\d+", "#N", x.get_payload()) for x in told}
    assert len(texts) == 1
    assert {(x["Subject"], x["From"]) for x in told} == {("Divulge: news about submissions", "divulge@example.org")}
    assert CANARY not in "".join(x.as_string() for x in told)


def test_digest_is_one_letter_a_day(service: Service) -> None:
    give_addresses(service, chloe="daily", cyril="never")
    with mail_server() as (port, letters):
        notifier = mailing(service, port)
        for _ in range(3):
            service.ready()
        assert notifier.send_due() == 0
        assert notifier.send_due(utc_now() + timedelta(days=1)) == 1
    assert letters[0]["To"] == "chloe@example.org"
    assert letters[0].get_payload().count("waits for a decision") == 3


def test_digest_goes_out_in_the_morning() -> None:
    assert _next_digest(datetime(2026, 3, 1, 5, 59, tzinfo=UTC)) == datetime(2026, 3, 1, 6, tzinfo=UTC)
    assert _next_digest(datetime(2026, 3, 1, 6, tzinfo=UTC)) == datetime(2026, 3, 2, 6, tzinfo=UTC)


def test_letter_that_could_not_be_sent_is_sent_later(service: Service) -> None:
    give_addresses(service, cyril="never")
    service.ready()
    assert mailing(service, 9).send_due() == 0  # nobody listens at the port where everything is thrown away
    with mail_server() as (port, letters):
        assert mailing(service, port).send_due() == 0, "not at once"
        assert mailing(service, port).send_due(utc_now() + timedelta(minutes=2)) == 1
    assert len(letters) == 1


def test_whoever_changed_their_mind_or_left_is_told_nothing(service: Service) -> None:
    give_addresses(service)
    service.ready()
    with service.ledger.writing() as session:
        session.get_one(Person, service.ids["chloe"]).tell = "never"
        session.get_one(Person, service.ids["cyril"]).is_active = False
    with mail_server() as (port, letters):
        assert mailing(service, port).send_due() == 0
    assert letters == []


def test_comment_is_told_to_the_other_side_and_never_what_it_says(service: Service) -> None:
    give_addresses(service)
    number = service.submit()
    with service.ledger.writing() as session:
        workflow.assign(session, service.ids["chloe"], number, service.ids["cyril"])
        workflow.comment(session, service.ids["chloe"], number, CANARY)
        workflow.comment(session, service.ids["rosa"], number, CANARY)
    with mail_server() as (port, letters):
        assert mailing(service, port).send_due() == 2
    assert {x["To"] for x in letters} == {"rosa@example.org", "cyril@example.org"}
    assert CANARY not in "".join(x.as_string() for x in letters)


def test_webhook_says_that_something_happened_signed_and_no_more(service: Service) -> None:
    with receiver() as (address, got):
        notifier = Notifier(service.ledger, None, Webhook(address, SECRET), None)
        told = []
        for how in ("released", "returned", "refused"):
            number = service.submit(title=CANARY)
            assert notifier.send_due() == 1
            service.assess("refuse")
            assert notifier.send_due() == 0, "how far it is, nobody is told"
            decide(service, number, how)
            assert notifier.send_due() == 1
            told.append(number)
    assert [(json.loads(b)["event"], json.loads(b)["submission"]) for _, _, b in got] == [
        (event, number) for number in told for event in ("submitted", "decided")
    ]
    _, headers, body = got[0]
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["Divulge-Signature"])
    assert found is not None
    assert _signature(SECRET, int(found[1]), body) == found[2]
    assert _signature("another secret", int(found[1]), body) != found[2]
    assert {tuple(sorted(json.loads(b))) for _, _, b in got} == {("at", "event", "id", "submission")}


@pytest.mark.parametrize("status", [302, 404, 500])
def test_webhook_follows_nobody_and_tries_again(service: Service, status: int) -> None:
    service.submit()
    with receiver() as (elsewhere, wrong), receiver(status, elsewhere) as (address, got):
        notifier = Notifier(service.ledger, None, Webhook(address, SECRET), None)
        assert notifier.send_due() == 0
        assert notifier.send_due(utc_now() + timedelta(minutes=1, seconds=1)) == 0
    assert wrong == []
    assert len({json.loads(body)["id"] for _, _, body in got}) == 1
    assert len(got) == 2


def test_webhook_reaches_no_address_that_was_not_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    tried: list[Any] = []
    # A name that stands for an address inside: as where somebody has changed its meaning (RFC 5737).
    answer = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.7", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)
    monkeypatch.setattr(socket, "create_connection", lambda place, **_: tried.append(place) or 1 / 0)
    service.submit()
    notifier = Notifier(service.ledger, None, Webhook("http://localhost/hook", SECRET), None)
    assert notifier.send_due() == 0
    assert tried == []


def test_slow_receiver_is_not_waited_for(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr("divulge.web.notify.ways._POST_SECONDS", 0.3)
    service.submit()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        started = time.thread_time()
        assert Notifier(service.ledger, None, Webhook(address, SECRET), None).send_due() == 0
        assert time.thread_time() - started < 5  # processor seconds: it waits, and does not spin


@pytest.mark.parametrize(
    "text",
    ["a", "a@", "@b", "a b@c.org", "a@b.org\nBcc: c@d.org", "a@b.org,c@d.org", "<a@b.org>", "a@b.org\r", "é@b.org"],
)
def test_what_is_no_address_of_e_mail_is_refused(text: str) -> None:
    if text.strip() != text:
        assert check_email(text) == text.strip()
        return
    with pytest.raises(SpecError):
        check_email(text)


def test_person_says_how_they_are_told(service: Service) -> None:
    client = service.client("chloe")
    assert post(client, "/account/notices", {"email": "chloe@example.org", "tell": "daily"}).status_code == 303
    assert 'value="chloe@example.org"' in client.get("/account").text
    for wrong in ({"email": "x", "tell": "daily"}, {"email": "", "tell": "hourly"}):
        assert post(client, "/account/notices", wrong).status_code == 422


def test_researcher_does_not_choose_where_letters_go(service: Service) -> None:
    rosa, ada, mark = service.client("rosa"), service.client("ada"), "zebedee-4711-19700101@example.org"
    assert post(rosa, "/account/notices", {"email": mark, "tell": "each"}).status_code == 403
    assert mark not in rosa.get("/account").text
    number = service.ids["rosa"]
    given = {"role": "researcher", "is_active": "yes", "email": "rosa@example.org"}
    assert post(ada, f"/people/{number}", given).status_code == 303
    assert post(rosa, "/account/notices", {"tell": "daily"}).status_code == 303
    assert "rosa@example.org" in rosa.get("/account").text
    assert post(ada, f"/people/{number}", {**given, "email": "x"}).status_code == 422
    with service.ledger.reading() as session:
        person = session.get_one(Person, number)
        assert (person.email, person.tell) == ("rosa@example.org", "daily")
    assert verify(service.ledger).faults == ()


def test_old_news_is_forgotten(service: Service) -> None:
    service.submit()
    with service.ledger.writing() as session:
        for notice in session.scalars(select(Notice)):
            notice.created_at = utc_now() - timedelta(days=31)
    service.submit()
    with service.ledger.reading() as session:
        assert len(session.scalars(select(Notice)).all()) == 1


WRONG_WAYS = [
    lambda: read_mail("mail:x", "a@b.org", {}),
    lambda: read_mail("mail", None, {}),
    lambda: read_mail("mail", "a@b.org\nBcc: x@y.org", {}),
    lambda: read_webhook("http://localhost/x", [], {}),
    lambda: read_webhook("http://divulge.example/x", ["10.0.0.1"], {"DIVULGE_WEBHOOK_SECRET": SECRET}),
    lambda: read_webhook("https://divulge.example/x", [], {"DIVULGE_WEBHOOK_SECRET": SECRET}),
    lambda: read_webhook("https://divulge.example/x", ["nonsense"], {"DIVULGE_WEBHOOK_SECRET": SECRET}),
    lambda: read_webhook("file:///etc/passwd", ["10.0.0.1"], {"DIVULGE_WEBHOOK_SECRET": SECRET}),
]


@pytest.mark.parametrize("read", WRONG_WAYS)
def test_way_that_would_tell_others_is_refused(read: Any) -> None:
    with pytest.raises(UsageError):
        read()


def test_ways_are_read_and_do_not_show_their_secrets() -> None:
    held = {"DIVULGE_SMTP_USER": "u", "DIVULGE_SMTP_PASSWORD": "hidden", "DIVULGE_WEBHOOK_SECRET": SECRET}
    mail = read_mail("mail.example:2525", "a@b.org", held)
    hook = read_webhook("https://hooks.example/x", ["10.0.0.0/24"], held)
    assert mail is not None
    assert (mail.host, mail.port, mail.password) == ("mail.example", 2525, "hidden")
    assert hook is not None
    assert (hook.may_reach("10.0.0.9"), hook.may_reach("10.0.1.9"), hook.may_reach("::1")) == (True, False, True)
    assert "hidden" not in repr(mail) + repr(hook)
    assert SECRET not in repr(hook)


def test_command_names_the_machines_that_the_service_speaks_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIVULGE_WEBHOOK_SECRET", SECRET)
    monkeypatch.setenv("DIVULGE_OIDC_SECRET", "s")
    given = {
        "address": "https://divulge.example/",
        "mail": ("mail.example", "divulge@example.org"),
        "webhook": ("https://hooks.example/x", ["10.0.0.5"]),
        "provider": ("https://id.example", "divulge", None),
    }
    found = with_others(Deployment(), **given)  # type: ignore[arg-type]
    assert found.address == "https://divulge.example"
    assert found.mail is not None
    assert found.webhook is not None
    assert found.provider is not None
    for wrong in ({"address": None}, {"address": "divulge.example"}):
        with pytest.raises(UsageError, match="--address"):
            with_others(Deployment(), **{**given, **wrong})  # type: ignore[arg-type]
    plain = with_others(Deployment(), None, (None, None), (None, []), (None, None, None))
    assert plain == Deployment()
