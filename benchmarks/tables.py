"""All two-way tables of seven variables of the CPS extract: `descent` beside mbi (private-pgm), which fits a model.

mbi is an extra of 650 MB in an environment of its own: `make peers` installs it. Without it, it is left out.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.peers import installed
from benchmarks.search import CPS, all_pairs
from divulge.demo import cps_extract

FITS = ("MirrorDescent:5", "MirrorDescent:40")
"""mbi's recommended estimator for as long as descent has, and for eight times as long."""
PAIRS = tuple(itertools.combinations(range(len(CPS)), 2))


def run() -> list[dict[str, Any]]:
    with threadpool_limits(1):
        ours = {**all_pairs(), "what": "descent, one core"}
    python = installed("mbi")
    if python is None:
        return [ours, {"what": "mbi (private-pgm)", "skipped": "not installed; `make peers` installs it (650 MB)"}]
    return [ours, *_beside(python)]


def _beside(python: Path) -> list[dict[str, Any]]:
    """mbi on all cores, compiled first. The distance is that of the rows it draws; that of its model is beside."""
    table = cps_extract().select(CPS)
    sizes = [variable.n_codes for variable in table.schema]
    released = _counts(np.column_stack([table[name] for name in CPS]), sizes)
    script = Path(__file__).with_name("mbi_calls.py")
    with tempfile.TemporaryDirectory() as made:
        tables = {f"{i},{j}": counts for (i, j), counts in zip(PAIRS, released, strict=True)}
        np.savez(Path(made) / "tables.npz", sizes=sizes, rows=table.n_rows, **tables)
        command = [str(python), "-W", "ignore", str(script), made, *FITS]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=made)
        said = json.loads(done.stdout.splitlines()[-1])
        drawn = [_counts(np.load(Path(made) / f"rows-{i}.npy"), sizes) for i in range(len(FITS))]
    lines = []
    for fit, counts in zip(said["found"], drawn, strict=True):
        off = [np.abs(c - r).sum() / 2 / table.n_rows for c, r in zip(counts, released, strict=True)]
        line = {
            "what": f"mbi {said['versions']['mbi']}, {fit['estimator']}, {fit['iterations']:,} iterations, all cores"
        }
        line |= {"seconds": fit["fitting"] + fit["drawing"], "mean TVD": float(np.mean(off))}
        lines.append(
            {**line, "of its model": fit["fit"], "drawing rows": fit["drawing"], "jax": said["versions"]["jax"]}
        )
    return lines


def _counts(rows: NDArray[Any], sizes: list[int]) -> list[NDArray[np.int64]]:
    """The table of each pair of columns."""
    codes = rows.astype(np.int64)
    return [np.bincount(codes[:, i] * sizes[j] + codes[:, j], minlength=sizes[i] * sizes[j]) for i, j in PAIRS]
