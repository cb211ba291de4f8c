"""`divulge serve` as a process: how it ends, and what it leaves behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import psutil
import pytest
from sqlalchemy import select, update

from divulge.ledger.model import BrowserSession, utc_now
from divulge.web import sessions
from tests.web.service import Service


def _wait(until: Callable[[], object], seconds: float = 60) -> bool:
    """Whether it came true in time; a busy machine takes many seconds to start a process that imports everything."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if until():
            return True
        time.sleep(0.05)
    return False


def _children(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def test_stopped_service_leaves_no_process_behind(service: Service) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    command = [sys.executable, "-m", "divulge", "-q", "serve", "--no-demo", "--ledger", service.ledger.url]
    server = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL)
    started: list[psutil.Process] = []
    try:
        assert _wait(lambda: _answers(port))
        started = _children(server.pid)
        assert len(started) >= 1
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert psutil.wait_procs(started, timeout=5)[1] == []
    finally:
        _kill([*started, server])


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _kill(processes: Sequence[psutil.Process | subprocess.Popen[bytes]]) -> None:
    for one in processes:
        with suppress(psutil.Error, ProcessLookupError):
            one.kill()
            one.wait()


def test_log_in_in_use_is_written_down_after_the_page(service: Service) -> None:
    client = service.client("rosa")
    earlier = utc_now() - 2 * sessions.SEEN_EVERY
    with service.ledger.writing() as session:
        session.execute(update(BrowserSession).values(seen_at=earlier))
    with service.ledger.writing():
        # Whoever writes for long keeps nobody from a page: this would wait for the transaction, and it for us.
        assert client.get("/submissions").status_code == 200
    service.app.state.seen.write()
    with service.ledger.reading() as session:
        assert session.scalars(select(BrowserSession.seen_at)).one() > earlier


def test_what_nobody_foresaw_is_answered_and_the_connection_kept(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    value = str(service.project + 471_100)

    def fail(*_: object) -> None:
        raise RuntimeError(value)

    client = service.client("chloe")
    client.get("/submissions")
    monkeypatch.setattr("divulge.web.views.queue.list_submissions", fail)
    answer = client.get("/submissions")
    monkeypatch.undo()
    assert answer.status_code == 500
    assert answer.headers.get("connection") != "close"
    assert "RuntimeError" in caplog.text
    assert "test_serving.py" in caplog.text
    assert value not in answer.text + caplog.text
