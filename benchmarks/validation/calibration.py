"""Whether the p-values of exposures are what they say, on the records of safe outputs.

Under a safe output being in changes next to nothing, so P(p ≤ u) must not exceed u. Kolmogorov–Smirnov, one-sided, and
the shares below the usual levels, over all people, scenarios and seeds. `N_SEEDS` in the environment makes it shorter.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.validation.known_outputs import SAFE, KnownOutput, people_of
from benchmarks.validation.results import keep
from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.split import run_split
from divulge.assess.splits.task import make_task
from divulge.assess.statistics.exposure import ScoreSums
from divulge.designs import BLOCK, RepeatedHalves
from divulge.kernels.arrays import Floats
from divulge.spec import parse_spec
from divulge.synthesisers import Descent

N_SEEDS = int(os.environ.get("N_SEEDS", "10"))
N_ROWS = 2000
LEVELS = (0.05, 0.01, 0.001)


def p_values(case: KnownOutput, seed: int) -> Floats:
    """The p-values of everybody under the first scenario, over 30 splits."""
    table, _ = people_of(case, N_ROWS, seed)
    spec = parse_spec({"data": "none.csv", "outputs": [dict(o) for o in case.outputs]}, Path())
    scenarios = scenarios_for((), spec.outputs, table.schema)[:1]
    task = make_task(spec.outputs, scenarios, table, (), Descent(start="model"), seed)
    sums = ScoreSums(task.lookups[0])
    masks, blocks = [], []
    for split in RepeatedHalves().splits(table.n_rows, seed):
        found = run_split(task, split, False, False)
        masks.append(split.rows()[0])
        blocks.append(split.number // BLOCK)
        sums.add(found.counts[0], masks[-1])
    return sums.p_values(masks, blocks)


def check() -> list[str]:
    lines = []
    for case in SAFE:
        if case.outputs[0]["kind"] not in ("logistic", "linear", "poisson"):
            # In a table everybody has an exposure of one over the size of their cell: small, and no error of the test.
            continue
        p = np.concatenate([p_values(case, seed) for seed in range(1, N_SEEDS + 1)])
        test = stats.kstest(p, "uniform", alternative="greater")
        lines.append(
            {
                "output": case.name,
                "data": case.data,
                "people": len(p),
                **{f"p ≤ {level:g}": float((p <= level).mean()) for level in LEVELS},
                "largest excess": float(test.statistic),
                "KS p-value": float(test.pvalue),
            }
        )
    keep("calibration", lines, {"rows": N_ROWS, "seeds": N_SEEDS, "splits": 30})
    # One in a thousand for each of the cases, by chance.
    assert all(x["KS p-value"] > 0.001 for x in lines), lines
    return [", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in x.items()) for x in lines]
