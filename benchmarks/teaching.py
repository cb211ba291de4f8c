"""Teaching data: experiment 2 of the teaching-data paper as printed, every figure, by the whole of `divulge teach`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.earnings import earnings_outputs, simulated_earnings
from divulge.spec import Assessment
from divulge.table import write_schema
from divulge.teaching import make_dataset

SPEC = Path(__file__).parent.parent / "examples" / "teaching_data" / "three_outputs.yaml"
SEEDS = (1, 2, 3, 4, 5)
TARGET = 10.0
"""Seconds, for a regression and two crosstabs of 4,027 rows with every figure as printed."""


def run() -> list[dict[str, Any]]:
    """One line: the median of several seeds. The command's own time is from its start to its last file."""
    _teach(SEEDS[0])  # compiles what is not compiled yet
    found = [_teach(seed) for seed in SEEDS]
    seconds = [f["command"] for f in found]
    return [
        {
            "what": "experiment 2: a regression and two crosstabs, 4,027 rows, all files",
            "seconds": round(median(seconds), 2),
            "longest": round(max(seconds), 2),
            "search alone": round(median(f["search"] for f in found), 2),
            "as printed": f"{min(f['reproduced'] for f in found)} of {found[0]['figures']}",
            "searches": ", ".join(str(f["attempts"]) for f in found),
            "target": TARGET,
            "passed": max(seconds) <= TARGET and all(f["reproduced"] == f["figures"] for f in found),
        },
        _earnings(),
    ]


def _earnings() -> dict[str, Any]:
    """The paper's live test in shape: 11 outputs of 20,000 rows, without frequencies of anything but by the outputs."""
    table = simulated_earnings()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        schema = Path(folder) / "schema.json"
        write_schema(table.schema, schema)
        outputs = []
        for output in earnings_outputs():
            released = output.publish(output.evaluate(table), table.schema)
            values = [float(v) for v in released.values]
            outputs.append(replace(output, released=values, decimals=released.precision.decimals))
        assessment = Assessment(outputs=tuple(outputs), folder=Path(folder), schema=schema, rows=table.n_rows)
        make_dataset(assessment, seed=0)  # compiles what is not compiled yet
        found = [make_dataset(assessment, seed=seed, seconds=30.0) for seed in SEEDS]
    versions = [data.versions[0] for data in found]
    n = found[0].n_figures
    return {
        "what": "earnings: a regression, 5 frequencies, 5 means, 5 medians, 20,000 rows",
        "longest": round(max(v.seconds for v in versions), 2),
        "search alone": round(median(v.seconds for v in versions), 2),
        "as printed": f"{min(n - v.n_missed for v in versions)} of {n}",
        "searches": ", ".join(str(v.attempts) for v in versions),
        "target": TARGET,
        "passed": all(data.is_complete for data in found) and max(v.seconds for v in versions) <= TARGET,
    }


def _teach(seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "divulge", "teach", str(SPEC), "-o", folder, "--seed", str(seed), "--json"]
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        taken = time.perf_counter() - started
    document = json.loads(done.stdout)
    version = document["versions"][0]
    return {
        "command": taken,
        "search": version["seconds"],
        "attempts": version["attempts"],
        "figures": document["figures"],
        "reproduced": document["figures"] - version["missed"],
    }
