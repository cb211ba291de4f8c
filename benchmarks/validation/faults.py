"""A hundred runs of the service in which a server, a worker or PostgreSQL is killed with -9 at random moments.

Nothing may be lost, nothing decided or computed twice, and the audit trail must be whole (`tests/faults.py`).
Every run is kept in `.venv/validation/faults.jsonl` as it ends; remove the file to start anew.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.validation.results import keep
from tests.support.faults import in_a_program

RUNS = 100
SEED = 1000  # other moments than those of the tests
KEPT = Path(sys.prefix) / "validation" / "faults.jsonl"


def runs() -> list[dict[str, Any]]:
    """Every run, those that were kept and those that were still to be done."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    kept = {run["seed"]: run for run in map(json.loads, lines)}
    seeds = range(SEED, SEED + RUNS)
    missing = [seed for seed in seeds if seed not in kept]
    for run in in_a_program(missing) if missing else ():
        kept[run["seed"]] = run
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(run) + "\n")
    return [kept[seed] for seed in seeds]


def check() -> list[str]:
    found = runs()
    killed: Counter[str] = Counter()
    for run in found:
        killed.update(run["killed"])
    wrong = [f"run {run['seed']}: {what}" for run in found for what in run["wrong"]]
    keep("faults", found, {"runs": len(found), "killed": dict(killed), "wrong": len(wrong)})
    assert not wrong, "; ".join(wrong[:5])
    said = ", ".join(f"{name} {n} times" for name, n in sorted(killed.items()))
    return [f"{len(found)} runs, killed: {said}; nothing lost, nothing done twice, the trail whole"]
