"""The time left that an assessment tells after a tenth of its run, beside how long it then took.

The cases lie outside the project, as those of `wild` do; `WILD=FOLDER` names another place. Every sixth of them is
assessed, and told of where it took long enough that somebody waits for it.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.wild import some_specs
from divulge.assess import assess, plan
from divulge.assess.splits.runner import Step
from divulge.spec import read_spec

WAITED_FOR = 3.0
"""Seconds from which a run is told of: below, nobody looks at a clock."""

FACTOR = 2.0
"""How many times too long or too short what is told may be."""


def run() -> list[dict[str, Any]]:
    specs = some_specs()
    if not specs:
        return [{"what": "not run: the cases are not here", "reached": ""}]
    lines = [line for spec in specs if (line := _line(spec)) is not None]
    met = sum(line["passed"] for line in lines)
    return [{"what": f"within a factor of {FACTOR:g} after a tenth", "reached": met, "of": len(lines)}, *lines]


def _line(spec: Path) -> dict[str, Any] | None:
    told: list[tuple[float, float]] = []
    started = time.perf_counter()

    def listen(step: Step) -> None:
        if step.seconds_left is not None:
            told.append((time.perf_counter() - started, step.seconds_left))

    assess(plan(read_spec(spec)), listener=listen)
    took = time.perf_counter() - started
    later = [(at, left) for at, left in told if at >= took / 10]
    if took < WAITED_FOR or not later:
        return None
    at, left = later[0]
    ratio = max(left, 0.1) / max(took - at, 0.1)
    return {
        "case": spec.parent.name,
        "seconds": round(took, 1),
        "told after": round(at, 1),
        "told": round(left, 1),
        "true": round(took - at, 1),
        "passed": 1 / FACTOR <= ratio <= FACTOR,
    }
