"""The client of Python programs, and other systems: the verdict in their words, their decision in ours."""

from __future__ import annotations

import http.server
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from divulge.client import Client
from divulge.client.calls import as_form
from divulge.errors import LedgerError, NotAllowedError, NotFoundError, SpecError, StateError, UsageError
from divulge.ledger.model import CheckerDecision
from divulge.web import tokens
from divulge.web.hooks import HOOKS
from divulge.web.hooks.hook import Part, Told
from tests.support.service import CANARY, OUTPUT, PASSWORD, Service


def client_of(service: Service, name: str, *scopes: str) -> Client:
    with service.ledger.writing() as session:
        _, text = tokens.make(session, service.ids[name], "a program", scopes, 3, PASSWORD)
    return Client(service.url, text, seconds=120)


def test_program_goes_from_a_submission_to_its_release(service: Service, tmp_path: Path) -> None:
    rosa, chloe, cyril = (
        client_of(service, "rosa", "submit"),
        *(client_of(service, n, "check") for n in ("chloe", "cyril")),
    )
    assert rosa.who_am_i()["name"] == "rosa"
    project, dataset = rosa.projects()[0]["id"], rosa.datasets()[0]["id"]
    number = rosa.submit(project, dataset, "By a program", [OUTPUT], token="once-and-no-more")["id"]
    assert rosa.submit(project, dataset, "By a program", [OUTPUT], token="once-and-no-more")["id"] == number
    with pytest.raises(StateError, match="still submitted"):
        rosa.wait(number, seconds=0.01)
    service.assess("release")
    assert chloe.wait(number, seconds=1, until_ready=True)["verdict"] == "release"
    assert chloe.record(number)["verdict"] == "release"
    for checker in (chloe, cyril):
        checker.decide(number, "Large cells.", outputs={1: "release"})
    cyril.comment(number, "Well done.")
    assert cyril.release(number)["state"] == "released"
    assert rosa.wait(number, seconds=1)["state"] == "released"
    with zipfile.ZipFile(rosa.download(number, tmp_path / "release.zip")) as released:
        assert "files/output-1.csv" in released.namelist()
    assert [line["id"] for line in rosa.submissions(state="released")["items"]] == [number]


def test_program_hands_in_again_what_was_returned_and_withdraws_it(service: Service) -> None:
    rosa, chloe = client_of(service, "rosa", "submit"), client_of(service, "chloe", "check")
    number = rosa.submit(service.project, service.dataset, "T", [OUTPUT])["id"]
    service.assess()
    chloe.give_back(number, "Round it.")
    again = rosa.resubmit(number, "T, rounded", [OUTPUT])["id"]
    assert rosa.withdraw(again)["state"] == "returned"
    with pytest.raises(StateError):
        chloe.refuse(again)


def test_files_are_handed_in_whatever_they_are_called(service: Service, tmp_path: Path) -> None:
    odd = tmp_path / 'tab"le\n1.log'
    odd.write_bytes(b"\r\n--x\r\n\x00\xff")
    made = client_of(service, "rosa", "submit").submit_files(service.project, service.dataset, "Logs", [odd])
    held = made["files"][0]
    assert held["size"] == 9
    kind, body = as_form({"a": "é"}, [("f", "x", b"y")])
    assert kind.split("boundary=")[1].encode() in body


def test_errors_of_the_service_are_raised_as_what_they_are(service: Service) -> None:
    rosa = client_of(service, "rosa")
    with pytest.raises(NotFoundError):
        rosa.submission(10**6)
    with pytest.raises(NotAllowedError, match="token does not allow"):
        rosa.submit(service.project, service.dataset, "T", [OUTPUT])
    with pytest.raises(UsageError, match="nobody is logged in"):
        Client(service.url, "nonsense").projects()
    with pytest.raises(LedgerError, match="does not answer"):
        Client("http://127.0.0.1:9", "x").projects()  # the port at which everything is thrown away: nobody listens


@pytest.mark.parametrize("url", ["http://divulge.example", "ftp://localhost", "divulge.example", "file:///etc"])
def test_token_never_travels_readable(url: str) -> None:
    with pytest.raises(UsageError, match="https"):
        Client(url, "x")


def test_client_does_not_show_its_token() -> None:
    assert "secret" not in repr(Client("http://localhost:1", "secret"))


TOLD = Told(
    7,
    "R-12",
    "review",
    ("One cell is small.",),
    (Part(1, "a", "release", "a.csv"), Part(2, "b", "refuse", "b.csv"), Part(3, "c", "review", "a.csv")),
    ("notes.txt",),
)


def test_verdict_is_told_in_the_words_of_each_system() -> None:
    told = {hook.name: hook.tell(TOLD) for hook in HOOKS}
    # A file is as bad as the worst of what came in it, and what was not assessed is not approved.
    assert told["airlock"]["files"] == [
        {"path": "notes.txt", "vote": "CHANGES_REQUESTED"},
        {"path": "a.csv", "vote": "CHANGES_REQUESTED"},
        {"path": "b.csv", "vote": "CHANGES_REQUESTED"},
    ]
    assert told["airlock"]["comment"]["visibility"] == "PRIVATE"
    assert {n: one["state"] for n, one in told["sacro-viewer"]["review"].items()} == {"a": True, "b": False, "c": None}
    assert told["five-safes-tes"]["subId"] == "R-12"
    assert not any(one["approved"] for one in told["five-safes-tes"]["fileResults"])


DECIDED: dict[str, dict[str, Any]] = {
    "airlock": {
        "files": [{"path": "a.csv", "decision": "APPROVED"}, {"path": "b.csv", "decision": "CHANGES_REQUESTED"}]
    },
    "sacro-viewer": {
        "review": {"a": {"state": True}, "c": {"state": True}, "b": {"state": False}},
        "comment": "See b.",
    },
    "five-safes-tes": {
        "SubId": "R-12",
        "FileResults": [{"FileName": "a.csv", "Approved": True}, {"FileName": "b.csv", "Approved": False}],
    },
}


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_decision_of_each_system_is_read_output_by_output(hook: Any) -> None:
    decided = hook.read(DECIDED[hook.name], TOLD.parts)
    assert decided.outputs == {1: "release", 2: "return", 3: "release"}
    assert decided.reason


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
@pytest.mark.parametrize(
    "document",
    [
        {},
        {"files": "x", "review": [], "fileResults": {}},
        {"files": [], "review": {}, "fileResults": []},
        {"files": [{"path": "a.csv", "decision": "UNDECIDED"}], "review": {"a": {"state": "yes"}}, "fileResults": [{}]},
        {"files": [{"path": 3, "decision": "APPROVED"}], "review": {"a": 1}, "fileResults": [{"approved": True}]},
    ],
)
def test_decision_that_is_not_whole_decides_nothing(hook: Any, document: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        hook.read(document, TOLD.parts)


def test_decision_of_another_system_is_one_vote_of_the_owner_of_the_token(service: Service) -> None:
    number = service.ready()
    chloe, rosa = client_of(service, "chloe", "check"), client_of(service, "rosa", "submit")
    told = chloe.verdict_for(number, "sacro-viewer")
    assert told["verdict"] == "refuse"
    assert CANARY in told["document"]["comment"]
    for system in ("sacro-viewer", "airlock"):
        with pytest.raises(NotAllowedError):
            rosa.verdict_for(number, system)
        with pytest.raises(NotAllowedError):
            rosa.take_decision(number, system, {"status": "RETURNED"})
    chloe.take_decision(number, "sacro-viewer", {"review": {"Age by sex": {"state": True}}, "comment": "Fine there."})
    with service.ledger.reading() as session:
        made = session.scalars(select(CheckerDecision)).one()
    assert (made.person_id, made.choice, made.reason) == (service.ids["chloe"], "release", "Fine there.")
    with pytest.raises(StateError, match="2 checkers"):
        chloe.release(number)
    with pytest.raises(NotFoundError, match="hooks for"):
        chloe.verdict_for(number, "another")


@pytest.fixture
def egress() -> Iterator[tuple[str, list[Any]]]:
    """An egress API that keeps what is posted to it."""
    got: list[Any] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.append((self.path, self.headers["authorization"], json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", got
        server.shutdown()


def test_verdict_is_posted_to_the_egress_api(service: Service, egress: tuple[str, list[Any]]) -> None:
    address, got = egress
    number = service.submit()
    service.assess("release")
    chloe = client_of(service, "chloe", "check")
    path = "/api/Submission/EgressResults"
    assert chloe.post_verdict(number, "five-safes-tes", address, "their token", path=path, reference="17") == 200
    where, by, document = got[0]
    assert (where, by) == (path, "Bearer their token"), "our token is not theirs"
    assert document["subId"] == "17"
    assert [one["approved"] for one in document["fileResults"]] == [True]
