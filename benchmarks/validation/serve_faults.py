"""`divulge serve` itself killed with -9 at random moments, and restored from a backup in the middle.

Programs (clients with tokens) hand in, decide and release, each thing again where it is not known whether it has
worked. In a run the service with its workers is killed once or more: while it starts, within milliseconds of a request
that changes something, or while it assesses. In every other run it is then backed up and restored into the other
database (SQLite, PostgreSQL), where it goes on. At the end of every run everything that was handed in is released,
nothing is lost, nothing was done twice, and the audit trail is whole. Runs follow each other on one ledger, so that a
start serves two of them, and what went wrong in one is still found in the next.

`SERVE_FAULTS` says how many runs, `SERVE_FAULTS_AT_ONCE` how many ledgers at the same time, `SERVE_FAULTS_SEED` the
first seed, and `SERVE_FAULTS_MINUTES` after how long no other is begun. Every run is kept in
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
from threading import Lock, Timer
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
SEED = int(os.environ.get("SERVE_FAULTS_SEED", "7000"))
PATIENCE = 300.0
"""Seconds after which a run that has not ended has gone wrong; it takes about 7 on a quiet machine."""

AT_A_REQUEST = 0.04  # seconds within which a request that changes something is answered: a kill falls before or after
ASSESSING = 4.0  # seconds that an assessment takes, with the start of its process
STARTING = 3.0  # and the service
MOMENTS = ("submit", "assess", "decide", "release", "start")
"""What is under way when the service is killed."""

KEPT = Path(sys.prefix) / "validation" / "serve_faults.jsonl"
OUTPUT = {"kind": "crosstab", "variables": ["SEX"], "compute": True}
ROWS = "AGE,SEX\n" + "".join(f"{40 + i % 2},{'FM'[i // 2 % 2]}\n" for i in range(200))


@dataclass
class Place:
    """A ledger with people and data, the service over it, and what the programs were told."""

    number: int
    folder: Path
    ledger: Ledger
    server: Cluster
    project: int = 0
    dataset: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    handed_in: int = 0
    told: list[tuple[Any, ...]] = field(default_factory=list)
    moves: int = 0
    process: subprocess.Popen[bytes] | None = None
    workers: list[psutil.Process] = field(default_factory=list)
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

    def begin(self) -> None:
        """Start `divulge serve`."""
        with socket.create_server(("127.0.0.1", 0)) as held:
            self.port = held.getsockname()[1]
        words = [sys.executable, "-m", "divulge", "-q", "serve", "--no-demo", "--workers", "1"]
        places = {"DIVULGE_LEDGER": self.ledger.url, "DIVULGE_STORE": str(self.ledger.store.folder)}
        self.process = subprocess.Popen(
            [*words, "--port", str(self.port)], env={**os.environ, **places}, stdout=subprocess.DEVNULL
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.begin()
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
        """kill -9 of the service, where nobody has killed it yet. Its workers notice that it has gone, and end."""
        assert self.process is not None, "started"
        self.look()
        self.process.kill()
        self.process.wait()
        for one in psutil.wait_procs(self.workers, timeout=60)[1]:
            with suppress(psutil.Error):
                one.kill()
        self.workers = []

    def look(self) -> None:
        """See which processes the service has started, while it is there to be asked."""
        assert self.process is not None, "started"
        with suppress(psutil.Error):
            self.workers = psutil.Process(self.process.pid).children(recursive=True) or self.workers

    def move(self) -> None:
        """Back up, and go on in the other database with what was restored."""
        archive, self.moves = self.folder / f"backup-{self.moves}.tar", self.moves + 1
        back_up(self.ledger, archive)
        was_sqlite = self.ledger.engine.dialect.name == "sqlite"
        self.ledger.close()
        name = f"faults_{self.number}_{self.moves}"
        if was_sqlite:
            self.server.run(f"CREATE DATABASE {name}")
        given = self.server.url(name) if was_sqlite else str(self.folder / f"{name}.sqlite")
        self.ledger, _ = restore(given, self.folder / f"{name}.files", archive)
        archive.unlink()

    def client(self, name: str) -> Client:
        return Client(f"http://127.0.0.1:{self.port}", self.texts[name], seconds=60)


def one_run(place: Place, seed: int) -> dict[str, Any]:
    """One run; when it was killed, and what is wrong in the end."""
    chance, started = random.Random(seed), time.monotonic()
    moment, moves = MOMENTS[seed % len(MOMENTS)], chance.random() < 0.5
    wanted = [f"faults-{seed}-{i}" for i in range(2 if chance.random() < 0.2 else 1)]
    place.handed_in += len(wanted)
    kills = 1
    if moment == "start":
        place.kill()
        place.begin()
        time.sleep(chance.uniform(0.1, STARTING))
        kills += 1
    else:
        _until(place, wanted, moment, chance)
    place.kill()
    if moves:
        place.move()
    place.start()
    while not _advance(place, wanted) and time.monotonic() - started < PATIENCE:
        time.sleep(0.1)
    killed = {"service": kills, "restored": int(moves)}
    wrong, seconds = _faults(place), time.monotonic() - started
    return {"seed": seed, "moment": moment, "killed": killed, "wrong": wrong, "seconds": seconds}


def _until(place: Place, wanted: list[str], moment: str, chance: random.Random) -> None:
    """Go on until the moment has come, and kill the service then, whatever it is doing."""
    assert place.process is not None, "started"
    last = time.monotonic() + PATIENCE
    delay = chance.uniform(0.0, AT_A_REQUEST)

    def strike(asked: str) -> None:
        if asked == moment and not struck:
            place.look()
            struck.append(Timer(delay, process.kill))
            struck[0].start()

    process, struck = place.process, list[Timer]()
    if moment == "assess":
        _advance(place, wanted)
        time.sleep(chance.uniform(0.0, ASSESSING))
        return
    while not struck and time.monotonic() < last:
        if _advance(place, wanted, strike):
            return
        time.sleep(0.05)
    for one in struck:
        one.join()


def _advance(place: Place, wanted: list[str], before: Callable[[str], None] = lambda asked: None) -> bool:
    """One round: hand in, decide, release. Whether everything is released. What was refused has happened already.

    before: told what is about to be asked for.
    """
    rosa, checkers = place.client("rosa"), {name: place.client(name) for name in ("chloe", "cyril")}
    ours = set()
    for token in wanted:
        before("submit")
        found = _try(lambda t=token: rosa.submit(place.project, place.dataset, "T", [OUTPUT], token=t))
        if found is not None:
            ours.add(found["id"])
            place.told.append(("submitted", found["id"]))
    listed = _try(lambda: checkers["chloe"].submissions())
    states = {line["id"]: line["state"] for line in listed["items"]} if listed is not None else {}
    for number in ours:
        if states.get(number) != "ready":
            continue
        for name, checker in checkers.items():
            before("decide")
            if _try(lambda c=checker, n=number: c.decide(n, "Fine.", choice="release")) is not None:
                place.told.append(("decided", number, name))
        before("release")
        if _try(lambda n=number: checkers["chloe"].release(n)) is not None:
            place.told.append(("released", number))
    return len(ours) == len(wanted) and all(states.get(number) == "released" for number in ours)


def _try(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (StateError, LedgerError, NotAllowedError):
        return None
    except DivulgeError as error:
        raise AssertionError(f"{type(error).__name__}: {error}") from None


def _faults(place: Place) -> list[str]:
    wrong = [fault.what for fault in verify(place.ledger).faults]
    with place.ledger.reading() as session:
        submissions = {s.id: s.state for s in session.scalars(select(Submission))}
        people_of = {(d.submission_id, d.person_id, d.assessment_id) for d in session.scalars(select(CheckerDecision))}
        n_decisions = len(session.scalars(select(CheckerDecision.id)).all())
        released = Counter(session.scalars(select(Release.submission_id)))
        done = set(session.scalars(select(Job.id).where(Job.state == JobState.DONE)))
        results = Counter(session.scalars(select(StoredAssessment.job_id)))
    if len(submissions) != place.handed_in:
        wrong.append(f"{len(submissions)} submissions instead of {place.handed_in}")
    wrong += [f"submission {n} is {state}" for n, state in submissions.items() if state != "released"]
    wrong += [f"{words} is lost" for words in place.told if words[1] not in submissions]
    wrong += [f"{words} is lost" for words in place.told if words[0] == "released" and words[1] not in released]
    wrong += [f"submission {n} was released {times} times" for n, times in released.items() if times > 1]
    told = Counter(words for words in place.told if words[0] == "released")
    wrong += [f"{words} was told twice" for words, times in told.items() if times > 1]
    if n_decisions != len(people_of):
        wrong.append(f"{n_decisions} decisions of {len(people_of)} checkers on an assessment")
    if set(results) != done or any(times > 1 for times in results.values()):
        wrong.append(f"jobs that are done {sorted(done)}, results of jobs {sorted(results.elements())}")
    return wrong


def runs() -> list[dict[str, Any]]:
    """Every run, those that were kept and those that were still to be done; none is begun after MINUTES."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    kept = {run["seed"]: run for run in map(json.loads, lines)}
    seeds = range(SEED, SEED + RUNS)
    missing = [seed for seed in seeds if seed not in kept]
    last = time.monotonic() + 60 * MINUTES
    server, one_writes = Cluster(), Lock()

    def follow(number: int) -> None:
        with tempfile.TemporaryDirectory(prefix="divulge-faults-") as made:
            folder = Path(made)
            given = str(folder / "ledger.sqlite")
            place = Place(number, folder, open_ledger(given, store=folder / "ledger.files"), server)
            place.fill()
            place.start()
            try:
                for seed in missing[number::AT_ONCE]:
                    if time.monotonic() > last:
                        break
                    found = one_run(place, seed)
                    with one_writes, KEPT.open("a", encoding="utf-8") as file:
                        kept[seed] = found
                        print(json.dumps(found), flush=True)
                        file.write(json.dumps(found) + "\n")
            finally:
                place.kill()
                place.ledger.close()

    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(follow, range(AT_ONCE if missing else 0)))
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
