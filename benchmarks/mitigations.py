"""Secondary suppression beside its peers: how many figures are withheld, whether all are protected, and how fast.

SUMIT_FILE names a file of the JJ format (SUMiT's test.jj: 1,188 cells, 204 equations, 71 unsafe), ARGUS_SAMPLE a folder
with the table that tau-ARGUS comes with (Simple2D.txt, pp.tab, region2.hrc). They are not ours to keep; without them
these lines are left out. The other tables are made here. Where pytauargus can be installed, OPT and MOD of tau-ARGUS
protect the same tables. PEER_SECONDS and OUR_SECONDS say for how many seconds of processor time each may try (60),
SUPPRESSION_TABLES the numbers of the tables that are asked for (all).
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.peers import environment
from benchmarks.suppression_tables import Hierarchical, argus_sample, linked
from divulge.audit.bounds import find_bounds
from divulge.audit.jj import JjTable
from divulge.audit.system import System
from divulge.kernels.arrays import Floats, Mask
from divulge.withholding import Figures, find_pattern
from divulge.withholding.jj import _figures_of

SUMIT, SAMPLE = os.environ.get("SUMIT_FILE"), os.environ.get("ARGUS_SAMPLE")
PEER_SECONDS = float(os.environ.get("PEER_SECONDS", "60"))
OUR_SECONDS = float(os.environ.get("OUR_SECONDS", "60"))

PAIRS = ((0, 1), (0, 2), (1, 2))
TABLES: tuple[Hierarchical | tuple[Any, ...], ...] = (
    Hierarchical(((3, 4), (6,)), 12),
    Hierarchical(((5, 8), (9,)), 12),
    Hierarchical(((4, 5, 5), (12,)), 10),
    Hierarchical(((4, 6), (3, 4), (3,)), 10),
    Hierarchical(((10, 10, 5), (15,)), 12),
    (PAIRS, (7, 6, 5), 20),
    (PAIRS, (12, 10, 8), 16),
    (PAIRS, (25, 20, 15), 14),
    (((0, 1, 2), (0, 1, 3)), (10, 8, 6, 5), 14),
    (((0, 1, 2), (0, 3, 2)), (20, 15, 12, 18), 14),
)
"""Ten tables of 100 to 10,000 cells: five hierarchical ones, and five sets of linked ones."""


def run() -> list[dict[str, Any]]:
    lines = [_crossed(*shape) for shape in ((6, 5), (15, 12), (30, 30), (12, 10, 6))]
    python = environment("pytauargus")
    if python is None:
        print("pytauargus could not be installed: the tables are not protected by tau-ARGUS.")
    elif subprocess.run([str(python), "-m", "pip", "install", "--quiet", "pandas"], check=False).returncode:
        python = None
    asked = os.environ.get("SUPPRESSION_TABLES")
    numbers = range(len(TABLES)) if asked is None else map(int, asked.split())
    with tempfile.TemporaryDirectory() as made:
        if SUMIT is not None:
            lines.append(_beside(Path(SUMIT).read_text(encoding="utf-8"), "SUMiT", Path(made), "sumit", python))
            print(json.dumps(lines[-1]), flush=True)
        if SAMPLE is not None:
            argus_sample(Path(SAMPLE)).write(Path(made) / "sample.jj")
            lines.append(_beside(None, "the sample of tau-ARGUS", Path(made), "sample", python))
            print(json.dumps(lines[-1]), flush=True)
        for number in numbers:
            table = TABLES[number]
            if isinstance(table, Hierarchical):
                if python is None:
                    continue
                _write(table, Path(made), str(number))
                lines.append(_beside(None, table.name, Path(made), str(number), python))
            else:
                linked(*table).write(Path(made) / f"{number}.jj")
                lines.append(_beside(None, f"linked {table[0]} of {table[1]}", Path(made), str(number), python))
            print(json.dumps(lines[-1]), flush=True)
    return lines


def _write(table: Hierarchical, folder: Path, name: str) -> None:
    table.people().to_csv(folder / f"{name}.csv", index=False)
    files = table.hierarchies()
    for variable, text in files.items():
        (folder / f"{name}.{variable}.hrc").write_text(text, encoding="utf-8")
    told = {"variables": list("ABC"[: len(table.variables)]), "hierarchical": list(files), "rule": table.rule}
    (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")


def _beside(text: str | None, what: str, folder: Path, name: str, python: Path | None) -> dict[str, Any]:
    """One table by ourselves and by tau-ARGUS; which writes the JJ file of hierarchical ones."""
    if text is not None:
        (folder / f"{name}.jj").write_text(text, encoding="utf-8")
    answers = {}
    for method in ("MOD", "OPT") if (folder / f"{name}.json").exists() else ("OPT",):
        if python is not None:
            answers[method] = _asked(python, folder, name, method)
    given = JjTable.read(folder / f"{name}.jj")
    none = np.zeros(int(given.matrix.shape[0]))
    primary, up, down = (np.concatenate([x, none]) for x in (given.unsafe, given.up, given.down))
    figures = _figures_of(given)
    line = _measured(what, figures, primary > 0, up, down, given.n_cells)
    for method, answer in answers.items():
        if answer is None or answer["secondary"] is None:
            line[method] = "unfinished"
            continue
        cells = answer["secondary"]
        pattern = primary > 0
        pattern[cells] = True
        line[method] = {
            "secondary": len(cells),
            "unprotected": _unprotected(figures, primary > 0, pattern, up, down),
            "secondary_cost": float(figures.cost[cells].sum()),
            "processor_seconds": answer["processor_seconds"],
            "version": answer["version"],
        }
        if line[method]["unprotected"]:
            # What the pattern lacks, added to it: only then the two protect alike.
            asked = [np.where(primary > 0, x, 0.0) for x in (up, down)]
            whole = find_pattern(figures, pattern, asked[0], asked[1], OUR_SECONDS, time.process_time) & ~(primary > 0)
            price = float(figures.cost[whole].sum())
            line[method]["protected"] = {"secondary": int(whole.sum()), "secondary_cost": price}
    return line


def _asked(python: Path, folder: Path, name: str, method: str) -> dict[str, Any] | None:
    """What tau-ARGUS withholds; None where it takes too long."""
    calls = [str(python), str(Path(__file__).with_name("suppression_calls.py")), str(folder), name, method]
    try:
        limited = ["bash", "-c", f'ulimit -t {PEER_SECONDS:.0f}; exec "$@"', "bash", *calls]
        subprocess.run(limited, capture_output=True, check=True, cwd=folder)
    except subprocess.CalledProcessError:
        return None
    found: dict[str, Any] = json.loads((folder / f"{name}.{method}").read_text(encoding="utf-8"))
    return found


def _measured(what: str, given: Figures, primary: Mask, up: Floats, down: Floats | None, n: int) -> dict[str, Any]:
    """A pattern, and what an audit says of it."""
    started, worked = time.perf_counter(), time.process_time()
    found = find_pattern(given, primary, up, down, OUR_SECONDS, time.process_time)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    return {
        "what": what,
        "figures": n,
        "primary": int(primary.sum()),
        "secondary": int((found & ~primary).sum()),
        "secondary_cost": float(given.cost[found & ~primary].sum()),
        "unprotected": _unprotected(given, primary, found, up, down),
        "seconds": seconds,
        "processor_seconds": processor,
    }


def _unprotected(given: Figures, primary: Mask, found: Mask, up: Floats, down: Floats | None) -> int:
    """How many primary figures are known better than they ask for, by the bounds of an audit."""
    public = np.flatnonzero(~found)
    sums = given.sums[public] @ given.cells
    names = tuple(map(str, public.tolist())), tuple(map(str, range(len(given.cells))))
    system = System(given.sums[public], sums, sums, given.least, given.most, False, *names, given.cells)
    targets = np.flatnonzero(primary)
    bounds = find_bounds(system, given.sums[targets])
    value = given.sums[targets] @ given.cells
    slack = 1e-6 * (1 + np.abs(value))
    open_up = bounds.high - value >= up[targets] - slack
    open_down = np.ones(len(targets), dtype=bool) if down is None else value - bounds.low >= down[targets] - slack
    return int((~(open_up & open_down)).sum())


def _crossed(*shape: int) -> dict[str, Any]:
    """Skewed counts with all their margins; those below 10 must not be known to within 3."""
    rng = np.random.default_rng(1)  # any seed: a table with some thin cells
    mean = np.ones(shape) * 60
    for axis, size in enumerate(shape):
        mean = mean * rng.gamma(1.5, 0.7, size).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    cells = rng.poisson(mean).astype(float)
    number = np.indices(shape).reshape(len(shape), -1)
    blocks = []
    for kept in range(2 ** len(shape) - 1, -1, -1):
        axes = [a for a in range(len(shape)) if kept >> a & 1]
        sizes = [shape[a] for a in axes]
        at = np.ravel_multi_index([number[a] for a in axes], sizes) if axes else np.zeros(cells.size, dtype=np.int64)
        blocks.append(sparse.csr_array((np.ones(cells.size), (at, np.arange(cells.size)))))
    sums = sparse.csr_array(sparse.vstack(blocks))
    values = sums @ cells.ravel()
    cost = 1 + 1e-3 * np.log1p(values)
    cost[-1] = np.inf  # how many people there are is known
    primary = (values > 0) & (values < 10)
    given = Figures(sums, cells.ravel(), cost, np.zeros(cells.size), np.full(cells.size, cells.sum()))
    name = " × ".join(map(str, shape)) + " counts with margins"
    return _measured(name, given, primary, np.where(primary, 3.0, 0.0), None, len(values))
