"""Reading 10,000,000 rows × 8 columns of CSV into codes, beside pyarrow's own reading to an Arrow table; memory too."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from divulge.table import read_table

ROWS = 10_000_000
REPEATS = 3
RATIO_TARGET = 2.0
"""At most twice the time of pyarrow's reader."""
MEMORY_TARGET_MB = 500.0
"""Beyond the coded table itself."""

_MEMORY = """
import json, sys
from divulge.table import read_table

def peak():
    # Not getrusage: a child's peak there begins with its parent's.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

before = peak()
table = read_table(sys.argv[1])
print(json.dumps({"before": before, "peak": peak(), "table": table.n_bytes / 2**20}))
"""
"""Measures memory where the system tells (Linux)."""


def make_file(path: Path, rows: int) -> None:
    """People like those of a census file: small codes, texts with a delimiter in quotes, an amount, a decimal."""
    rng = np.random.default_rng(1)  # any seed: the sizes matter, not the values
    areas = [f"E{1000 + i}" for i in range(300)]
    groups = ["White", "Black Caribbean", "Indian", "Chinese", "Other, mixed"]
    with pacsv.CSVWriter(path, _schema()) as writer:
        for start in range(0, rows, 1_000_000):
            n = min(1_000_000, rows - start)
            columns: list[Any] = [
                rng.integers(0, 96, n),
                rng.integers(1, 3, n),
                pa.array(areas).take(pa.array(rng.integers(0, len(areas), n))),
                pa.array(groups).take(pa.array(rng.integers(0, len(groups), n))),
                np.round(rng.lognormal(10, 1, n), -2).clip(0, 200_000).astype(np.int64),
                rng.integers(0, 2, n),
                rng.integers(0, 400, n) / 4,
                pa.array(["Single", "Married", "Widowed"]).take(pa.array(rng.integers(0, 3, n))),
            ]
            writer.write_table(pa.table(columns, schema=_schema()))


def _schema() -> pa.Schema:
    kinds = {"AGE": pa.int64(), "SEX": pa.int64(), "AREA": pa.string(), "ETH": pa.string(), "INCOME": pa.int64()}
    return pa.schema({**kinds, "TENURE": pa.int64(), "HOURS": pa.float64(), "MST": pa.string()})


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(rows: int = ROWS) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        make_file(path, rows)
        # Turn about, so that a busy moment of the machine hits both.
        pairs = [(_seconds(lambda: pacsv.read_csv(path)), _seconds(lambda: read_table(path))) for _ in range(REPEATS)]
        baseline, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
        command = [sys.executable, "-c", _MEMORY, str(path)]
        memory = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    beyond = memory["peak"] - memory["before"] - memory["table"]
    return [
        {
            "what": f"read {rows:,} rows × 8 columns",
            "seconds": ours,
            "pyarrow": baseline,
            "ratio": ours / baseline,
            "target": RATIO_TARGET,
            "passed": ours <= RATIO_TARGET * baseline,
        },
        {
            "what": "memory beyond the table, MB",
            "beyond": beyond,
            "table": memory["table"],
            "target": MEMORY_TARGET_MB,
            "passed": beyond <= MEMORY_TARGET_MB,
        },
    ]
