"""A hundred runs of the service in which a server, a worker or PostgreSQL is killed with -9 at random moments.

Nothing may be lost, nothing decided or computed twice, and the audit trail must be whole (`tests/faults.py`).
"""

from __future__ import annotations

from collections import Counter

from benchmarks.validation.results import keep
from tests.faults import in_a_program

RUNS = 100
SEED = 1000  # other moments than those of the tests


def check() -> list[str]:
    runs = in_a_program(RUNS, SEED)
    killed: Counter[str] = Counter()
    for run in runs:
        killed.update(run["killed"])
    wrong = [f"run {run['seed']}: {what}" for run in runs for what in run["wrong"]]
    keep("faults", runs, {"runs": len(runs), "killed": dict(killed), "wrong": len(wrong)})
    assert not wrong, "; ".join(wrong[:5])
    said = ", ".join(f"{name} {n} times" for name, n in sorted(killed.items()))
    return [f"{len(runs)} runs, killed: {said}; nothing lost, nothing done twice, the trail whole"]
