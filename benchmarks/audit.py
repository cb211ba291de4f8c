"""Rules and audit: tables of many cells, linked tables, a million rows, and who knows everybody else."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.paper_case import TARGET, people
from divulge.audit.bounds import find_bounds
from divulge.audit.budget import Budget
from divulge.audit.everybody_else import ask_everybody_else
from divulge.audit.jj import JjTable
from divulge.audit.system import System
from divulge.checking import check_outputs, make_cases, read_profile
from divulge.demo.census import FORMULA, simulated_census
from divulge.outputs import Output
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position

SUMIT = os.environ.get("SUMIT_FILE")
"""A file of SUMiT (1,188 cells, 204 equations), which is not ours to keep; without it that line is left out."""


def run() -> list[dict[str, Any]]:
    lines = [_linked(50, 40, 24), _million_rows(), _everybody_else()]
    return lines if SUMIT is None else [_sumit(Path(SUMIT)), *lines]


def _timed(work: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """What it gave, and how long it took: by the clock, and of a processor (others may be at work)."""
    started = time.perf_counter(), time.process_time()
    found = work()
    return found, (time.perf_counter() - started[0], time.process_time() - started[1])


def _line(what: str, seconds: tuple[float, float], **more: Any) -> dict[str, Any]:
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"what": what, "seconds": seconds[0], "processor_seconds": seconds[1], "megabytes": megabytes, **more}


def _sumit(file: Path) -> dict[str, Any]:
    """One file of the JJ format: the cells that are unsafe or withheld are not known."""
    table = JjTable.read(file)
    hidden = sparse.eye_array(table.n_cells, format="csr")[np.flatnonzero(table.withheld)]
    system, n = table.system(), table.n_cells
    found, seconds = _timed(lambda: find_bounds(system, hidden))
    exact = int((found.high - found.low < 0.01).sum())  # as the expected answers count
    return _line("audit of 1,188 cells and 204 equations", seconds, cells=n, withheld=hidden.shape[0], exact=exact)


def _linked(a: int, b: int, c: int) -> dict[str, Any]:
    """Two linked tables of some 50,000 cells: a × b × c and its margins, small cells withheld with one more beside."""
    rng = np.random.default_rng(1)  # any seed: counts of a skewed table
    values = rng.poisson(np.outer(rng.gamma(0.6, 8, a), rng.gamma(0.8, 1, b))[..., None] * rng.gamma(1, 1, c))
    cells = values.astype(float).ravel()
    n = len(cells)
    number = np.arange(n).reshape(values.shape)
    hidden = (values > 0) & (values < 3)
    # One more withheld in each line with one alone, so that the simplest attack fails.
    for axis in range(3):
        alone = hidden.sum(axis=axis, keepdims=True) == 1
        largest = np.where(hidden, -1, values).argmax(axis=axis)
        add = np.zeros_like(hidden)
        np.put_along_axis(add, np.expand_dims(largest, axis), True, axis)
        hidden |= add & alone
    rows, columns = [], []
    n_rows = 0
    for axis in range(3):
        lines = np.moveaxis(number, axis, -1).reshape(-1, values.shape[axis])
        rows.append(np.repeat(n_rows + np.arange(len(lines)), lines.shape[1]))
        columns.append(lines.ravel())
        n_rows += len(lines)
    matrix = sparse.csr_array((np.ones(3 * n), (np.concatenate(rows), np.concatenate(columns))), shape=(n_rows, n))
    shown = ~hidden.ravel()
    sums = matrix @ cells
    least, most = np.where(shown, cells, 0.0), np.where(shown, cells, np.inf)
    names = tuple(map(str, range(n_rows))), tuple(map(str, range(n)))
    system = System(matrix, sums, sums, least, most, True, *names, cells)
    asked = np.flatnonzero(hidden.ravel() & (cells > 0) & (cells < 3))
    targets = sparse.eye_array(n, format="csr")[asked]
    need = np.full(len(asked), 3.0)
    # Time enough for a busy machine: how long it took is what is measured.
    found, seconds = _timed(lambda: find_bounds(system, targets, Budget(300.0), need))
    narrow = found.high - found.low < need - 1e-4  # points of a solver
    told = {
        "cells": n + n_rows,
        "withheld": len(asked),
        "exact": int((found.high == found.low).sum()),
        "narrow": int(narrow.sum()),
        "unreached": int((narrow & ~found.is_sharp).sum()),
    }
    return _line(f"audit of {n + n_rows:,} cells in linked tables", seconds, **told)


def _million_rows() -> dict[str, Any]:
    table = simulated_census(1_000_000)
    pairs = [("SEX", "TENURE"), ("AREAP", "ETHGROUP"), ("MSTATUS", "LTILL"), ("AREAP", "TENURE"), ("AGE", "SEX")]
    outputs: list[Output] = [Crosstab(variables=pair, margins=True, compute=True) for pair in pairs]
    outputs += [Means(variables=("AGE",), by=pair, compute=True, empty="allow") for pair in pairs[:4]]
    outputs += [Position(variables=("AGE",), by=pair, compute=True, empty="allow") for pair in pairs[:4]]
    outputs += [Crosstab(variables=pair, where="AGE >= 18", compute=True) for pair in pairs]
    outputs += [Logistic(formula=FORMULA, compute=True), Logistic(formula="TENURE ~ AGE + C(SEX)", compute=True)]
    released = [o.publish(o.evaluate(table), table.schema) for o in outputs]
    cases = make_cases(outputs, released, table)
    check_outputs(make_cases(outputs[:1], released[:1], table.take(slice(100))), read_profile())  # compiled before
    found, seconds = _timed(lambda: check_outputs(cases, read_profile()))
    return _line("rules on 1,000,000 rows × 20 outputs", seconds, findings=len(found.findings), outputs=len(outputs))


def _everybody_else() -> dict[str, Any]:
    table = people()
    output = Logistic(formula=FORMULA, decimals=4, compute=True)
    released = output.publish(output.evaluate(table), table.schema)
    ask_everybody_else([output], [released], table, TARGET)  # compiled before
    found, seconds = _timed(lambda: ask_everybody_else([output], [released], table, TARGET))
    assert found is not None, "the target has two values"
    return _line("who knows everybody else, the paper's case", seconds, determined=found.determined[0])
