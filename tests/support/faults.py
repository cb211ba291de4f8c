"""Scripted runs of the service in which something is killed at a random moment, again and again.

A program of its own (`in_a_program`): what it kills it has forked, and only a program without threads can fork safely.
Runs with an odd seed are on PostgreSQL.

In a run two clients (each stands for a server process) hand in, decide and release, all of it again where they were
killed before they knew that it had worked; two workers assess. One after another a client, a worker or PostgreSQL is
killed with -9 and started again. In the end nothing may be lost, nothing done twice, and the trail must be whole.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from divulge.errors import DivulgeError, StateError
from divulge.ledger import releases, workflow
from divulge.ledger.database import open_ledger
from divulge.ledger.model import (
    CheckerDecision,
    Choice,
    Job,
    JobState,
    Release,
    State,
    StoredAssessment,
    Submission,
)
from divulge.ledger.verify import verify
from divulge.ledger.worker import Limits, Worker
from tests.support.ledgers import Templates, World, open_world
from tests.support.postgres import Cluster

SUBMISSIONS = 3
KILLS = 4
PATIENCE = 5000
"""Looks, fifty a second, after which a run that has not ended has gone wrong; it takes about 250. Not seconds,
since the machine may be put to sleep meanwhile."""

HURRIED = Limits(seconds=60, poll=0.05, lease=1.5, heartbeat=0.2)
"""A lease that ends soon, so that a run does not wait a minute for every worker that was killed."""


@dataclass
class Run:
    """One run: its ledger, the processes by name, and what is wrong in the end."""

    seed: int
    url: str
    folder: Path
    server: Cluster | None
    pids: dict[str, int] = field(default_factory=dict)
    killed: Counter[str] = field(default_factory=Counter)

    def start(self, name: str) -> None:
        """Fork a process that does its part and ends."""
        pid = os.fork()
        if pid:
            self.pids[name] = pid
            return
        code = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            (_work if name.startswith("worker") else _act)(self, name)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def kill(self, name: str) -> None:
        self.killed["postgresql" if name == "postgresql" else name.rstrip("12")] += 1
        if name == "postgresql":
            assert self.server is not None, "only then it is chosen"
            self.server.kill()
            self.server.start()
            return
        os.kill(self.pids[name], signal.SIGKILL)
        os.waitpid(self.pids[name], 0)
        self.start(name)

    def has_ended(self, name: str) -> bool:
        return os.waitpid(self.pids[name], os.WNOHANG)[0] != 0


def _work(run: Run, name: str) -> None:
    ledger = _patiently(lambda: open_ledger(run.url, store=run.folder / "store"))
    target, prepare = "tests.support.ledger_work:quick", "tests.support.ledger_work:prepare"
    Worker(ledger, threading.Event(), HURRIED, target=target, prepare=prepare).run()


def _act(run: Run, name: str) -> None:
    """Do everything that is left to do, until everything is released. What was told to somebody is written down."""
    world = _patiently(lambda: open_world(run.url, run.folder / "store"))
    told = (run.folder / f"{name}.told").open("a", encoding="utf-8")

    def tell(*words: object) -> None:
        told.write(json.dumps(words) + "\n")
        told.flush()
        os.fsync(told.fileno())

    for i in range(SUBMISSIONS):
        token = f"{run.seed}-{name}-{i}"
        tell("submitted", _patiently(lambda t=token: world.submit(token=t)))
    while not _patiently(lambda: _advance(world, name, tell)):
        time.sleep(0.05)


def _advance(world: World, name: str, tell: Callable[..., None]) -> bool:
    """One round over all submissions; whether all are released. Both clients try everything: one of them is late."""
    with world.ledger.reading() as session:
        found = {s.id: s.state for s in session.scalars(select(Submission))}
        failed = set(session.scalars(select(Job.submission_id).where(Job.state == JobState.FAILED)))
    for number, state in found.items():
        if state is State.SUBMITTED and number in failed:
            # Killed three times in a row; a checker asks for it again.
            _try(world, lambda s, n: workflow.assess(s, world.person["checker"], n), number)
        if state is not State.READY:
            continue
        for who in ("checker", "second") if name == "client1" else ("second", "checker"):
            if _try(world, lambda s, n, w=who: _decide(s, world, w, n), number):
                tell("decided", number, who)
        if _try(world, lambda s, n: releases.release(s, world.person["checker"], n, world.ledger.store), number):
            tell("released", number)
    return len(found) == 2 * SUBMISSIONS and all(state is State.RELEASED for state in found.values())


def _decide(session: Any, world: World, who: str, number: int) -> object:
    return workflow.decide(session, world.person[who], number, Choice.RELEASE, "Fine.")


def _try(world: World, action: Callable[..., object], number: int) -> bool:
    try:
        with world.ledger.writing() as session:
            action(session, number)
    except StateError:
        return False
    return True


def _patiently(action: Callable[[], Any]) -> Any:
    while True:
        try:
            return action()
        except DBAPIError:
            time.sleep(0.1)
        except DivulgeError as error:
            if "cannot be opened" not in error.message:
                raise
            time.sleep(0.1)


def faults_of(run: Run) -> list[str]:
    """What is wrong after a run, in words."""
    ledger = open_ledger(run.url, store=run.folder / "store")
    told = [json.loads(line) for p in run.folder.glob("*.told") for line in p.read_text(encoding="utf-8").splitlines()]
    wrong = [f.what for f in verify(ledger).faults]
    with ledger.reading() as session:
        submissions = {s.id: s for s in session.scalars(select(Submission))}
        decisions = Counter((d.submission_id, d.person_id) for d in session.scalars(select(CheckerDecision)))
        released = Counter(r.submission_id for r in session.scalars(select(Release)))
        done = [j.id for j in session.scalars(select(Job)) if j.state is JobState.DONE]
        active = [j.id for j in session.scalars(select(Job)) if j.is_active]
        results = Counter(a.job_id for a in session.scalars(select(StoredAssessment)))
        # Every release makes verdicts about the same people stale, and these are assessed again: on what is new.
        bases = Counter(
            (a.submission_id, json.dumps(a.basis, sort_keys=True)) for a in session.scalars(select(StoredAssessment))
        )
    ledger.close()
    if len(submissions) != 2 * SUBMISSIONS:
        wrong.append(f"{len(submissions)} submissions instead of {2 * SUBMISSIONS}")
    wrong += [f"submission {t[1]} is lost" for t in told if t[0] == "submitted" and t[1] not in submissions]
    wrong += [f"submission {i} is {s.state}" for i, s in submissions.items() if s.state is not State.RELEASED]
    wrong += [f"{n} decisions of one checker on one submission" for n in decisions.values() if n > 1]
    if len(decisions) != 2 * len(submissions):
        wrong.append(f"{len(decisions)} decisions on {len(submissions)} submissions")
    once = Counter((t[0], *t[1:]) for t in told if t[0] in ("decided", "released"))
    wrong += [f"{words} was told twice" for words, n in once.items() if n > 1]
    wrong += [f"submission {i} was released {n} times" for i, n in released.items() if n > 1]
    if results != Counter(done):
        wrong.append(f"jobs that are done {sorted(done)}, results of jobs {sorted(results.elements())}")
    wrong += [f"submission {i} was assessed {n} times on the same basis" for (i, _), n in bases.items() if n > 1]
    wrong += [f"job {i} is still active" for i in active]
    return wrong


def one_run(seed: int, templates: Templates, server: Cluster | None) -> dict[str, Any]:
    """One run with kills at random moments; what was killed how often, and what is wrong in the end."""
    chance = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="divulge-faults-"))
    run = Run(seed, templates.copy("world", server), folder, server)
    started = time.monotonic()
    names = ["worker1", "worker2", "client1", "client2"]
    for name in names:
        run.start(name)
    clients = {"client1", "client2"}
    kills = sorted(chance.uniform(0.05, 2.5) for _ in range(KILLS))
    looks = 0
    try:
        while clients and looks < PATIENCE:
            looks += 1
            if kills and time.monotonic() - started > kills[0]:
                kills.pop(0)
                alive = ["worker1", "worker2", *sorted(clients), *(["postgresql"] if server else [])]
                run.kill(chance.choice(alive))
            for name in sorted(clients):
                if run.has_ended(name):
                    clients.discard(name)
            time.sleep(0.02)
        wrong = ["it did not end"] if clients else faults_of(run)
    finally:
        for name in (*clients, "worker1", "worker2"):
            os.kill(run.pids[name], signal.SIGKILL)
            os.waitpid(run.pids[name], 0)
        shutil.rmtree(folder, ignore_errors=True)
    return {"seed": seed, "killed": dict(run.killed), "wrong": wrong, "seconds": time.monotonic() - started}


def many_runs(seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A run for each seed, those of odd seeds on a PostgreSQL of their own."""
    folder = Path(tempfile.mkdtemp(prefix="divulge-faults-"))
    templates, server = Templates(folder), Cluster() if any(seed % 2 for seed in seeds) else None
    try:
        for seed in seeds:
            yield one_run(seed, templates, server if seed % 2 else None)
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    for run in many_runs([int(word) for word in sys.argv[1:]]):
        print(json.dumps(run), flush=True)


def in_a_program(seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The same in a program of its own, as it must be where there are threads; each run as it ends.

    By -c, not by -m: the process of a job imports the program that started it, and this one takes a while.
    """
    words = [sys.executable, "-c", "from tests.support.faults import main; main()", *map(str, seeds)]
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    root = Path(__file__).parents[2]
    with subprocess.Popen(words, env=one_thread, cwd=root, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None, "asked for"
        for line in program.stdout:
            yield json.loads(line)
    assert program.returncode == 0, "what went wrong is on standard error"
