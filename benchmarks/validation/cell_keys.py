"""Cell keys by the ONS package and by ours, on its own test data: the same printed count in every cell.

The package (MIT) has an environment of its own; without an index the check says so. Its own p-table rounds to 5 and
does not look at keys, so a second one is drawn here, in which every key changes counts differently.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peers import environment
from benchmarks.validation.results import keep
from divulge.kernels.arrays import Floats
from divulge.outputs.methods.cell_key import look_up

TABLES = (["var1", "var5", "var8"], ["var2"], ["var1", "var2", "var3", "var4"], ["var9", "var10"], ["var6", "var7"])
ROWS = (1_000, 60_000)
"""Their default, and enough for counts above 750, where rows of the p-table are used again."""

CASES = [
    {"rows": rows, "variables": variables, "ptable": ptable, "threshold": threshold}
    for rows, variables, (ptable, threshold) in product(ROWS, TABLES, (("rule.csv", 10), ("drawn.csv", 0)))
]


def _drawn() -> pd.DataFrame:
    """Changes of −2 to 2, as far as a count stays above zero; 750 counts by 256 keys."""
    rng = np.random.default_rng(1)  # any seed
    counts, keys = (part.ravel() for part in np.meshgrid(np.arange(1, 751), np.arange(256), indexing="ij"))
    return pd.DataFrame({"pcv": counts, "ckey": keys, "pvalue": np.maximum(rng.integers(-2, 3, len(keys)), -counts)})


def _as_matrix(ptable: pd.DataFrame) -> Floats:
    return ptable.pivot(index="pcv", columns="ckey", values="pvalue").to_numpy(dtype=np.float64)


def _ours(frame: pd.DataFrame, case: dict[str, Any], table: Floats) -> dict[tuple[str, ...], int | None]:
    """Counts and keys of every combination of values that there are, empty ones too."""
    names = case["variables"]
    levels = [sorted(frame[name].unique()) for name in names]
    numbers = [np.searchsorted(level, frame[name]) for level, name in zip(levels, names, strict=True)]
    shape = [len(level) for level in levels]
    at = np.ravel_multi_index(numbers, shape)
    counts = np.bincount(at, minlength=int(np.prod(shape)))
    keys = np.bincount(at, frame["record_key"], minlength=len(counts)).astype(np.int64) % table.shape[1]
    printed = look_up(counts, keys, table)
    labels = product(*([str(value) for value in level] for level in levels))
    return {label: None if n < case["threshold"] else int(n) for label, n in zip(labels, printed.tolist(), strict=True)}


def check() -> list[str]:
    python = environment("cell_key_perturbation")
    assert python is not None, "cell_key_perturbation could not be installed: is there an index that pip can reach?"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "pandas"], check=True, capture_output=True)
    lines = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _drawn().to_csv(folder / "drawn.csv", index=False)
        (folder / "calls.json").write_text(json.dumps(CASES), encoding="utf-8")
        calls = [str(python), str(Path(__file__).with_name("cell_keys_calls.py")), made]
        ran = subprocess.run(calls, capture_output=True, text=True, check=True, cwd=made)
        said = json.loads(ran.stdout.splitlines()[-1])
        tables = {name: _as_matrix(pd.read_csv(folder / name)) for name in ("rule.csv", "drawn.csv")}
        for case, answer in zip(CASES, said["answers"], strict=True):
            ours = _ours(pd.read_csv(folder / f"{case['rows']}.csv"), case, tables[str(case["ptable"])])
            theirs = {tuple(cell[:-1]): cell[-1] for cell in answer}
            differ = sum(ours.get(cell, 0) != n for cell, n in theirs.items()) + len(ours.keys() - theirs.keys())
            lines.append({**case, "cells": len(theirs), "differ": differ})
    keep("cell_keys", lines, {"cell_key_perturbation": said["version"]})
    wrong = [line for line in lines if line["differ"]]
    assert not wrong, json.dumps(wrong[:3])
    return [f"{len(lines)} tables of {sum(x['cells'] for x in lines):,} cells: every printed count is the same"]
