"""Ten tables through tau-ARGUS and through our rules and audit: the same unsafe cells, the same intervals.

pytauargus has an environment of its own (copyleft, never a dependency); without an index the check says so.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks.peers import environment
from benchmarks.validation.results import keep
from divulge.audit.bounds import find_bounds
from divulge.audit.system import System
from divulge.contributions import Case
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.totals import Totals
from divulge.rules.dominance import Dominance
from divulge.rules.p_percent import PPercent
from divulge.rules.rule import Rule
from divulge.rules.threshold import Threshold
from divulge.table import Table, table_from_frame

HERE = Path(__file__).parent
RULES: dict[str, Rule] = {
    "NK(1,75)": Dominance(largest=1, per_cent=75.0),
    "NK(2,85)": Dominance(largest=2, per_cent=85.0),
    "P(10,1)": PPercent(per_cent=10.0),
    "P(25,1)": PPercent(per_cent=25.0),
    "FREQ(4,10)": Threshold(fewest=4),
}
SHAPES = ((4, 4), (6, 5), (3, 3, 3), (8, 4), (5, 3, 2))
CLOSE = 1e-3
"""tau-ARGUS prints intervals to whole numbers of amounts that are whole; ours are exact to a millionth."""


def _people(shape: tuple[int, ...], seed: int) -> pd.DataFrame:
    """Skewed amounts of some hundred firms: few large ones, and cells of one or two."""
    rng = np.random.default_rng(seed)
    n = 60 * len(shape) * max(shape)
    columns = {}
    for d, size in enumerate(shape):
        share = 1.0 / np.arange(1, size + 1) ** 1.3
        columns["ABC"[d]] = rng.choice([f"{'abc'[d]}{i}" for i in range(size)], n, p=share / share.sum())
    return pd.DataFrame({**columns, "V": np.round(rng.lognormal(3.0, 1.5, n)).astype(int) + 1})


def _ours(table: Table, dims: list[str], rule: Rule) -> set[tuple[str, ...]]:
    """The unsafe cells by our rule, inner ones and margins, as tau-ARGUS names them."""
    found: set[tuple[str, ...]] = set()
    for size in range(len(dims) + 1):
        for by in combinations(dims, size):
            if isinstance(rule, Threshold):
                output: Any = Crosstab(variables=by or (dims[0],), compute=True)
            else:
                output = Totals(variables=("V",), by=by, compute=True)
            if isinstance(rule, Threshold) and not by:
                continue
            case = Case(0, output, output.publish(output.evaluate(table), table.schema), table)
            for finding in rule.find(case):
                for label in finding.figures:
                    values = dict(part.split("=") for part in label.removeprefix("V").strip(" |").split(" & ") if part)
                    found.add(tuple(values.get(d, "Total") for d in dims))
    return found


def _intervals(answer: dict[str, Any]) -> dict[int, tuple[float, float]]:
    """Our intervals of the cells that tau-ARGUS withheld, from the cells that it shows."""
    cells = [tuple(c) for c in answer["cells"]]
    inner = [i for i, c in enumerate(cells) if "Total" not in c]
    rows, low = [], []
    for i, cell in enumerate(cells):
        row = [all(a in (b, "Total") for a, b in zip(cell, cells[j], strict=True)) for j in inner]
        rows.append(np.array(row, dtype=float))
        low.append(answer["values"][i])
    matrix = sparse.csr_array(np.array(rows))
    hidden = [i for i, s in enumerate(answer["status"]) if s in "UM"]
    shown = [i for i in range(len(cells)) if i not in hidden]
    bounds = np.array(low)
    names = tuple("/".join(c) for c in cells)
    system = System(
        matrix[shown],
        bounds[shown],
        bounds[shown],
        # tau-ARGUS takes it for granted that no cell is below the smallest of the table, but for what it must stay open
        # below; we would not.
        np.minimum(bounds.min(), bounds - np.array(answer["open"]))[inner],
        np.full(len(inner), np.inf),
        False,
        tuple(names[i] for i in shown),
        tuple(names[i] for i in inner),
        bounds[inner],
    )
    found = find_bounds(system, matrix[hidden])
    return {i: (float(a), float(b)) for i, a, b in zip(hidden, found.low, found.high, strict=True)}


def check() -> list[str]:
    python = environment("pytauargus")
    assert python is not None, "pytauargus could not be installed: is there an index that pip can reach?"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "pandas"], check=True, capture_output=True)
    calls: list[dict[str, Any]] = []
    frames: list[pd.DataFrame] = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for number, (shape, seed) in enumerate(product(SHAPES, (1, 2))):
            frames.append(_people(shape, seed))
            frames[-1].to_csv(folder / f"{number}.csv", index=False)
            dims = list("ABC"[: len(shape)])
            calls += [{"table": number, "dims": dims, "rule": rule} for rule in RULES]
        (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
        ran = subprocess.run(
            [str(python), str(HERE / "tauargus_calls.py"), made], capture_output=True, text=True, check=False, cwd=made
        )
    assert ran.returncode == 0, ran.stderr[-500:]
    answers = json.loads(ran.stdout.splitlines()[-1])["answers"]
    lines = [_compare(frames[c["table"]], c, a) for c, a in zip(calls, answers, strict=True)]
    keep("tauargus", lines, {"tables": len(frames), "calls": len(calls)})
    wrong = [x for x in lines if x["unsafe_differ"] or x["intervals_differ"]]
    assert not wrong, json.dumps(wrong[:5])
    n = sum(x["intervals"] for x in lines)
    return [f"{len(frames)} tables, {len(calls)} rules: the same unsafe cells; {n:,} intervals alike"]


def _compare(frame: pd.DataFrame, call: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    table = table_from_frame(frame)
    theirs = {tuple(c) for c, s in zip(answer["cells"], answer["status"], strict=True) if s == "U"}
    ours = _ours(table, call["dims"], RULES[call["rule"]])
    mine = _intervals(answer)
    apart = [
        i
        for i, (low, high) in answer["intervals"].items()
        if abs(mine[int(i)][0] - low) > CLOSE * (1 + abs(low)) or abs(mine[int(i)][1] - high) > CLOSE * (1 + abs(high))
    ]
    return {
        "table": call["table"],
        "rule": call["rule"],
        "unsafe": len(theirs),
        "unsafe_differ": sorted("/".join(c) for c in theirs ^ ours),
        "intervals": len(answer["intervals"]),
        "intervals_differ": apart,
    }
