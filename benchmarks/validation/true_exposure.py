"""Who is called exposed by a full table, held against exposures that need no search and no test.

A full table is its microdata, so the score of everybody can be counted on the half itself; the mean over thousands of
halves is each person's true exposure. `N_SEEDS` in the environment makes it shorter.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.validation.animals import FINER, UNSAFE, people_of
from benchmarks.validation.results import keep
from divulge.assess import assess, plan
from divulge.assess.attacks import Floats, default_attacks
from divulge.assess.exposure import Sums
from divulge.assess.passes import make_task
from divulge.designs import RepeatedHalves
from divulge.policy import Policy
from divulge.spec import Inputs, parse_spec
from divulge.synthesisers import Descent
from divulge.table import Table

N_SEEDS = int(os.environ.get("N_SEEDS", "3"))
N_ROWS = 2000
N_HALVES = 2000
"""So many that a true exposure is known to about 0.01."""

CASES = (UNSAFE[0], UNSAFE[1], *FINER[2:4])


def true_exposures(outputs: list[dict[str, object]], table: Table) -> Floats:
    """Everybody's largest exposure over the default attacks."""
    spec = parse_spec({"data": "none.csv", "outputs": outputs}, Path())
    ready = plan(spec, Inputs(table.schema, table, table.n_rows, (None,)))
    names = ready.outputs[0].uses(table.schema)
    attacks = default_attacks(ready.outputs, table.schema)
    task = make_task(ready.outputs, attacks, table.select(names), (), Descent(), 1)
    sums = [Sums(lookup) for lookup in task.lookups]
    # Another seed than any assessment has: the same halves would have the same luck.
    for split in RepeatedHalves(splits_wanted=N_HALVES).splits(table.n_rows, 1_000_003):
        inside, _ = split.rows()
        part = task.table.take(inside)
        for total, lookup in zip(sums, task.lookups, strict=True):
            total.add(lookup.counts(part), inside)
            total.steps.clear()  # kept for tests, of which there are none here
    return np.max([s.exposures() for s in sums], axis=0)


def check() -> list[str]:
    delta, lines = Policy().delta, []
    for case in CASES:
        n_found = n_true = n_right = n_false = n_far = 0
        for seed in range(1, N_SEEDS + 1):
            table, _ = people_of(case, N_ROWS, seed)
            outputs = [dict(o) for o in case.outputs]
            document = {"data": "none.csv", "outputs": outputs, "seed": seed, "measures": ["DCAP"]}
            document["design"] = {"kind": "repeated-halves", "curve": False}
            ready = plan(parse_spec(document, Path()), Inputs(table.schema, table, table.n_rows, (None,)))
            found, true = assess(ready, workers=1).exposed, true_exposures(outputs, table)
            n_found += int(found.sum())
            n_true += int((true > delta).sum())
            n_right += int((found & (true > delta)).sum())
            n_false += int((found & (true <= delta)).sum())
            n_far += int((found & (true <= delta / 2)).sum())
        lines.append(
            {
                "output": case.name,
                "data": case.data,
                "seeds": N_SEEDS,
                "truly above δ": n_true,
                "called exposed": n_found,
                "both": n_right,
                "called, not above δ": n_false,
                "called, not above δ/2": n_far,
            }
        )
    keep("true_exposure", lines, {"rows": N_ROWS, "halves": N_HALVES, "delta": delta})
    assert all(x["called, not above δ/2"] <= 0.05 * x["called exposed"] for x in lines), lines
    return [", ".join(f"{k} {v}" for k, v in x.items()) for x in lines]
