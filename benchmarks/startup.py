"""How long until the command line answers, beside Python doing nothing and Python importing pandas."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

CASES = {
    "python, nothing": ["-c", "pass"],
    "python, import pandas": ["-c", "import pandas"],
    "divulge --version": ["-m", "divulge", "--version"],
    "divulge --help": ["-m", "divulge", "--help"],
    "divulge demo": ["-m", "divulge", "demo"],
}
SPEC = """
data: people.csv
outputs:
  - {kind: crosstab, variables: [area, sex], compute: true}
  - {kind: logistic, formula: ill ~ age + sex, compute: true, decimals: 3}
"""
N_ROWS = 300_000
REPEATS = 5  # the least of a few: what else the machine does only ever adds time


def people(folder: Path) -> Path:
    """A spec of a table and a regression beside as many rows as an area has people."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 20, N_ROWS), rng.integers(0, 2, N_ROWS), rng.integers(18, 90, N_ROWS)]
    rows = np.column_stack([*columns, rng.integers(0, 2, N_ROWS)])
    np.savetxt(folder / "people.csv", rows, fmt="%d", delimiter=",", header="area,sex,age,ill", comments="")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return folder / "spec.yaml"


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        checked = {f"divulge check, {N_ROWS:,} rows": ["-m", "divulge", "check", str(people(Path(folder)))]}
        return _timed({**CASES, **checked})


def _timed(cases: dict[str, list[str]]) -> list[dict[str, Any]]:
    seconds = dict.fromkeys(cases, float("inf"))
    for _ in range(REPEATS):
        for what, arguments in cases.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            seconds[what] = min(seconds[what], time.perf_counter() - start)
    return [{"what": what, "seconds": round(s, 3)} for what, s in seconds.items()]
