"""How often the 95 % intervals hold the mean of a long run, for the marginal risk and for every measure.

Given the data, each assessment draws its splits and searches anew from its seed; the mean over all of them is the long
run. `N_INTERVALS` in the environment makes it shorter, `CASES` ("large table;fine table") takes some of the outputs.
Runs are kept in `.venv/validation` as they end. Where FOREIGN names the folder that holds `wild/cases/`, two outputs on
data that nobody tuned for are among them.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.foreign import FOLDER, frame_of, table_of
from benchmarks.validation.foreign_data.case import BIRTHS, ROSSI
from benchmarks.validation.known_outputs import PLANTED, KnownOutput, people_of
from benchmarks.validation.results import keep, kept
from divulge.assess import Plan, plan
from divulge.assess.splits.measures import Figure
from divulge.assess.splits.split import run_split
from divulge.assess.splits.task import make_task
from divulge.assess.statistics.contrasts import SHARES, Shares, measure_risks
from divulge.assess.statistics.exposure import ScoreSums
from divulge.designs import BLOCK, RepeatedHalves
from divulge.scenario import Lookup, Matches, Scenario
from divulge.spec import Inputs, parse_spec
from divulge.table import Table

N_INTERVALS = int(os.environ.get("N_INTERVALS", "400"))
N_ROWS = 600
"""Small, so that chance has its say and runs are quick."""

MEASURES = ("TCAP", "DCAP", "DCAP_matched", "DiSCO")
"""Measures that are known by cell. TCAP_zero is DiSCO."""

BY_BLOCKS = "DCAP, by blocks"
"""Stands for the measures that are not: their blocks take the splits' place."""

KEPT = Path(sys.prefix) / "validation" / "coverage.jsonl"

CASES = (
    KnownOutput(
        "large table",
        "census",
        ({"kind": "crosstab", "variables": ["TENURE", "SEX", "LTILL"], "compute": True},),
        "safe",
    ),
    KnownOutput(
        "fine table",
        "census",
        ({"kind": "crosstab", "variables": ["TENURE", "AREAP", "MSTATUS", "LTILL"], "compute": True},),
    ),
    KnownOutput(
        "three unique people",
        "census",
        ({"kind": "crosstab", "variables": ["TENURE", "AREAP"], "compute": True},),
        people=tuple({"AREAP": area, "TENURE": 1} for area in PLANTED["census"][1]),
    ),
    KnownOutput(
        "logistic regression",
        "census",
        ({"kind": "logistic", "formula": "TENURE ~ AGE + SEX + LTILL", "decimals": 3, "compute": True},),
        "safe",
    ),
)


FOREIGN = (
    KnownOutput(
        "prisoners by race, work and marriage",
        ROSSI,
        ({"kind": "crosstab", "variables": ["race", "wexp", "mar"], "compute": True},),
        scenario={"target": "mar", "keys": ["race", "wexp"]},
    ),
    KnownOutput(
        "births by parity, sex and race",
        BIRTHS,
        ({"kind": "crosstab", "variables": ["parity", "male", "white"], "compute": True},),
        scenario={"target": "white", "keys": ["parity", "male"]},
    ),
)
"""On everybody of two data sets from elsewhere."""

CHOSEN = [name for name in os.environ.get("CASES", "").split(";") if name]


def _cases() -> list[KnownOutput]:
    every = [*CASES, *(FOREIGN if FOLDER.is_dir() else ())]
    return [c for c in every if not CHOSEN or c.name in CHOSEN]


def _people(case: KnownOutput) -> Table:
    if case not in FOREIGN:
        return people_of(case, N_ROWS, 1)[0]
    with TemporaryDirectory() as folder:
        return table_of(frame_of(case.data), Path(folder))


@cache
def _prepared(name: str) -> tuple[Plan, Table]:
    """The case as an assessment would run it, and its people."""
    case = next(c for c in (*CASES, *FOREIGN) if c.name == name)
    table = _people(case)
    spec = parse_spec({"data": "none.csv", "outputs": [dict(o) for o in case.outputs]}, Path())
    return plan(spec, Inputs(table.schema, table, table.n_rows, (None,))), table


def intervals(case: KnownOutput, seed: int) -> dict[str, list[float]]:
    """Value, low and high of the marginal risk and of each measure's difference, over 30 splits of one seed.

    Then 1 where the interval is no wider than it is at least (`Shares.least_half_width`), else 0.
    """
    ready, table = _prepared(case.name)
    target, keys = _scenario(case)
    task = make_task(ready.outputs, [Scenario(keys, target)], table, (), ready.synthesiser, seed)
    lookup = task.lookups[0]
    sums, shares = ScoreSums(lookup), Shares(lookup)
    masks, blocks, measured = [], [], []
    for split in RepeatedHalves().splits(table.n_rows, seed):
        found = run_split(task, split, False, False)
        if not found.is_usable:
            continue
        inside = split.rows()[0]
        masks.append(inside)
        blocks.append(split.number // BLOCK)
        sums.add(found.counts[0], inside)
        shares.add(found.counts[0])
        # The families of measures give the same (tests/unit/assess/test_contrasts.py) and take longer.
        figures = {name: _figure(name, found.counts[0], lookup, inside) for name in MEASURES}
        measured.append(figures | {BY_BLOCKS: figures["DCAP"]})
    risk = sums.marginal_risk(masks)
    made = {"marginal risk": [risk.value, risk.low, risk.high, 0.0]}
    for name, m in measure_risks(measured, shares, masks, blocks).items():
        d = m.difference
        least = shares.least_half_width(name) if shares.n_splits.get(name) else 0.0
        made[name] = [d.value, d.low, d.high, float(0.0 < d.half_width <= least * (1 + 1e-9))]
    return made


def _figure(name: str, counts: Matches, lookup: Lookup, inside: NDArray[np.bool_]) -> Figure:
    above, below = (part(counts)[lookup.cell_of_row] for part in SHARES[name])
    with np.errstate(invalid="ignore", divide="ignore"):
        return Figure(above[inside].sum() / below[inside].sum(), above[~inside].sum() / below[~inside].sum(), np.nan)


def _scenario(case: KnownOutput) -> tuple[str, tuple[str, ...]]:
    """Target and keys."""
    if case.scenario:
        return case.scenario["target"], tuple(case.scenario["keys"])
    return "TENURE", tuple(n for n in case.outputs[0].get("variables", ("AGE", "SEX", "LTILL")) if n != "TENURE")


def runs() -> dict[str, list[dict[str, Any]]]:
    """All intervals of each case, seed by seed over the cases."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    done = {(r["case"], r["seed"]): r["found"] for r in map(json.loads, lines)}
    for seed in range(1, N_INTERVALS + 1):
        for case in _cases():
            if (case.name, seed) not in done:
                done[case.name, seed] = intervals(case, seed)
                with KEPT.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"case": case.name, "seed": seed, "found": done[case.name, seed]}) + "\n")
    return {c.name: [done[c.name, s] for s in range(1, N_INTERVALS + 1)] for c in _cases()}


def check() -> list[str]:
    lines = []
    for case, found in runs().items():
        for name in found[0]:
            given = [f[name] for f in found]
            value, low, high, is_least = np.array(given, dtype=float).T
            # A measure that hardly any split defines, or that never differs, has no interval to speak of.
            known = np.isfinite(value) & np.isfinite(low)
            if known.sum() < 0.9 * len(given) or np.ptp(value[known]) < 1e-5:
                continue
            truth = value[known].mean()
            inside = (low[known] <= truth) & (truth <= high[known])
            lines.append(
                {
                    "output": case,
                    "measure": name,
                    "runs": int(known.sum()),
                    "long run": float(truth),
                    "mean width": float((high - low)[known].mean()),
                    "coverage": float(inside.mean()),
                    "too low": float((high[known] < truth).mean()),
                    "too high": float((low[known] > truth).mean()),
                    "at least width": float(is_least[known].mean()),
                }
            )
    # What was not run now stays as it was found last.
    earlier = [x for x in kept("coverage") if x["output"] not in {c.name for c in _cases()}]
    keep("coverage", [*earlier, *lines], {"rows": N_ROWS, "splits": 30})
    error = np.sqrt(0.05 * 0.95 / N_INTERVALS)
    # 93 to 97 %, and twice the standard error that so many intervals have. Where the difference hardly ever changes,
    # intervals have their least width and hold more: a figure that jumps cannot be covered 95 times in a hundred.
    wrong = [
        x
        for x in lines
        if x["coverage"] < 0.93 - 2 * error or (x["coverage"] > 0.97 + 2 * error and x["at least width"] < 0.5)
    ]
    said = [f"{x['output']}, {x['measure']}: {x['coverage']:.1%} of {x['runs']}" for x in lines]
    assert not wrong, "; ".join(said)
    return said
