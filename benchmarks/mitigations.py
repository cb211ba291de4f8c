"""Secondary suppression beside its peers: how many figures are withheld, whether all are protected, and how fast.

SUMIT_FILE names a file of the JJ format (SUMiT's test.jj: 1,188 cells, 204 equations, 71 unsafe), which is not ours to
keep; without it that line is left out. The other tables are made here.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from divulge.audit.bounds import find_bounds
from divulge.audit.system import System
from divulge.kernels.arrays import Floats, Mask
from divulge.withholding import Figures, find_pattern

SUMIT = os.environ.get("SUMIT_FILE")


def run() -> list[dict[str, Any]]:
    lines = [_crossed(*shape) for shape in ((6, 5), (15, 12), (30, 30), (12, 10, 6))]
    return lines if SUMIT is None else [_sumit(Path(SUMIT)), *lines]


def _measured(what: str, given: Figures, primary: Mask, up: Floats, down: Floats | None, n: int) -> dict[str, Any]:
    """A pattern, checked by the bounds of an audit: no primary may be known better than it asks for."""
    started, worked = time.perf_counter(), time.process_time()
    found = find_pattern(given, primary, up, down, seconds=120.0)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
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
    return {
        "what": what,
        "figures": n,
        "primary": int(primary.sum()),
        "secondary": int((found & ~primary).sum()),
        "secondary_value": float((given.sums @ given.cells)[found & ~primary].sum()),
        "unprotected": int((~(open_up & open_down)).sum()),
        "seconds": seconds,
        "processor_seconds": processor,
    }


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


def _sumit(file: Path) -> dict[str, Any]:
    """Cells with their protection levels, tied by equations: an equation is a figure that everybody knows to be 0."""
    lines = file.read_text(encoding="utf-8").split("\n")
    n = int(lines[1])
    parts = [line.split() for line in lines[2 : 2 + n]]
    equations = lines[3 + n : 3 + n + int(lines[2 + n])]
    rows, columns, factors = [], [], []
    for i, equation in enumerate(equations):
        terms = equation.split(":")[1].split()
        for cell, factor in zip(terms[::2], terms[1::2], strict=True):
            rows.append(i)
            columns.append(int(cell))
            factors.append(float(factor.strip("()")))
    matrix = sparse.csr_array((factors, (rows, columns)), shape=(len(equations), n))
    value, status = np.array([float(p[1]) for p in parts]), np.array([p[3] for p in parts])
    low, high, down, up = (np.array([float(p[k]) for p in parts]) for k in (4, 5, 6, 7))
    sums = sparse.csr_array(sparse.vstack([sparse.eye_array(n, format="csr"), matrix]))
    open_cells = np.isin(status, ["u", "s"])
    cost = np.concatenate([np.where(open_cells, 1.0, np.inf), np.full(len(equations), np.inf)])
    pad = np.zeros(len(equations))
    primary = np.concatenate([status == "u", pad > 0])
    given = Figures(sums, value, cost, np.minimum(low, value), np.maximum(high, value))
    return _measured("SUMiT", given, primary, np.concatenate([up, pad]), np.concatenate([down, pad]), n)
