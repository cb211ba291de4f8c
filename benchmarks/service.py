"""The service under load: 200 people browsing while two assessments run, and lists of 10,000 submissions.

And its first report, a page while 1,000 connections say nothing, and its end while everybody browses.

The server, its workers and this generator share the machine, on loopback. A person looks at a page, reads for one to
five seconds, and goes on. What is measured is from the first byte sent to the last byte received.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from divulge.demo import DEMOS
from divulge.ledger import datasets, jobs, people, workflow
from divulge.ledger.database import Ledger, open_ledger
from divulge.ledger.model import Job, JobState, Person, Role, State, Submission, SubmittedOutput, utc_now
from divulge.ledger.proposals import Proposal
from divulge.table import write_table
from divulge.web import Deployment, sessions
from divulge.web.serving import _allow_files
from tests.support.service import FIGURES, record

USERS, SUBMISSIONS = 200, 10_000
LIST_MS, P95_MS = 200, 150
"""What is aimed at: a list alone, and nineteen of twenty pages of the crowd's."""

REPORT_SECONDS, END_SECONDS, IDLE = 1.5, 10.0, 1000
ENDS = int(os.environ.get("SERVICE_ENDS", "5"))
"""How often the service is ended under load; the longest counts."""

WAITING = 60  # assessments that wait: whenever one ends there is another, so that two run all the time

SECONDS = float(os.environ.get("SERVICE_SECONDS", "30"))
READING = (1.0, 5.0)
"""Seconds for which somebody looks at a page."""

LISTS = (
    "/submissions",
    "/submissions?page=200",
    "/submissions?page=400",
    "/submissions?state=ready",
    "/submissions?state=submitted&page=20",
    "/submissions?whose=undecided",
    "/submissions?whose=unassigned&page=50",
    "/submissions?q=table+77",
    "/submissions?q=crosstab",
    "/submissions?q=nothing+has+this+title",
    "/submissions?project=1&dataset=1",
    "/datasets",
    "/datasets/1",
    "/projects",
    "/people",
    "/api/submissions?page=400",
)


@dataclass(frozen=True)
class Place:
    ledger: Ledger
    tokens: dict[str, list[str]]
    dataset: int
    project: int
    assessed: int
    """A submission with an assessment."""


def fill(folder: Path) -> Place:
    """A ledger with people, a real dataset and many submissions in every state."""
    ledger = open_ledger(str(folder / "ledger.sqlite"))
    demo = next(d for d in DEMOS if d.name == "cps")
    table = demo.make()
    write_table(table, folder / "cps.csv")
    tokens: dict[str, list[str]] = {"researcher": [], "checker": [], "administrator": []}
    with ledger.writing() as session:
        project = people.add_project(session, None, "Load").id
        # Many splits: an assessment lasts longer than most of its start.
        settings = {"design": {"kind": "repeated-halves", "splits": 400}}
        dataset = datasets.register(session, None, "cps", folder / "cps.csv", table=table, settings=settings).id
        datasets.open_to(session, None, dataset, project)
        session.connection().execute(
            insert(Person.__table__),
            [
                {"name": f"person-{i}", "role": Role.CHECKER if i % 2 else Role.RESEARCHER, "full_name": f"Person {i}"}
                for i in range(USERS)
            ]
            + [{"name": "admin", "role": Role.ADMINISTRATOR, "full_name": ""}],
        )
        session.flush()
        everybody = list(session.query(Person))
        for person in everybody:
            tokens[person.role].append(sessions.start(session, person, Deployment()))
        authors = [p.id for p in everybody if p.role is Role.RESEARCHER]
        people.add_member(session, None, project, authors[0])
        now, states = utc_now(), [s for s in State if s is not State.ASSESSING]
        session.connection().execute(
            insert(Submission.__table__),
            [
                {
                    "project_id": project,
                    "dataset_id": dataset,
                    "author_id": authors[i % len(authors)],
                    "title": f"Table {i}: income by something",
                    "state": states[i % len(states)],
                    "created_at": now,
                    "changed_at": now,
                }
                for i in range(SUBMISSIONS)
            ],
        )
        document = {"kind": "crosstab", "variables": ["sex", "income"], "compute": True}
        session.connection().execute(
            insert(SubmittedOutput.__table__),
            [
                {
                    "submission_id": i + 1,
                    "number": 1,
                    "name": f"Output {i}",
                    "kind": "crosstab",
                    "document": document,
                    "variables": ["sex", "income"],
                }
                for i in range(SUBMISSIONS)
            ],
        )
        done = {"state": JobState.DONE, "created_at": now}
        session.connection().execute(
            insert(Job.__table__), [{"submission_id": i + 1, **done} for i in range(SUBMISSIONS)]
        )
    with ledger.writing() as session:
        output = {"kind": "crosstab", "variables": ["sex", "income"], "compute": True}
        assessed = workflow.submit(session, authors[0], project, dataset, Proposal("Assessed", [output])).id
    lease = jobs.take_job(ledger, "benchmark")
    assert lease is not None, "it waits"
    lease.finish(record("release"), [FIGURES])
    with ledger.writing() as session:
        for i in range(WAITING):
            output = {"kind": "crosstab", "variables": ["race", "sex", "income"], "compute": True}
            workflow.submit(session, authors[0], project, dataset, Proposal(f"Under way {i}", [output]))
    return Place(ledger, tokens, dataset, project, assessed)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, token: str) -> tuple[int, float]:
    """One request on an open connection: its status and seconds. Barely more than bytes, to leave the cores alone."""
    started = time.perf_counter()
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: divulge={token}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    length = next(int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length"))
    await reader.readexactly(length)
    return int(lines[0].split()[1]), time.perf_counter() - started


async def browse(port: int, token: str, paths: Sequence[str], until: float, seen: list[tuple[int, float]]) -> None:
    choose = random.Random(token)
    await asyncio.sleep(choose.uniform(0, READING[1]))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.monotonic() < until:
        try:
            seen.append(await ask(reader, writer, choose.choice(paths), token))
        except (OSError, asyncio.IncompleteReadError):
            seen.append((0, 0.0))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(choose.uniform(*READING))
    writer.close()


async def crowd(port: int, tokens: Sequence[tuple[str, str]]) -> list[tuple[int, float]]:
    seen: list[tuple[int, float]] = []
    until = time.monotonic() + SECONDS
    # A checker goes from the queue to a submission and to the ledger; a researcher from the list to their own.
    checking = ["/submissions", "/submissions?state=ready", "/submissions?whose=undecided", "/submissions?q=table+77"]
    checking += [f"/submissions/{1 + 37 * i}" for i in range(8)] + ["/datasets/1", "/submissions?page=7"]
    looking = ["/submissions", "/submissions?state=returned", "/submit", "/submit/table?kind=crosstab&dataset=1"]
    paths = {"checker": checking, "researcher": looking}
    await asyncio.gather(*(browse(port, token, paths[role], until, seen) for role, token in tokens))
    return seen


def measure_lists(port: int, place: Place) -> list[dict[str, Any]]:
    async def one(path: str) -> float:
        token = place.tokens["administrator" if path == "/people" else "checker"][0]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found = [await ask(reader, writer, path, token) for _ in range(5)]
        writer.close()
        assert all(status == 200 for status, _ in found), path
        return statistics.median(seconds for _, seconds in found)

    found = [(path, 1000 * asyncio.run(one(path))) for path in LISTS]
    return [{"list": path, "ms": ms, "target ms": LIST_MS, "passed": ms <= LIST_MS} for path, ms in found]


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as made:
        place = fill(Path(made))
        who = [(r, t) for r in ("checker", "researcher") for t in place.tokens[r]]
        with _served(place, workers=0) as (_, port):
            time.sleep(10)  # as long as people take to log in and to find something to read
            lines = [measure_report(port, place), measure_idle(port, place), *measure_lists(port, place)]
        with _served(place, workers=2) as (_, port):
            _wait_until_two_run(place.ledger)
            lines.append(measure_crowd(port, place, who))
        ends = []
        for _ in range(ENDS):
            with _served(place, workers=2) as (server, port):
                _wait_until_two_run(place.ledger)
                ends.append(measure_end(server, port, who))
                print(f"  ended after {ends[-1]:.1f} s, status {server.returncode}", flush=True)
        lines.append(
            {
                "ends under load": ENDS,
                "median s": statistics.median(ends),
                "longest s": max(ends),
                "target s": END_SECONDS,
                "passed": max(ends) <= END_SECONDS,
            }
        )
        place.ledger.close()
        return lines


@contextmanager
def _served(place: Place, workers: int) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`divulge serve` as people start it, and its port; it has ended afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    options = ["--ledger", place.ledger.url, "--port", str(port), "--no-demo", "--workers", str(workers)]
    server = subprocess.Popen([sys.executable, "-m", "divulge", "-q", "serve", *options], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield server, port
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def measure_crowd(port: int, place: Place, who: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Everybody browses while two assessments run."""
    running: list[int] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(2):
            running.append(_running(place.ledger))

    looking = threading.Thread(target=look)
    looking.start()
    seen = asyncio.run(crowd(port, who))
    stop.set()
    looking.join()
    times = sorted(1000 * seconds for _, seconds in seen)
    p95, errors = times[int(0.95 * len(times))], sum(status != 200 for status, _ in seen)
    at_once = statistics.median(running)
    return {
        "users": len(who),
        "requests": len(seen),
        "assessments running": at_once,
        "errors": errors,
        "median ms": statistics.median(times),
        "p95 ms": p95,
        "slowest ms": times[-1],
        "target ms": P95_MS,
        "passed": p95 <= P95_MS and not errors and at_once == 2,
    }


def measure_report(port: int, place: Place) -> dict[str, Any]:
    """The first report that the service draws, and the same again."""

    async def ask_twice() -> list[float]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        path, token = f"/submissions/{place.assessed}/report", place.tokens["checker"][0]
        found = [await ask(reader, writer, path, token) for _ in range(2)]
        writer.close()
        assert all(status == 200 for status, _ in found)
        return [seconds for _, seconds in found]

    first, again = asyncio.run(ask_twice())
    return {"first report s": first, "again s": again, "target s": REPORT_SECONDS, "passed": first <= REPORT_SECONDS}


def measure_idle(port: int, place: Place) -> dict[str, Any]:
    """Pages while many connections are open and say nothing."""

    async def among_the_idle() -> list[tuple[int, float]]:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(IDLE)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found = [await ask(reader, writer, "/submissions", place.tokens["checker"][0]) for _ in range(20)]
        for _, one in [*idle, (reader, writer)]:
            one.close()
        return found

    _allow_files()
    found = asyncio.run(among_the_idle())
    errors, slowest = sum(status != 200 for status, _ in found), 1000 * max(seconds for _, seconds in found)
    return {
        "idle connections": IDLE,
        "pages": len(found),
        "errors": errors,
        "slowest ms": slowest,
        "passed": not errors,
    }


def measure_end(server: subprocess.Popen[bytes], port: int, who: Sequence[tuple[str, str]]) -> float:
    """How many seconds the service takes to end while everybody browses and two assessments run."""

    async def ended() -> float:
        crowd_at_work = asyncio.create_task(crowd(port, who))
        await asyncio.sleep(READING[1])
        started = time.monotonic()
        server.send_signal(signal.SIGTERM)
        await asyncio.to_thread(server.wait, 60)
        seconds = time.monotonic() - started
        crowd_at_work.cancel()
        await asyncio.gather(crowd_at_work, return_exceptions=True)
        return seconds

    return asyncio.run(ended())


def _running(ledger: Ledger) -> int:
    with ledger.reading() as session:
        return session.query(Job).where(Job.state == JobState.RUNNING).count()


def _wait_until_two_run(ledger: Ledger) -> None:
    """Until both work. On a machine that is busy with other things that may take minutes."""
    for _ in range(360):
        if _running(ledger) == 2:
            return
        time.sleep(0.5)


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
