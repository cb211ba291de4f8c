"""Tables that GaussSuppression prints with what it withholds: are its intervals ours, and do we withhold no more?

GAUSSSUPPRESSION_FILE names its printed pages as JSON (page: a list of tables with columns and rows), which are not ours
to keep; without it the check says so. Of a printed table the codes that are parts of others are known (PARTS); its
primary cells are taken as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.validation.results import keep
from divulge.audit.bounds import find_bounds
from divulge.audit.system import System
from divulge.kernels.arrays import Floats, Mask
from divulge.withholding import Figures, find_pattern

VALUES = ("freq", "f", "ant", "weighted.num", "num", "v", "value")
NOT_SPANNING = (
    "dominant",
    "max",
    "n_",
    "nR",
    "nA",
    "rlim",
    "lo",
    "up",
    "sweight",
    "primary",
    "suppressed",
    "table_",
    "is",
)
PARTS: dict[str, tuple[str, ...]] = {
    "EU": ("Portugal", "Spain"),
    "nonEU": ("Iceland",),
    "1": ("A", "I"),
    "4": ("B",),
    "5": ("C", "D"),
    "6": ("E", "F"),
    "8": ("G", "H"),
    "10": ("J", "K"),
    "300": tuple("ABCDEFGH"),
    "400": ("I", "J", "K"),
    "not_assistance": ("other", "pensions", "wages"),
    "private": ("Agriculture", "Entertainment", "Industry"),
    "public": ("Governmental",),
}
"""What some codes of its example data are made of."""


def _leaves(codes: list[str]) -> dict[str, tuple[str, ...]]:
    """The finest codes that each code of a column stands for."""
    present = set(codes)
    coarse = {c for c in present if c in PARTS and set(PARTS[c]) <= present}
    fine = tuple(c for c in dict.fromkeys(codes) if c not in coarse and not c.startswith("Total"))
    return {c: fine if c.startswith("Total") else PARTS[c] if c in coarse else (c,) for c in present}


def _printed() -> Iterator[tuple[str, dict[str, Any]]]:
    file = os.environ.get("GAUSSSUPPRESSION_FILE")
    if file is None:
        return
    for page, items in json.loads(Path(file).read_text(encoding="utf-8")).items():
        for number, item in enumerate(items):
            columns = item.get("columns", [])
            if "isPublish" in columns and any(row[columns.index("isPublish")] == "FALSE" for row in item["rows"]):
                continue  # cells that are not of the table
            if "primary" in columns and "suppressed" in columns and len(set(columns)) == len(columns):
                yield f"{Path(page).stem} {number}", item


def _read(item: dict[str, Any]) -> tuple[sparse.csr_array, Floats, Mask, Mask] | None:
    """(figures, cells), values, primary, withheld; None where only some rows are printed, or no sum is."""
    columns = item["columns"]
    value = next((c for c in VALUES if c in columns), None)
    if value is None or not columns.index(value):
        return None
    dims = [c for c in columns[: columns.index(value)] if not c.startswith(NOT_SPANNING) and c not in VALUES]
    at = [columns.index(c) for c in dims]
    labels = [tuple(row[i] for i in at) for row in item["rows"]]
    if (
        len(set(labels)) < len(labels)
        or tuple(all(t.startswith("Total") for t in label) for label in labels).count(True) != 1
    ):
        return None
    leaves = [_leaves([label[d] for label in labels]) for d in range(len(dims))]
    inner = list(product(*(dict.fromkeys(leaf for some in each.values() for leaf in some) for each in leaves)))
    if len(inner) < 2:
        return None
    place = {cell: i for i, cell in enumerate(inner)}
    rows = [
        [place[cell] for cell in product(*(each[t] for each, t in zip(leaves, label, strict=True)))] for label in labels
    ]
    matrix = np.zeros((len(labels), len(inner)))
    for i, cells in enumerate(rows):
        matrix[i, cells] = 1.0
    k = columns.index(value)
    values = np.array([float(row[k]) for row in item["rows"]])
    primary, withheld = (
        np.array([r[columns.index(c)] == "TRUE" for r in item["rows"]]) for c in ("primary", "suppressed")
    )
    return sparse.csr_array(matrix), values, primary, withheld


def _cells(matrix: sparse.csr_array, values: Floats) -> Floats | None:
    """Cells that have the printed sums; None where none have."""
    slack = 0.0 if (values == np.round(values)).all() else 2e-6 * (1 + np.abs(values))
    both = sparse.vstack([matrix, -matrix])
    found = linprog(np.zeros(matrix.shape[1]), both, np.concatenate([values + slack, slack - values]), method="highs")
    return None if found.x is None else np.asarray(found.x)


def _exact(matrix: sparse.csr_array, cells: Floats, primary: Mask, withheld: Mask) -> int:
    """How many primary cells follow from those that are not withheld."""
    public = np.flatnonzero(~withheld)
    sums = matrix[public] @ cells
    nothing, endless = np.zeros(len(cells)), np.full(len(cells), np.inf)
    names = tuple(map(str, public.tolist())), tuple(map(str, range(len(cells))))
    system = System(matrix[public], sums, sums, nothing, endless, False, *names, cells)
    found = find_bounds(system, matrix[np.flatnonzero(primary)])
    return int((found.high - found.low < 1e-6 * (1 + np.abs(found.high))).sum())


def check() -> list[str]:
    lines: list[dict[str, Any]] = []
    for name, item in _printed():
        read = _read(item)
        cells = None if read is None else _cells(read[0], read[1])
        if read is None or cells is None:
            continue
        matrix, values, primary, withheld = read
        cost = 1.0 + 1e-3 * np.log1p(np.abs(values))
        figures = Figures(matrix, cells, cost, np.zeros(len(cells)), np.full(len(cells), np.inf))
        is_count = bool((values == np.round(values)).all())
        # Nothing but exact values is ruled out: a count may be another one, an amount differ by a hundredth.
        need = np.where(primary, 1.0 if is_count else 0.01 * np.abs(values), 0.0)
        ours = find_pattern(figures, primary, need)
        lines.append(
            {
                "table": name,
                "figures": len(values),
                "primary": int(primary.sum()),
                "theirs": int((withheld & ~primary).sum()),
                "theirs exact": _exact(matrix, cells, primary, withheld),
                "ours": int((ours & ~primary).sum()),
                "ours exact": _exact(matrix, cells, primary, ours),
            }
        )
    if not lines:
        return ["GAUSSSUPPRESSION_FILE names no file: nothing was compared."]
    fewer = float(np.median([x["ours"] - x["theirs"] for x in lines]))
    totals = {
        "tables": len(lines),
        "withheld by both beside the primary ones": [sum(x[k] for x in lines) for k in ("ours", "theirs")],
        "median difference": fewer,
        "exact": [sum(x[k] for x in lines) for k in ("ours exact", "theirs exact")],
    }
    keep("gausssuppression", lines, totals)
    assert totals["exact"][0] == 0, str([x for x in lines if x["ours exact"]])
    assert fewer <= 0, str(lines)
    return [", ".join(f"{k}: {v}" for k, v in totals.items()), *(str(x) for x in lines)]
