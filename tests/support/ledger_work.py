"""Work that takes no time, for tests of what happens around it. Runs in the process of a job.

Imports next to nothing: every job starts a process that imports this.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.errors import OutputError

FIGURES = [{"label": "SEX=F & WORK=yes", "value": "12"}, {"label": "SEX=M & WORK=yes", "value": None}]


@dataclass(frozen=True)
class Step:
    stage: str
    done: int
    total: int
    seconds_left: float


@dataclass(frozen=True)
class Finished:
    record: dict[str, Any]
    figures: list[list[dict[str, Any]]]
    outputs: None = None


def record(verdict: str = "release", risk: float = 0.01) -> dict[str, Any]:
    """The least that a record has."""
    return {
        "format_version": 1,
        "verdict": verdict,
        "reasons": [],
        "risk": [{"marginal_risk": {"value": risk, "interval": [0, risk]}}],
        "exposure": {"exposed": 0},
    }


def prepare(ledger: Any, submission_id: int, job_id: int) -> Path:
    folder = ledger.store.work_folder(job_id)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def quick(work: Path, listener: Any) -> Finished:
    for done in range(1, 4):
        listener(Step("All outputs", done, 3, 0.1))
        time.sleep(0.02)
    return Finished(record(), [FIGURES])


def endless(work: Path, listener: Any) -> Finished:
    listener(Step("All outputs", 1, 100, 99.0))
    (work / "pid").write_text(str(os.getpid()))
    time.sleep(600)
    raise AssertionError("nobody waits so long")


def refusing(work: Path, listener: Any) -> Finished:
    raise OutputError("the output cannot be computed.", where="outputs[0]")


def broken(work: Path, listener: Any) -> Finished:
    raise ValueError("Zebedee4711")


def dying(work: Path, listener: Any) -> Finished:
    """Dies the first time, as when the machine's memory runs out, and does it the second."""
    mark = work / "mark"
    if not mark.exists():
        mark.touch()
        os._exit(9)
    return quick(work, listener)


def greedy(work: Path, listener: Any) -> Finished:
    held = []
    while True:
        held.append(bytearray(b"x" * (64 << 20)))
        time.sleep(0.05)
