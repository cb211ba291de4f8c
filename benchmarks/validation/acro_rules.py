"""Outputs of known truth through ACRO: what its rules say on the same people. It is told nothing about searches.

ACRO needs an older pandas than ours, so it has an environment of its own, installed from acro.lock.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.peers import environment
from benchmarks.validation.known_outputs import KNOWN_OUTPUTS, people_of
from benchmarks.validation.results import keep

HERE = Path(__file__).parent
SIZES = tuple(map(int, os.environ.get("ACRO_SIZES", "1000 2000 10000").split()))
SEED = 1
"""Rules do not draw anything: one seed."""


def check() -> list[str]:
    python = environment("acro", HERE / "acro.lock")
    assert python is not None, "ACRO could not be installed from benchmarks/validation/acro.lock"
    cases = [(known, size) for known in KNOWN_OUTPUTS for size in SIZES]
    with tempfile.TemporaryDirectory() as made:
        folder, calls = Path(made), []
        for i, (known, size) in enumerate(cases):
            people_of(known, size, SEED)[0].to_pandas().to_csv(folder / f"{i}.csv", index=False)
            calls.append([f"{i}.csv", known.acro])
        (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
        ran = subprocess.run(
            [str(python), str(HERE / "acro_calls.py"), made], capture_output=True, text=True, check=True, cwd=made
        )
    said = json.loads(ran.stdout.splitlines()[-1])
    lines: list[dict[str, Any]] = [
        {
            "output": known.name,
            "data": known.data,
            "rows": size,
            "truth": known.truth,
            "status": "; ".join(f["status"] for f in found) or "not offered",
            "summary": "; ".join(f["summary"] for f in found),
        }
        for (known, size), found in zip(cases, said["found"], strict=True)
    ]
    keep("acro", lines, {"acro": said["version"], "pandas": said["pandas"]})
    return [f"{x['output']} ({x['data']}, {x['rows']:,}, {x['truth']}): {x['status']}" for x in lines]
