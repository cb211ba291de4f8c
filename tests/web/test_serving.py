"""`divulge serve` as a process: how it ends, and what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
import uvicorn
from sqlalchemy import select, update

from divulge.ledger import datasets
from divulge.ledger.model import BrowserSession, Job, JobState, Person, State, Submission, utc_now
from divulge.ledger.verify import verify
from divulge.ledger.worker import Worker
from divulge.web import serving, sessions
from tests.support.service import Service


def _wait(until: Callable[[], object], seconds: float = 240) -> bool:
    """Whether it came true in time; a worker stands back, and on a busy machine takes long to import everything."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if until():
            return True
        time.sleep(0.05)
    return False


@contextmanager
def served(service: Service) -> Iterator[tuple[subprocess.Popen[bytes], list[psutil.Process]]]:
    """`divulge serve` on the service's ledger, and the processes that it has started; all gone at the end."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    command = [sys.executable, "-m", "divulge", "-q", "serve", "--no-demo", "--ledger", service.ledger.url]
    server = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL)
    started: list[psutil.Process] = []
    try:
        assert _wait(lambda: _answers(port))
        started += psutil.Process(server.pid).children(recursive=True)
        assert len(started) >= 1
        for one in started:
            # Workers stand back, and beside other tests that takes minutes; whoever may takes it from them.
            with suppress(psutil.Error, OSError):
                one.nice(0)
                Path(f"/proc/{one.pid}/autogroup").write_text("0", encoding="ascii")
        yield server, started
    finally:
        _kill([*started, server])


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_job_of_a_service_that_ends_or_is_killed_is_put_back_and_done_later(
    service: Service, how: signal.Signals
) -> None:
    with service.ledger.writing() as session:
        # Enough splits for some seconds: the end comes amid them.
        settings = {"design": {"kind": "repeated-halves", "splits": 150, "curve": False}}
        datasets.change_settings(session, session.get_one(Person, service.ids["dora"]), service.dataset, settings)
    made = service.submit()
    with served(service) as (server, started):
        assert _wait(lambda: _finished_splits(service))
        started += started[0].children(recursive=True)
        server.send_signal(how)
        assert server.wait(30) == (0 if how is signal.SIGTERM else -how)
        assert psutil.wait_procs(started, timeout=10)[1] == []
    job = _job(service)
    # At once: nobody waits for the lease to run out.
    assert (job.state, job.attempts, job.lease) == (JobState.QUEUED, 0, None)
    assert _finished_splits(service)
    if how is signal.SIGTERM:
        Worker(service.ledger, threading.Event()).run(once=True)
        with service.ledger.reading() as session:
            assert session.get_one(Submission, made).state is State.READY
    assert verify(service.ledger).faults == ()


def _finished_splits(service: Service) -> list[Path]:
    return list(service.ledger.store.work_folder(1).rglob("[!.]*.npz"))


def _job(service: Service) -> Job:
    with service.ledger.reading() as session:
        return session.scalars(select(Job)).one()


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
    service.app.state.last_use.write()
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


DRAWING = """
import sys, time
from pathlib import Path
from divulge.web import rendering

if __name__ == "__main__":
    renderer = rendering.Renderer(Path(sys.argv[1]))
    try:
        renderer.report("none", "no record")
    except ValueError:
        pass
    print("drawn", flush=True)
    time.sleep(60)
"""


def test_process_that_draws_reports_ends_with_a_killed_server(tmp_path: Path) -> None:
    program = tmp_path / "drawing.py"
    program.write_text(DRAWING, encoding="utf-8")
    server = subprocess.Popen([sys.executable, str(program), str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == b"drawn\n"
        started = psutil.Process(server.pid).children(recursive=True)
        assert started
        # As from a terminal, to everything that it started: that is the server's to answer.
        for one in started:
            one.send_signal(signal.SIGINT)
        assert psutil.wait_procs(started, timeout=0.5)[0] == []
        server.kill()
        assert psutil.wait_procs(started, timeout=10)[1] == []
    finally:
        _kill([server])
        server.stdout.close()  # type: ignore[union-attr]


def test_what_the_service_holds_from_its_start_is_not_looked_through_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every page waits while hundreds of thousands of objects are looked through, again and again."""

    async def listen(*_: object) -> None:
        pass

    monkeypatch.setattr(uvicorn.Server, "startup", listen)
    server = serving._Server(uvicorn.Config(service.app), serving.Workers(service.ledger, 0))
    try:
        asyncio.run(server.startup())
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
