"""Tables through tau-ARGUS and through our rules and audit: the same unsafe cells, the same intervals.

Ten plain tables, five hierarchical ones, and five sets of linked tables, withheld cells of which are audited together.

pytauargus has an environment of its own (copyleft, never a dependency); without an index the check says so.
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
from scipy import sparse

from benchmarks.peers import environment
from benchmarks.suppression_tables import Hierarchical, linked
from benchmarks.validation.results import keep
from divulge.audit.bounds import find_bounds
from divulge.audit.jj import JjTable
from divulge.audit.system import System
from divulge.contributions import Case
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.totals import Totals
from divulge.rules.dominance import Dominance
from divulge.rules.p_percent import PPercent
from divulge.rules.rule import Rule
from divulge.rules.threshold import Threshold
from divulge.table import table_from_frame
from divulge.withholding.jj import withhold

HERE = Path(__file__).parent
RULES: dict[str, Rule] = {
    "NK(1,75)": Dominance(largest=1, per_cent=75.0),
    "NK(2,85)": Dominance(largest=2, per_cent=85.0),
    "P(10,1)": PPercent(per_cent=10.0),
    "P(25,1)": PPercent(per_cent=25.0),
    "FREQ(4,10)": Threshold(fewest=4),
}
SHAPES = ((4, 4), (6, 5), (3, 3, 3), (8, 4), (5, 3, 2))
DEEP = (
    Hierarchical(((3, 3), (4,)), 6),
    Hierarchical(((4,), (3, 4)), 8),
    Hierarchical(((2, 3), (2, 3)), 5),
    Hierarchical(((2, 2, 3), (3,)), 6),
    Hierarchical(((2, 3), (3,), (3,)), 4),
)
"""Hierarchical tables; a code begins with the code of what it is part of."""

LINKED: tuple[tuple[Any, ...], ...] = (
    (((0, 1), (0, 2), (1, 2)), (7, 6, 5), 20),
    (((0, 1), (0, 2), (1, 2)), (12, 10, 8), 16),
    (((0, 1), (1, 2)), (9, 8, 7), 12),
    (((0, 1, 2), (0, 3)), (4, 4, 3, 9), 12),
    (((0, 1), (0, 2), (0, 3)), (6, 5, 5, 4), 18),
)
"""Linked tables: the variables that span each, how many values they have, firms in a cell."""

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


def _levels(frame: pd.DataFrame, dims: list[str]) -> dict[str, list[str]]:
    """The columns of each variable from coarse to fine, which are added to the frame: `a0102` is in `a01`."""
    found = {}
    for d in dims:
        longest = int(frame[d].str.len().max())
        found[d] = [d] if longest < 5 else [f"{d}{n}" for n in range(3, longest + 1, 2)]
        for name in found[d] if longest >= 5 else ():
            frame[name] = frame[d].str.slice(stop=int(name[1:]))
    return found


def _ours(frame: pd.DataFrame, dims: list[str], rule: Rule) -> set[tuple[str, ...]]:
    """The unsafe cells by our rule, inner ones and margins, as tau-ARGUS names them."""
    wide = frame.copy()
    levels = _levels(wide, dims)
    table = table_from_frame(wide)
    found: set[tuple[str, ...]] = set()
    for chosen in product(*([None, *levels[d]] for d in dims)):
        by = tuple(name for name in chosen if name is not None)
        if isinstance(rule, Threshold):
            if not by:
                continue
            output: Any = Crosstab(variables=by, compute=True)
        else:
            output = Totals(variables=("V",), by=by, compute=True)
        case = Case(0, output, output.publish(output.evaluate(table), table.schema), table)
        for finding in rule.find(case):
            for label in finding.figures:
                values = dict(part.split("=") for part in label.removeprefix("V").strip(" |").split(" & ") if part)
                found.add(tuple("Total" if name is None else values[name] for name in chosen))
    return found


def _intervals(answer: dict[str, Any]) -> dict[int, tuple[float, float]]:
    """Our intervals of the cells that tau-ARGUS withheld, from the cells that it shows."""
    cells = [tuple(c) for c in answer["cells"]]
    longest = [max(len(c[d]) for c in cells if c[d] != "Total") for d in range(len(cells[0]))]
    inner = [
        i for i, c in enumerate(cells) if all(t != "Total" and len(t) == n for t, n in zip(c, longest, strict=True))
    ]
    rows, low = [], []
    for i, cell in enumerate(cells):
        row = [all(a == "Total" or b.startswith(a) for a, b in zip(cell, cells[j], strict=True)) for j in inner]
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
        for deep in DEEP:
            number, dims = len(frames), list("ABC"[: len(deep.variables)])
            frames.append(deep.people())
            frames[-1].to_csv(folder / f"{number}.csv", index=False)
            files = {d: folder / f"{number}.{d}.hrc" for d in deep.hierarchies()}
            for d, text in deep.hierarchies().items():
                files[d].write_text(text, encoding="utf-8")
            hrc = {d: str(file) for d, file in files.items()}
            calls += [{"table": number, "dims": dims, "rule": rule, "hrc": hrc} for rule in RULES]
        linked_ones = [withhold(linked(*one)) for one in LINKED]
        for number, one in enumerate(linked_ones):
            one.write(folder / f"{number}.jj")
        (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
        ran = subprocess.run(
            [str(python), str(HERE / "tauargus_calls.py"), made], capture_output=True, text=True, check=False, cwd=made
        )
    assert ran.returncode == 0, ran.stderr[-500:]
    said = json.loads(ran.stdout.splitlines()[-1])
    answers = said["answers"]
    pairs = list(zip(linked_ones, said["linked"], strict=True))
    n_linked, apart = sum(len(theirs) for _, theirs in pairs), sum(_differ(*pair) for pair in pairs)
    lines = [_compare(frames[c["table"]], c, a) for c, a in zip(calls, answers, strict=True)]
    totals = {"tables": len(frames), "calls": len(calls), "linked": len(LINKED), "linked intervals": n_linked}
    keep("tauargus", lines, {**totals, "linked intervals that differ": apart})
    wrong = [x for x in lines if x["unsafe_differ"] or x["intervals_differ"]]
    assert not wrong, json.dumps(wrong[:5])
    assert not apart, f"{apart} of {n_linked} intervals of linked tables differ"
    n = sum(x["intervals"] for x in lines)
    return [
        f"{len(frames)} tables, {len(calls)} rules: the same unsafe cells; {n:,} intervals alike",
        f"{len(LINKED)} sets of linked tables: {n_linked:,} intervals alike",
    ]


def _differ(table: JjTable, theirs: dict[str, list[float]]) -> int:
    """How many intervals of withheld cells of linked tables are not the same."""
    ours = {c.label: (c.low, c.high) for c in table.audit(by_limits=True).cells}
    return sum(
        any(abs(a - b) > CLOSE * (1 + abs(b)) for a, b in zip(ours[f"cell {cell}"], ends, strict=True))
        for cell, ends in theirs.items()
    )


def _compare(frame: pd.DataFrame, call: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    theirs = {tuple(c) for c, s in zip(answer["cells"], answer["status"], strict=True) if s == "U"}
    ours = _ours(frame, call["dims"], RULES[call["rule"]])
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
