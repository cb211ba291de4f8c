"""`divulge serve` itself killed with -9 at random moments, and restored from a backup in the middle.

In a run two programs (clients with tokens) hand in, decide and release, each thing again where it is not known whether
it has worked. The service with its workers is killed again and again. Once in the middle it is killed, backed up and
restored into the other database (SQLite, PostgreSQL), where it goes on. In the end everything is released, nothing is
lost, nothing was done twice, and the audit trail is whole. `SERVE_FAULTS` says how many runs, `SERVE_FAULTS_AT_ONCE`
how many at the same time, and `SERVE_FAULTS_MINUTES` after how long no other is begun. Every run is kept in
`.venv/validation/serve_faults.jsonl` as it ends, and the next call goes on from there; remove the file to start anew.
"""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import psutil
from sqlalchemy import select

from benchmarks.validation.results import keep
from divulge.client import Client
from divulge.errors import DivulgeError, LedgerError, NotAllowedError, StateError
from divulge.ledger import datasets, people
from divulge.ledger.backup import back_up, restore
from divulge.ledger.database import Ledger, open_ledger
from divulge.ledger.model import CheckerDecision, Job, JobState, Release, Role, StoredAssessment, Submission
from divulge.ledger.verify import verify
from divulge.web import tokens
from tests.support.postgres import Cluster

RUNS = int(os.environ.get("SERVE_FAULTS", "100"))
AT_ONCE = int(os.environ.get("SERVE_FAULTS_AT_ONCE", "2"))
MINUTES = float(os.environ.get("SERVE_FAULTS_MINUTES", "90"))
SEED = 5000
SUBMISSIONS, KILLS = 3, 4
PATIENCE = 900.0
"""Seconds after which a run that has not ended has gone wrong; it takes about 40 on a quiet machine."""

KEPT = Path(sys.prefix) / "validation" / "serve_faults.jsonl"
OUTPUT = {"kind": "crosstab", "variables": ["SEX"], "compute": True}
ROWS = "AGE,SEX\n" + "".join(f"{40 + i % 2},{'FM'[i // 2 % 2]}\n" for i in range(200))


@dataclass
class Run:
    """A ledger with people and data, the service over it, and what the programs were told."""

    seed: int
    folder: Path
    ledger: Ledger
    server: Cluster
    project: int = 0
    dataset: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    told: list[tuple[Any, ...]] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)
    process: subprocess.Popen[bytes] | None = None
    port: int = 0

    def fill(self) -> None:
        (self.folder / "people.csv").write_text(ROWS, encoding="utf-8")
        with self.ledger.writing() as session:
            self.project = people.add_project(session, None, "Faults").id
            quick = {"design": {"kind": "repeated-halves", "splits": 2, "curve": False}, "measures": ["TCAP"]}
            made = datasets.register(session, None, "people", self.folder / "people.csv", settings=quick)
            datasets.open_to(session, None, made.id, self.project)
            self.dataset = made.id
            for name, role, scope in (
                ("rosa", Role.RESEARCHER, "submit"),
                ("chloe", Role.CHECKER, "check"),
                ("cyril", Role.CHECKER, "check"),
            ):
                person = people.add_person(session, None, name, role)
                people.add_member(session, None, self.project, person.id)
                self.texts[name] = tokens.make(session, person.id, "faults", [scope], 2, "")[1]

    def start(self) -> None:
        """Start `divulge serve`, and wait until it answers."""
        with socket.create_server(("127.0.0.1", 0)) as held:
            self.port = held.getsockname()[1]
        words = [
            sys.executable,
            "-m",
            "divulge",
            "-q",
            "serve",
            "--no-demo",
            "--workers",
            "1",
            "--port",
            str(self.port),
        ]
        places = {"DIVULGE_LEDGER": self.ledger.url, "DIVULGE_STORE": str(self.ledger.store.folder)}
        self.process = subprocess.Popen(words, env={**os.environ, **places}, stdout=subprocess.DEVNULL)
        last = time.monotonic() + PATIENCE
        while time.monotonic() < last:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                self._hurry()
                return
            time.sleep(0.1)
        raise AssertionError("the service did not start")

    def _hurry(self) -> None:
        """Workers stand back, and beside other work that takes minutes; whoever may takes it from them."""
        assert self.process is not None, "started"
        for one in psutil.Process(self.process.pid).children(recursive=True):
            with suppress(psutil.Error, OSError):
                one.nice(0)
                Path(f"/proc/{one.pid}/autogroup").write_text("0", encoding="ascii")

    def kill(self) -> None:
        """kill -9 of the service. Its workers notice that it has gone, and end."""
        assert self.process is not None, "started"
        started = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.wait()
        for one in psutil.wait_procs(started, timeout=60)[1]:
            with suppress(psutil.Error):
                one.kill()
        self.killed["service"] += 1

    def move(self) -> None:
        """Kill it, back up, and go on in the other database with what was restored."""
        self.kill()
        archive = self.folder / "backup.tar"
        back_up(self.ledger, archive)
        was_sqlite = self.ledger.engine.dialect.name == "sqlite"
        self.ledger.close()
        name = f"faults_{self.seed}"
        if was_sqlite:
            self.server.run(f"CREATE DATABASE {name}")
        given = self.server.url(name) if was_sqlite else str(self.folder / "restored.sqlite")
        self.ledger, _ = restore(given, self.folder / "restored.files", archive)
        self.killed["restored"] += 1
        self.start()

    def client(self, name: str) -> Client:
        return Client(f"http://127.0.0.1:{self.port}", self.texts[name], seconds=60)


def one_run(seed: int, server: Cluster) -> dict[str, Any]:
    """One run; what was killed how often, and what is wrong in the end."""
    chance, started = random.Random(seed), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="divulge-faults-") as made:
        folder = Path(made)
        if seed % 2:
            server.run(f"CREATE DATABASE faults_{seed}")
        given = server.url(f"faults_{seed}") if seed % 2 else str(folder / "ledger.sqlite")
        run = Run(seed, folder, open_ledger(given, store=folder / "ledger.files"), server)
        run.fill()
        run.start()
        kills = [chance.uniform(0.5, 6.0) for _ in range(KILLS)]
        moves = chance.randrange(KILLS)
        try:
            while not _advance(run) and time.monotonic() - started < PATIENCE:
                if kills and _wait_or_advance(run, kills[0]):
                    kills.pop(0)
                    if len(kills) == moves:
                        run.move()
                    else:
                        run.kill()
                        run.start()
            wrong = _faults(run)
        finally:
            run.kill()
            run.ledger.close()
    return {"seed": seed, "killed": dict(run.killed), "wrong": wrong, "seconds": time.monotonic() - started}


def _wait_or_advance(run: Run, seconds: float) -> bool:
    """Go on for so long; whether there is still something to do then."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if _advance(run):
            return False
        time.sleep(0.1)
    return True


def _advance(run: Run) -> bool:
    """One round: hand in, decide, release. Whether everything is released. What was refused has happened already."""
    rosa, checkers = run.client("rosa"), {name: run.client(name) for name in ("chloe", "cyril")}

    def tell(*words: Any) -> Callable[[], None]:
        return lambda: run.told.append(words)

    for i in range(SUBMISSIONS):
        token = f"faults-{run.seed}-{i}"
        found = _try(lambda t=token: rosa.submit(run.project, run.dataset, "T", [OUTPUT], token=t))
        if found is not None:
            tell("submitted", found["id"])()
    listed = _try(lambda: checkers["chloe"].submissions())
    for line in listed["items"] if listed is not None else ():
        if line["state"] != "ready":
            continue
        number = line["id"]
        for name, checker in checkers.items():
            if _try(lambda c=checker, n=number: c.decide(n, "Fine.", choice="release")) is not None:
                tell("decided", number, name)()
        if _try(lambda n=number: checkers["chloe"].release(n)) is not None:
            tell("released", number)()
    items = listed["items"] if listed is not None else []
    return len(items) == SUBMISSIONS and all(line["state"] == "released" for line in items)


def _try(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (StateError, LedgerError, NotAllowedError):
        return None
    except DivulgeError as error:
        raise AssertionError(f"{type(error).__name__}: {error}") from None


def _faults(run: Run) -> list[str]:
    wrong = [fault.what for fault in verify(run.ledger).faults]
    with run.ledger.reading() as session:
        submissions = {s.id: s.state for s in session.scalars(select(Submission))}
        decisions = Counter(
            (d.submission_id, d.person_id, d.assessment_id) for d in session.scalars(select(CheckerDecision))
        )
        released = Counter(session.scalars(select(Release.submission_id)))
        done = set(session.scalars(select(Job.id).where(Job.state == JobState.DONE)))
        results = Counter(session.scalars(select(StoredAssessment.job_id)))
    if len(submissions) != SUBMISSIONS:
        wrong.append(f"{len(submissions)} submissions instead of {SUBMISSIONS}")
    wrong += [f"submission {n} is {state}" for n, state in submissions.items() if state != "released"]
    wrong += [f"{words} is lost" for words in run.told if words[0] == "submitted" and words[1] not in submissions]
    wrong += [f"{words} is lost" for words in run.told if words[0] == "released" and words[1] not in released]
    wrong += [f"submission {n} was released {times} times" for n, times in released.items() if times > 1]
    told = Counter(words for words in run.told if words[0] == "released")
    wrong += [f"{words} was told twice" for words, times in told.items() if times > 1]
    wrong += [f"{times} decisions of one checker on one assessment" for times in decisions.values() if times > 1]
    if set(results) != done or any(times > 1 for times in results.values()):
        wrong.append(f"jobs that are done {sorted(done)}, results of jobs {sorted(results.elements())}")
    return wrong


def runs() -> list[dict[str, Any]]:
    """Every run, those that were kept and those that were still to be done; none is begun after MINUTES."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    kept = {run["seed"]: run for run in map(json.loads, lines)}
    seeds = range(SEED, SEED + RUNS)
    last = time.monotonic() + 60 * MINUTES
    server, one_writes = Cluster(), Lock()

    def run(seed: int) -> None:
        if time.monotonic() > last:
            return
        found = one_run(seed, server)
        with one_writes, KEPT.open("a", encoding="utf-8") as file:
            kept[seed] = found
            print(json.dumps(found), flush=True)
            file.write(json.dumps(found) + "\n")

    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(run, [seed for seed in seeds if seed not in kept]))
    finally:
        server.stop()
    return [kept[seed] for seed in seeds if seed in kept]


def check() -> list[str]:
    found = runs()
    killed: Counter[str] = Counter()
    for run in found:
        killed.update(run["killed"])
    wrong = [f"run {run['seed']}: {what}" for run in found for what in run["wrong"]]
    seconds = [run["seconds"] for run in found]
    summary = {
        "runs": len(found),
        "wanted": RUNS,
        "killed": dict(killed),
        "wrong": len(wrong),
        "longest_s": max(seconds, default=0.0),
    }
    keep("serve_faults", found, summary)
    assert not wrong, "; ".join(wrong[:5])
    said = ", ".join(f"{name} {n} times" for name, n in sorted(killed.items()))
    whole = f"{len(found)} of {RUNS} runs of divulge serve, {said}; nothing lost, nothing done twice, the trail whole"
    return [f"{whole}; the longest took {max(seconds):.0f} s" if seconds else "no run has ended yet"]
