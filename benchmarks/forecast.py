"""How long `divulge check` says that an assessment will take, beside how long it took.

The cases lie outside the project, as those of `wild` do; `WILD=FOLDER` names another place. Every sixth is tried, by
the commands themselves, as they are set by default.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.wild import some_specs

FACTOR = 2.0
"""How many times too long or too short an estimate may be."""

WANTED = 0.9
"""The share of the cases that are to be so near."""


def run() -> list[dict[str, Any]]:
    specs = some_specs()
    if not specs:
        return [{"what": "not run: the cases are not here", "reached": ""}]
    lines = [_line(spec) for spec in specs]
    met = sum(line["passed"] for line in lines)
    what = f"estimates within a factor of {FACTOR:g}, of {len(lines)}"
    return [{"what": what, "reached": met, "target": f"{WANTED:.0%}", "passed": met >= WANTED * len(lines)}, *lines]


def _line(spec: Path) -> dict[str, Any]:
    told = json.loads(_ran("check", str(spec), "--json"))["seconds"]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        _ran("--quiet", "assess", str(spec), "-o", folder)
        took = time.perf_counter() - start
    near = 1 / FACTOR <= told["seconds"] / took <= FACTOR
    within = told["low"] <= took <= told["high"]
    return {"case": spec.parent.name, "told": told["seconds"], "took": took, "passed": near, "in its range": within}


def _ran(*words: str) -> str:
    command = [sys.executable, "-m", "divulge", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
