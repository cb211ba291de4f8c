"""A pass where everything is counts: nothing is searched for, nobody is drawn, and it costs what different rows cost.

If one crosstab of exact counts has every variable of the outputs and the scenarios, whatever reproduces it has its
counts: the rows that it is are the synthetic data. Marginal risk and exposure are exact (statistics/counted.py). People
with a missing value may not be in the crosstab: an intruder who reads it learns nothing from their being in the data.
Measures need people who are out: halves of the cells are drawn, as many people of each as halves of the rows would have
(multivariate hypergeometric), which is the same and costs nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from divulge.assess.passes import PassResult, ScenarioRisk
from divulge.assess.single_pass import Pass
from divulge.assess.splits.measures import Figure, measure_scenario
from divulge.assess.splits.task import Task
from divulge.assess.statistics.counted import read_off
from divulge.assess.statistics.lookup_results import best_look, looks_of
from divulge.designs import RepeatedHalves
from divulge.measures.families.family import Family
from divulge.objective import Embedding, Outcome
from divulge.objective.reproduction import reproduce
from divulge.outputs import Output, Released
from divulge.policy import Policy
from divulge.scenario import Scenario
from divulge.table import Table

_TAG = 6
"""First word of the key of the random stream of halves, as in `designs.py`."""


def spanning(
    outputs: Sequence[Output], printed: Sequence[Released], scenarios: Sequence[Scenario], table: Table
) -> int | None:
    """The number of the output whose exact counts have all variables of the others and of the scenarios; None: none."""
    every = {n for o in outputs for n in o.uses(table.schema)} | {n for s in scenarios for n in s.variables}
    if not all(scenario.keys for scenario in scenarios):
        return None
    for i, (output, released) in enumerate(zip(outputs, printed, strict=True)):
        if every <= set(output.own_variables()) and output.as_rows(table.schema, released) is not None:
            return i
    return None


def counts_suffice(families: Sequence[Family], design: object) -> bool:
    """Whether measures and design can be worked out from counts alone."""
    return isinstance(design, RepeatedHalves) and not any(family.needs_rows for family in families)


def run_counted(job: Pass, design: RepeatedHalves, policy: Policy) -> PassResult:
    """The pass, from counts."""
    started, task = time.perf_counter(), job.task
    at = spanning(task.outputs, job.printed, task.scenarios, task.table)
    assert at is not None, "asked before the pass"
    synthetic = task.outputs[at].as_rows(task.schema, job.printed[at])
    assert synthetic is not None, "exact counts are rows"
    outputs = reproduce(task.recipe(dict(enumerate(job.printed)), task.table.n_people).objective, synthetic)
    outcome = Outcome.REPRODUCED if all(o.is_complete for o in outputs) else Outcome.STALLED
    looks = looks_of(None, None, [read_off(lookup, synthetic, task.table, policy) for lookup in task.lookups], policy)
    embedded = time.perf_counter()
    figures = [_measured(task, synthetic, design, i) for i in range(len(task.scenarios))]
    nobody = np.zeros(task.table.n_rows, dtype=bool)
    near = tuple(float(o.agrees.mean()) if o.agrees.size else 1.0 for o in outputs)
    return PassResult(
        outputs=job.outputs,
        whole=Embedding(synthetic, outcome, outputs, embedded - started, 0, 0, 0.0),
        near=near,
        scenarios=tuple(
            ScenarioRisk.without_search(task.lookups[i], best_look([looks[k] for k in backing]), *figures[i])
            for i, backing in enumerate(task.backing)
        ),
        exposed=np.any([nobody, *(look.exposed for look in looks)], axis=0),
        n_splits=design.splits_wanted,
        failed=(),
        n_silent=0,
        needs_all=False,
        in_splits=near,
        mae_in_splits=tuple(o.mae for o in outputs),
        worst_in_splits=near,
        trajectory=None,
        power=1.0,
        has_contrast=True,
        seconds={"embedding": embedded - started, "splits": time.perf_counter() - embedded},
        findings=job.findings,
        holdout=(),
    )


_Figures = tuple[list[dict[str, Figure]], list[dict[str, Figure]]]
"""Measures of every half, and those over key subsets of the first."""


def _measured(task: Task, synthetic: Table, design: RepeatedHalves, number: int) -> _Figures:
    """The measures of one scenario on halves: the people in are their own synthetic data."""
    scenario = task.scenarios[number]
    cells = synthetic.select(scenario.variables).condensed()
    found: _Figures = ([], [])
    rng = np.random.default_rng([task.seed, _TAG, number])
    for split in range(design.splits_wanted):
        people, others = cells.halved(rng)
        found[0].append(measure_scenario(task, scenario, people, people, others))
        if split == 0 and scenario.key_sizes:
            found[1].append(measure_scenario(task, scenario, people, people, others, scenario.key_sizes))
    return found
