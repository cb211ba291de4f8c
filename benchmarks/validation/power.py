"""Whether power is what it says: somebody is made exposed by twice δ, and the tests must find them as often as stated.

Outputs, searches, splits and tests are real. One person's score is raised by twice δ wherever they are in, first in the
halves and then in the second look: that is what the stated probability is about. `N_SEEDS` in the environment makes it
shorter or longer. Assessments are kept in `.venv/validation` as they end; remove the file to start anew.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.validation.results import keep
from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.split import SplitResult, run_split
from divulge.assess.splits.task import Task, make_task
from divulge.assess.statistics.exposure import FINEST, ScoreSums
from divulge.assess.statistics.halves import Halves
from divulge.assess.statistics.power import PEOPLE, power_of
from divulge.assess.statistics.suspects import in_small_groups, leave_out, smallest_classes, telling
from divulge.demo.census import simulated_census
from divulge.designs import BLOCK, CONFIRMING, RepeatedHalves, Split
from divulge.kernels.arrays import Mask
from divulge.policy import Policy
from divulge.scenario import Lookup, Matches
from divulge.spec import parse_spec
from divulge.synthesisers import Descent

N_SEEDS = int(os.environ.get("N_SEEDS", "3"))
N_ROWS = 150
"""So few that searches differ and power is not 1."""

PLANTED = 5
"""People to whom it is done in each assessment, one after the other."""

KEPT = Path(sys.prefix) / "validation" / "power.jsonl"

SPLITS = (16, 20, 30)
WITHIN = 0.05

OUTPUTS: dict[str, dict[str, Any]] = {
    "linear": {"kind": "linear", "formula": "AGE ~ SEX + LTILL", "decimals": 1},
    "shares of groups": {"kind": "means", "variables": ["TENURE"], "by": ["SEX", "LTILL"], "decimals": 2},
    "means": {"kind": "means", "variables": ["AGE"], "by": ["LTILL"], "decimals": 0},
    "table rounded to ten": {"kind": "crosstab", "variables": ["LTILL", "TENURE", "SEX"], "base": 10},
    "Gini": {"kind": "gini", "variables": ["AGE"], "by": ["SEX"], "decimals": 2},
}


@dataclass
class Planted(ScoreSums):
    """Sums over splits with a cell for one person alone, whose score differs by `rise` between in and out."""

    person: int = 0
    rise: float = 0.0

    def __post_init__(self) -> None:
        lookup = self.lookup
        self.own, self.shared = len(lookup.cells), int(lookup.cell_of_row[self.person])
        rows = lookup.cell_of_row.copy()
        rows[self.person] = self.own
        cells, prior = (np.append(values, values[self.shared]) for values in (lookup.cells, lookup.prior))
        self.lookup = replace(lookup, cells=cells, prior=prior, cell_of_row=rows)
        super().__post_init__()

    def add(self, counts: Matches, inside: Mask) -> None:
        more = (np.append(values, values[self.shared]) for values in (counts.near, counts.matched, counts.certain))
        super().add(Matches(*more), inside)
        is_in, step = bool(inside[self.person]), self.steps[-1]
        # Scores stay between 0 and 1: a high one is lowered where out.
        is_high = bool(self.lookup.prior[self.own] > 0.5)
        before = step[self.own] / FINEST
        after = float(np.clip(before + self.rise * (is_in - is_high), 0.0, 1.0))
        step[self.own] = round(after * FINEST)
        self.total[self.own] += after - before
        self.squares[self.own] += after**2 - before**2
        self.inside[self.person] += is_in * (after - before)


def planted_halves(task: Task, person: int, by: Lookup, rise: float) -> Halves:
    """Empty halves that will show this person by one look-up."""
    halves = Halves(task.lookups)
    halves.sums = [Planted(s.lookup, person=person, rise=rise) if s.lookup is by else s for s in halves.sums]
    return halves


def run(task: Task, splits: Sequence[Split]) -> list[SplitResult]:
    return [run_split(task, split, False, False) for split in splits]


def add_all(halves: Halves, results: Sequence[SplitResult]) -> Halves:
    for result in results:
        halves.add(result, result.split.number // BLOCK)
    return halves


def cases(name: str, seed: int, n_splits: int) -> Iterator[dict[str, Any]]:
    """One assessment, and the people to whom it is done."""
    policy, table = Policy(), simulated_census(N_ROWS, seed)
    spec = parse_spec({"data": "none.csv", "outputs": [OUTPUTS[name] | {"compute": True}]}, Path())
    scenarios = scenarios_for((), spec.outputs, table.schema)
    task = make_task(spec.outputs, scenarios, table, (), Descent(seconds=20), seed)
    results = run(task, RepeatedHalves(splits_wanted=n_splits).splits(N_ROWS, seed))
    halves = add_all(Halves(task.lookups), results)
    named = in_small_groups(task.outputs, task.table)
    first = named | smallest_classes(task.lookups, task.table)
    tells = telling(task.lookups, task.table)
    stated = power_of(halves, tells, halves.exposed(policy, first), first, policy, seed)
    people = np.random.default_rng(seed).permutation(np.flatnonzero(first)[:PEOPLE])[:PLANTED]
    for person in people.tolist():
        # The look-up that tells best: by which their score varies least.
        variances = [halves.sums[i].squares - halves.sums[i].total ** 2 / n_splits for i in tells]
        best = int(np.argmin([v[task.lookups[i].cell_of_row[person]] for i, v in zip(tells, variances, strict=True)]))
        by, rise = task.lookups[tells[best]], 2 * policy.delta
        found = add_all(planted_halves(task, person, by, rise), results).exposed(policy, first)
        if found.by_any[person]:
            out = leave_out(found.by_any | named, task.lookups, CONFIRMING, 0, seed)
            whole = add_all(planted_halves(task, person, by, rise), run(task, out))
            found = whole.confirm(found, policy, named)
        yield {"output": name, "seed": seed, "splits": n_splits, "stated": stated, "found": bool(found.by_any[person])}


def check() -> list[str]:
    seeds = range(1, N_SEEDS + 1)
    every = [x for seed in seeds for name in OUTPUTS for n_splits in SPLITS for x in _kept_cases(name, seed, n_splits)]
    lines = []
    for name in OUTPUTS:
        for n_splits in SPLITS:
            own = [x for x in every if (x["output"], x["splits"]) == (name, n_splits)]
            lines.append({"output": name, "splits": n_splits, "planted": len(own), **_both(own)})
    totals = {"rows": N_ROWS, "seeds": N_SEEDS, "planted": len(every), **_both(every)}
    keep("power", lines, totals)
    assert abs(totals["stated"] - totals["found"]) <= WITHIN, totals
    return [", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in x.items()) for x in lines]


def _kept_cases(name: str, seed: int, n_splits: int) -> list[dict[str, Any]]:
    """What one assessment found, from the file where it is there already."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    done = {tuple(r["which"]): r["found"] for r in map(json.loads, lines)}
    if (name, seed, n_splits) not in done:
        done[name, seed, n_splits] = found = list(cases(name, seed, n_splits))
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"which": [name, seed, n_splits], "found": found}) + "\n")
    return list(done[name, seed, n_splits])


def _both(planted: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {what: float(np.mean([x[what] for x in planted])) for what in ("stated", "found")}
