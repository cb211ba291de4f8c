"""A pass over condensed people where outputs are counts, and no single table has all of them: tables together, rounded
ones, withheld cells.

What an intruder makes of such counts is expected numbers: how many people of every possible combination there are,
nearest to what is granted, with the released counts (fitting/). Nothing is searched for, and nothing is drawn but who
is in. Halves are drawn from the counts (multivariate hypergeometric) and give the marginal risk with its interval.
Those whose scores vary enough are then left out of the whole, one of each row: what is expected with them less what is
expected without them is their exposure in this release, and needs no test. Look-ups whose variables stand in one table
of exact counts are counted, as in `counted_pass.py`.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from divulge.assess.fitted.work import PartResult, Work
from divulge.assess.passes import PassResult, ScenarioRisk
from divulge.assess.single_pass import Pass
from divulge.assess.splits.measures import Figure, measure_scenario
from divulge.assess.splits.runner import Runner, Step
from divulge.assess.splits.task import Task
from divulge.assess.statistics.counted import Counted, count_exposures
from divulge.assess.statistics.expected import ExpectedHalves
from divulge.assess.statistics.left_out import MOST_SUSPECTS, left_out_parts
from divulge.assess.statistics.lookup_results import LookupResult, best_look, looks_of, with_leaves
from divulge.designs import BLOCK, RepeatedHalves
from divulge.fitting.fit import NEAR
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.objective import Embedding, Outcome
from divulge.policy import Policy
from divulge.table import Table

_TAG = 10
"""First word of the key of the random stream of halves, as in `designs.py`."""

_FOR_MEASURES = 1 << 20
"""Possible combinations up to which measures are taken on every half; above, each costs seconds."""

_FEW_MEASURED = 4
"""Halves on which they are taken above."""


@dataclass(eq=False)
class _Halves:
    """What halves came to. inside: how many of each row were in; near: of each output's figures, which were near."""

    looks: list[ExpectedHalves]
    inside: list[Integers]
    near: list[tuple[Mask, ...]] = field(default_factory=list)
    mae: list[tuple[float, ...]] = field(default_factory=list)
    measures: list[list[dict[str, Figure]]] = field(default_factory=list)
    sweep: list[dict[str, Figure]] = field(default_factory=list)

    def is_settled(self, policy: Policy) -> bool:
        """Whether the intervals are so narrow that more halves would not change the verdict."""
        return all(2 * look.risk().half_width <= policy.widest_interval / 4 for look in self.looks)


def run_fitted(job: Pass, design: RepeatedHalves, policy: Policy, runner: Runner) -> PassResult:
    """The pass, from expected numbers."""
    started, task = time.perf_counter(), job.task
    counted = count_exposures(task.lookups, task.outputs, job.printed, task.table, policy)
    untold = [i for i, exact in enumerate(counted) if exact is None]
    work = Work.of(task, job.printed, untold, [figures.se for figures in job.figures])
    outputs = tuple(work.reproduction(i) for i in range(len(job.printed)))
    drawn = work.fitting.space.drawn(work.whole.values, np.random.default_rng([task.seed, _TAG]))
    outcome = Outcome.REPRODUCED if all(o.is_complete for o in outputs) else Outcome.STALLED
    embedded = time.perf_counter()
    halves = _run_halves(work, job, design, policy, runner)
    looks, power = _looks(work, halves, counted, policy, runner)
    looks = list(with_leaves(looks, task.lookups, task.outputs, job.printed, task.table, policy))
    shares = [np.array([near[i] for near in halves.near]) for i in range(len(outputs))]
    return PassResult(
        outputs=job.outputs,
        whole=Embedding(drawn, outcome, outputs, embedded - started, 0, 0, 0.0),
        near=tuple(_mean(work.near(i, o)) for i, o in enumerate(outputs)),
        scenarios=tuple(_scenario_risk(task, i, looks, halves) for i in range(len(task.backing))),
        exposed=np.any([np.zeros(task.table.n_rows, dtype=bool), *(look.exposed for look in looks)], axis=0),
        n_splits=len(halves.inside),
        failed=(),
        n_silent=0,
        needs_all=False,
        in_splits=tuple(map(_mean, shares)),
        mae_in_splits=tuple(float(np.mean([mae[i] for mae in halves.mae])) for i in range(len(outputs))),
        worst_in_splits=tuple(float(share.mean(axis=0).min(initial=1.0)) for share in shares),
        trajectory=None,
        power=power,
        has_contrast=True,
        seconds={"embedding": embedded - started, "splits": time.perf_counter() - embedded},
        findings=job.findings,
        holdout=(),
    )


def _run_halves(work: Work, job: Pass, design: RepeatedHalves, policy: Policy, runner: Runner) -> _Halves:
    """Halves, block by block, until the intervals are narrow enough."""
    task, n_wanted = work.task, design.splits_wanted
    inside: list[Integers] = []
    halves = _Halves([ExpectedHalves(place.lookup, task.table, inside) for place in work.places], inside)
    n_measured = n_wanted if work.fitting.space.size <= _FOR_MEASURES else _FEW_MEASURED
    for start in range(0, n_wanted, BLOCK):
        numbers = range(start, min(start + BLOCK, n_wanted))
        drawn = [task.table.half(np.random.default_rng([task.seed, _TAG, number])) for number in numbers]
        for number, people, found in zip(numbers, drawn, _shared_out(work, drawn, NEAR, runner), strict=True):
            inside.append(people)
            for look, place in zip(halves.looks, work.places, strict=True):
                look.add(place.scores(found.values), people)
            halves.near.append(found.near)
            halves.mae.append(found.mae)
            if number < n_measured:
                _measure(work, halves, people, found, number)
            if runner.listener is not None:
                runner.listener(Step(job.stage, number + 1, n_wanted, None))
        if design.stop_early and halves.is_settled(policy):
            break
    return halves


def _shared_out(work: Work, parts: Iterable[Integers], near: float, runner: Runner) -> Iterator[PartResult]:
    """What is expected from each part, in their order: on a cluster where there is one, else in threads, since compiled
    loops leave other threads alone. parts: how many people of each row are in."""
    if runner.cluster is not None:
        yield from runner.cluster.each(work, ((people, near) for people in parts), _part)
        return
    n = runner.workers or os.cpu_count() or 1
    # No more are held than are worked on: each is as large as all possible combinations.
    waiting: deque[Future[PartResult]] = deque()
    with ThreadPoolExecutor(n) as pool:
        for part in parts:
            waiting.append(pool.submit(_part, work, (part, near)))
            if len(waiting) == n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _part(work: Work, item: tuple[Integers, float]) -> PartResult:
    """One part, wherever it is worked out."""
    people, near = item
    return work.part(work.task.table.with_people(people), near)


def _measure(work: Work, halves: _Halves, inside: Integers, found: PartResult, number: int) -> None:
    """The measures of every scenario on one half. Whole people are drawn from what is expected."""
    task, measured, sweep = work.task, [], []
    for i, scenario in enumerate(task.scenarios):
        own, values = work.fitting.space.projected(found.values, [*scenario.keys, scenario.target])
        synthetic = own.drawn(values, np.random.default_rng([task.seed, _TAG, number, i]))
        people, others = _by_cell(task, i, inside)
        measured.append(measure_scenario(task, scenario, people, synthetic, others))
        if number == 0:
            sizes = scenario.key_sizes
            sweep.append(measure_scenario(task, scenario, people, synthetic, others, sizes) if sizes else {})
    halves.measures.append(measured)
    halves.sweep = halves.sweep or sweep


def _by_cell(task: Task, number: int, inside: Integers) -> tuple[Table, Table]:
    """Who is in and who is out, by the cells of a scenario, in their order: what has been grouped need not be again."""
    lookup, table = task.lookups[number], task.table
    codes = [*lookup.coding.decode(lookup.cells // lookup.width), lookup.cells % lookup.width]
    schema = table.schema.select([*lookup.scenario.keys, lookup.scenario.target])
    everybody = table.tally(lookup.cell_of_row, len(lookup.cells))
    cells = Table(schema, tuple(c.astype(v.dtype) for v, c in zip(schema, codes, strict=True)), everybody)
    n_in = np.bincount(lookup.cell_of_row, inside, minlength=len(everybody)).astype(np.int64)
    return cells.with_people(n_in), cells.with_people(everybody - n_in)


def _looks(
    work: Work, halves: _Halves, counted: Sequence[Counted | None], policy: Policy, runner: Runner
) -> tuple[list[LookupResult], float]:
    """Every look-up, and with what probability somebody exposed would have been found."""
    table, lookups = work.task.table, [place.lookup for place in work.places]
    crowds = work.crowds()
    can = [look.can_exceed(policy.delta)[look.lookup.cell_of_row] for look in halves.looks]
    # One person moves what is expected of them by no more than about their pull; twice that is sure.
    may = np.any([np.zeros(table.n_rows, dtype=bool), *can], axis=0)
    strength = work.strength(crowds)
    suspects = np.flatnonzero(may & (2 * strength > policy.delta))
    suspects = suspects[np.argsort(-strength[suspects], kind="stable")]
    parts = left_out_parts(suspects[:MOST_SUSPECTS], crowds, lookups)
    exposures = [look.exposures()[look.lookup.cell_of_row] for look in halves.looks]
    exposed = [np.zeros(table.n_rows, dtype=bool) for _ in lookups]
    whole = [place.scores(work.whole.values) for place in work.places]
    assert table.people is not None, "condensed"
    rows = np.arange(table.n_rows)
    without = (table.people - np.isin(rows, part) for part in parts)
    for part, found in zip(parts, _shared_out(work, without, 0.0, runner), strict=True):
        for k, place in enumerate(work.places):
            cells = place.lookup.cell_of_row[part]
            exposures[k][part] = whole[k][cells] - place.scores(found.values, np.asarray(cells, dtype=np.int64))
            exposed[k][part] = exposures[k][part] > policy.delta
    told = iter(range(len(lookups)))
    looks = []
    for exact in counted:
        if exact is not None:
            looks += looks_of(None, None, [exact], policy)
            continue
        k = next(told)
        nobody = np.zeros(table.n_rows, dtype=bool)
        contrasts = dict(enumerate(halves.looks[k].freed()))
        looks.append(LookupResult(exposures[k], exposed[k], nobody, halves.looks[k].risk(), contrasts, is_exact=False))
    return looks, sum(map(len, parts)) / len(suspects) if len(suspects) else 1.0


def _scenario_risk(task: Task, i: int, looks: Sequence[LookupResult], halves: _Halves) -> ScenarioRisk:
    look = best_look([looks[k] for k in task.backing[i]])
    measures = [one[i] for one in halves.measures]
    return ScenarioRisk.without_search(task.lookups[i], look, measures, [halves.sweep[i]] if halves.sweep else [])


def _mean(values: Floats | Mask) -> float:
    return float(values.mean()) if values.size else 1.0
