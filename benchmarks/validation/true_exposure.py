"""Who is called exposed by a full table, held against exposures that need no search and no test.

A full table is its microdata, so the score of everybody can be counted on the half itself; the mean over thousands of
halves is each person's true exposure. `SIZES` in the environment ("2000:3": rows and seeds) makes it shorter.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.validation.known_outputs import FINER, UNSAFE, KnownOutput, Mask, assessed, people_of, sizes_of
from benchmarks.validation.results import keep
from divulge.assess import plan
from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.task import make_task
from divulge.assess.statistics.exposure import Sums
from divulge.designs import RepeatedHalves
from divulge.kernels.arrays import Floats
from divulge.policy import Policy
from divulge.spec import Inputs, parse_spec
from divulge.synthesisers import Descent
from divulge.table import Table

SIZES = sizes_of("2000:10 10000:2 49900:1")
"""The extract has no more than 50,000 to draw from, some of them taken out."""

N_HALVES = 2000
"""So many that a true exposure is known to about 0.01."""

CASES = (UNSAFE[0], UNSAFE[1], *FINER[2:])


def true_exposures(outputs: list[dict[str, object]], table: Table) -> Floats:
    """Everybody's largest exposure over the default scenarios."""
    spec = parse_spec({"data": "none.csv", "outputs": outputs}, Path())
    ready = plan(spec, Inputs(table.schema, table, table.n_rows, (None,)))
    names = ready.outputs[0].uses(table.schema)
    scenarios = scenarios_for((), ready.outputs, table.schema)
    task = make_task(ready.outputs, scenarios, table.select(names), (), Descent(), 1)
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
        for n_rows, n_seeds in SIZES:
            lines.append({"output": case.name, "data": case.data, "rows": n_rows, "seeds": n_seeds})
            lines[-1] |= _counted([_called_and_true(case, n_rows, seed) for seed in range(1, n_seeds + 1)], delta)
    keep("true_exposure", lines, {"halves": N_HALVES, "delta": delta})
    assert all(x["called, not above δ/2"] <= 0.05 * x["called exposed"] for x in lines), lines
    return [", ".join(f"{k} {v}" for k, v in x.items()) for x in lines]


def _called_and_true(case: KnownOutput, n_rows: int, seed: int) -> tuple[Mask, Floats]:
    """Who is called exposed, and everybody's true exposure."""
    table, _ = people_of(case, n_rows, seed)
    return assessed(case, table, seed).exposed, true_exposures([dict(o) for o in case.outputs], table)


def _counted(found: list[tuple[Mask, Floats]], delta: float) -> dict[str, int]:
    called, true = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return {
        "truly above δ": int((true > delta).sum()),
        "called exposed": int(called.sum()),
        "both": int((called & (true > delta)).sum()),
        "called, not above δ": int((called & (true <= delta)).sum()),
        "called, not above δ/2": int((called & (true <= delta / 2)).sum()),
    }
