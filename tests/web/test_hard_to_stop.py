"""Nobody stops the service for the others: not by what they send, nor how slowly, nor by wrong passwords."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from sqlalchemy import func, select, text

from divulge.cli import main
from divulge.errors import BusyError, SpecError, TooLargeError
from divulge.ledger.database import open_ledger
from divulge.ledger.model import LogInAttempt, Person
from divulge.ledger.verify import verify
from divulge.table import Variable
from divulge.terminal.serve_demo import Account, first_accounts
from divulge.web import connections, guard, parsing, serving
from divulge.web.serving import Place, Workers, _allow_files, _server_config
from tests.support.service import PASSWORD, Service, api_headers, post, token_in

TABLE = "outputs:\n  - kind: crosstab\n    variables: [AGE, SEX]\n    compute: true\n"
MODEL = "outputs:\n  - kind: linear\n    compute: true\n    formula: AGE ~ "

HOSTILE = {
    "3,000 brackets": f"{TABLE}    where: {'(' * 3000}AGE > 40{')' * 3000}\n",
    "5,000 times not": f"{TABLE}    where: {'not ' * 5000}AGE > 40\n",
    "a number of 5,000 digits": f"{TABLE}    decimals: {'9' * 5000}\n",
    "a quotation that does not end": f'{TABLE}    where: "AGE == \'x"\n',
    "a spec that does not end": "outputs: '",
    "NUL": f'{TABLE}    name: "a\\0b"\n',
    "half a character": f'{TABLE}    name: "\\ud800"\n',
    "50,000 brackets": "[" * 50_000,
    "braces": "{" * 2000,
}


def _hand_in(client: httpx.Client, service: Service, spec: str) -> Any:
    data = {"title": "x", "project": str(service.project), "dataset": str(service.dataset), "text": spec}
    return post(client, "/submit/spec", data)


def test_whatever_is_handed_in_is_refused_in_words(service: Service) -> None:
    rosa = service.client("rosa")
    for what, spec in HOSTILE.items():
        answer = _hand_in(rosa, service, spec)
        assert (answer.status_code, what) == (422, what)
    headers = {**api_headers(rosa), "content-type": "application/json"}
    asked = {"title": "x", "project": service.project, "dataset": service.dataset, "outputs": [{"kind": "crosstab"}]}
    for raw in ("[" * 100_000, '{"a":' * 50_000, json.dumps(asked).replace('"x"', "9" * 5000), '{"title":"x'):
        assert 400 <= rosa.post("/api/submissions", content=raw, headers=headers).status_code < 500
    asked["outputs"] = [{"kind": "crosstab", "variables": ["AGE"], "compute": True, "where": "(" * 3000}]
    assert rosa.post("/api/submissions", json=asked, headers=headers).status_code == 422
    for half in ({"name": "\ud800"}, {"\udfff": 1}, {"kind": "\ud800"}, {"where": "SEX == '\ud800'"}, {"name": "a\0b"}):
        asked["outputs"] = [{"kind": "crosstab", "variables": ["AGE"], "compute": True, **half}]
        assert rosa.post("/api/submissions", content=json.dumps(asked), headers=headers).status_code == 422, half
    # As much as is read before the connection is cut: enough to be too much, not so much that no answer arrives.
    assert 400 <= rosa.get("/submissions", headers={"x-long": "a" * 100_000}).status_code < 500
    assert rosa.get("/submissions").status_code == 200


def test_reading_ends_after_so_much_time_and_memory(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "SECONDS", 1.0)
    answer = _hand_in(service.client("rosa"), service, f"{MODEL}(SEX + AGE) ** 9999999\n")
    assert answer.status_code == 422
    assert "longer than 1 seconds" in answer.text
    with pytest.raises(TooLargeError, match="memory"):
        parsing.within_limits(bytearray, 8 << 30)
    with pytest.raises(SpecError, match="cannot be read"):
        parsing.within_limits(int, "x")


def test_nobody_has_two_things_read_at_once_and_few_are_read_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with parsing.one_at_a_time(1):
        with pytest.raises(BusyError, match="before"), parsing.one_at_a_time(1):
            pass
        with parsing.one_at_a_time(2):
            pass
    with parsing.one_at_a_time(1):
        pass
    monkeypatch.setattr(parsing, "_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(parsing, "_turns", threading.Semaphore(0))
    with pytest.raises(BusyError, match="too much"):
        parsing.within_limits(str, "x")


def test_looking_up_every_value_takes_time_in_proportion() -> None:
    variable = Variable("ID", "categorical", [f"person {i}" for i in range(50_000)])
    start = time.process_time()
    assert [variable.code(f"person {i}") for i in range(50_000)] == list(range(50_000))
    # A tenth of a second where each look-up is one step, several minutes where each reads all values.
    assert time.process_time() - start < 20


class _Served:
    """The service as `divulge serve` runs it, in a thread."""

    def __init__(self, service: Service) -> None:
        held = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.port = held.getsockname()[1]
        self.server = uvicorn.Server(_server_config(service.app, Place()))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [held]}, daemon=True)
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            time.sleep(0.01)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


def test_thousand_idle_connections_keep_nobody_out(service: Service) -> None:
    _allow_files()
    served = _Served(service)
    with ExitStack() as held:
        for _ in range(1000):
            held.enter_context(served.connect())
        for _ in range(5):
            assert httpx.get(f"http://127.0.0.1:{served.port}/log-in", timeout=60).status_code == 200
    served.close()


@pytest.mark.parametrize("begun", [b"", b"GET /log-in HTTP/1.1\r\nHost: 127."], ids=["nothing", "half a head"])
def test_connection_that_does_not_go_on_is_closed(
    service: Service, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections.PatientProtocol, "head_seconds", 0.2)
    served = _Served(service)
    with served.connect() as link:
        link.sendall(begun)
        assert link.recv(1000) == b""
    # Nor after a first request on the same connection.
    with served.connect() as link:
        link.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answer = b""
        while not answer.endswith(b"</svg>\n"):
            answer += link.recv(100_000)
        link.sendall(b"GET /")
        assert link.recv(100_000) == b""
    served.close()


def test_body_that_stops_coming_is_refused(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.2)
    served = _Served(service)
    with served.connect() as link:
        link.sendall(b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        assert link.recv(100_000).startswith(b"HTTP/1.1 408")
        while link.recv(100_000):
            pass
    served.close()


def _log_in(client: httpx.Client, name: str, password: str) -> int:
    token = token_in(client.get("/log-in").text)
    return client.post("/log-in", data={"name": name, "password": password, "csrf": token}).status_code


def test_stranger_who_guesses_does_not_lock_out_whoever_was_here_before(service: Service) -> None:
    known = service.client("ada")
    post(known, "/log-out")
    with service.ledger.writing() as session:
        session.add_all(LogInAttempt(name="ada", address=f"192.0.2.{i}") for i in range(60))
        session.add_all(LogInAttempt(name=f"x{i}", address="127.0.0.1") for i in range(60))
    assert _log_in(service.client(), "ada", PASSWORD) == 429
    assert _log_in(known, "ada", PASSWORD) == 303
    # The mark of one person's browser is worth nothing for another's name, nor after a new password.
    other = service.client()
    for name, value in known.cookies.items():
        if "device" in name:
            other.cookies.set(name, value)
    assert _log_in(other, "remy", PASSWORD) == 429
    with service.ledger.writing() as session:
        session.scalars(select(Person).where(Person.name == "ada")).one().password_hash = "$argon2id$other"
    assert _log_in(other, "ada", PASSWORD) == 429


def test_administrator_gets_a_new_password_on_the_command_line(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    with service.ledger.writing() as session:
        session.add_all(LogInAttempt(name="ada", address="127.0.0.1") for _ in range(20))
    url = service.ledger.url
    with pytest.raises(SystemExit) as end:
        main(["people", "reset-password", "ada", "--ledger", url, "--json"])
    assert end.value.code == 0
    password = json.loads(capsys.readouterr().out)["password"]
    assert _log_in(service.client(), "ada", password) == 303
    assert verify(service.ledger).faults == ()
    with pytest.raises(SystemExit) as end:
        main(["people", "reset-password", "nobody", "--ledger", url])
    assert end.value.code == 2


def test_first_password_that_could_not_be_told_does_not_count(tmp_path: Path) -> None:
    def full(_: list[Account]) -> None:
        raise OSError(28, "No space left on device")

    told: list[Account] = []
    with open_ledger(str(tmp_path / "a.sqlite")) as ledger:
        with pytest.raises(OSError, match="No space"):
            first_accounts(ledger, False, full)
        with ledger.reading() as session:
            assert session.scalar(select(func.count()).select_from(Person)) == 0
        first_accounts(ledger, False, told.extend)
        assert [a.name for a in told] == ["admin"]
        first_accounts(ledger, False, lambda more: told.extend(more))
        assert len(told) == 1


def test_nobody_else_of_the_machine_reads_anything(service: Service) -> None:
    number = service.make("released")
    assert service.client("chloe").get(f"/submissions/{number}/report").status_code == 200
    store = service.ledger.store
    assert any(store.reports_folder.iterdir())
    everything = [store.folder, *store.folder.rglob("*"), *service.folder.glob("ledger.sqlite*")]
    inner = [p for p in everything if p.is_file() or p in (store.folder, store.reports_folder)]
    assert {p.name: oct(p.stat().st_mode & 0o077) for p in inner if p.stat().st_mode & 0o077} == {}


def test_health_knows_whether_the_database_answers(service: Service) -> None:
    client = service.client()
    assert client.get("/health").status_code == 200
    with service.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        connection.execute(text("ALTER TABLE trail_head RENAME TO gone"))
    assert client.get("/health").status_code == 503


def test_end_does_not_wait_for_a_thread_that_computes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(serving, "_END_SECONDS", 0.05)
    monkeypatch.setattr(os, "_exit", lambda _: ended.set())
    last: list[int] = []
    monkeypatch.setattr(signal, "alarm", last.append)
    workers = Workers(service.ledger, 0)
    slow = _SlowWorker()
    workers._running = [slow]  # type: ignore[list-item]
    server = serving._Server(_server_config(service.app, Place()), workers)
    server.handle_exit(15, None)
    assert workers.stop.is_set()
    assert service.app.state.stopping
    assert ended.wait(60)
    assert slow.is_killed
    assert last == [serving._LAST_SECONDS], "the system ends what threads that compute keep from ending"


class _SlowWorker:
    """A worker on a machine so busy that it does not even come to its end when it is killed."""

    is_killed = False

    def send_signal(self, _: int) -> None:
        pass

    def kill(self) -> None:
        self.is_killed = True

    def wait(self) -> None:
        raise AssertionError("it is waited for")


def test_end_that_is_asked_for_while_it_starts_is_not_forgotten(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_END_SECONDS", 1e6)
    monkeypatch.setattr(signal, "alarm", lambda _: None)
    monkeypatch.setattr(Workers, "start", lambda _: signal.raise_signal(signal.SIGTERM))
    again = threading.Timer(60, signal.raise_signal, [signal.SIGTERM])
    again.start()
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    serving.serve(service.app, Place(port=port), Workers(service.ledger, 0))
    assert again.is_alive(), "it ended only when it was asked again"
    again.cancel()
