"""How the time of one assessment divides: start-up, reading, embedding, splits, curve, report.

`python -m benchmarks.divided SPEC STARTED` does what `divulge assess` does, in a process of its own, and prints seconds
by part as JSON. STARTED: the time (of `time.time`) at which the process was started.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PARTS = ("start-up", "reading", "rules and arithmetic", "embedding", "splits", "curve", "the rest", "report")

REPORT_WITHIN = 1.0
"""Seconds that the page may take."""


def divided(spec: Path) -> list[dict[str, Any]]:
    """A line for each part, of the second of two runs: the first compiles."""
    for _ in range(2):
        command = [sys.executable, "-m", "benchmarks.divided", str(spec), repr(time.time())]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = json.loads(done.stdout)
    lines: list[dict[str, Any]] = [{"part": part, "seconds": round(seconds[part], 3)} for part in PARTS]
    lines[-1] |= {"target": REPORT_WITHIN, "passed": seconds["report"] <= REPORT_WITHIN}
    return [*lines, {"part": "all", "seconds": round(sum(seconds.values()), 3)}]


class _Clock:
    """Seconds by part; whatever happens between two parts belongs to the first of them."""

    def __init__(self, started: float) -> None:
        self.seconds, self.since, self.part = dict.fromkeys(PARTS, 0.0), started, PARTS[0]

    def turn(self, part: str) -> str:
        """Another part begins; the one before, to go back to."""
        now, before = time.time(), self.part
        self.seconds[before] += now - self.since
        self.since, self.part = now, part
        return before


def _main(spec: str, started: str) -> None:
    clock = _Clock(float(started))
    from divulge.assess import assess, conduct, passes, plan
    from divulge.assess.splits.runner import Runner
    from divulge.reports import Html
    from divulge.spec import read_spec

    clock.turn("reading")
    ready = plan(read_spec(Path(spec)))
    _within(clock, conduct, "work_out", "rules and arithmetic")
    _within(clock, passes, "embed_whole", "embedding")
    results = Runner.results

    def timed(self: Runner, name: str, stage: str, *given: Any, **more: Any) -> Iterator[Any]:
        part = "curve" if stage.endswith("smaller parts") else "splits"
        yield from _between(clock, part, results(self, name, stage, *given, **more))

    Runner.results = timed  # type: ignore[method-assign,assignment]
    clock.turn("the rest")
    record = assess(ready, spec_text=Path(spec).read_bytes()).record
    clock.turn("report")
    Html().render(record)
    clock.turn("the rest")
    print(json.dumps(clock.seconds))


def _within(clock: _Clock, module: Any, name: str, part: str) -> None:
    """Count what a function of a module takes as a part."""
    plain = getattr(module, name)

    def timed(*given: Any, **more: Any) -> Any:
        before = clock.turn(part)
        try:
            return plain(*given, **more)
        finally:
            clock.turn(before)

    setattr(module, name, timed)


def _between(clock: _Clock, part: str, results: Iterator[Any]) -> Iterator[Any]:
    """The same results; what it takes to come by each counts as a part."""
    while True:
        before = clock.turn(part)
        result = next(results, None)
        clock.turn(before)
        if result is None:
            return
        yield result


if __name__ == "__main__":
    _main(*sys.argv[1:])
