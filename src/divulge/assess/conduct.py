"""An assessment from its plan to its record: passes over the outputs together and alone, the verdicts, plain data."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from divulge import __version__
from divulge.assess.arithmetic import Arithmetic, work_out
from divulge.assess.budget import Clock, share_of
from divulge.assess.counted_pass import run_counted, spanning
from divulge.assess.decision import decide_all
from divulge.assess.fitted.fitted_pass import run_fitted
from divulge.assess.passes import PassResult, run_pass
from divulge.assess.plan import Plan
from divulge.assess.record import Source, make_record
from divulge.assess.sampled import Sample
from divulge.assess.searched_halves import DEAR, NEAR
from divulge.assess.single_pass import Pass
from divulge.assess.splits.checkpoint import Checkpoint, digest_of, digest_of_table
from divulge.assess.splits.cluster import Cluster
from divulge.assess.splits.granted import granted_by_size
from divulge.assess.splits.runner import WORTH_STARTING, Listener, Runner
from divulge.assess.splits.task import Task, make_task
from divulge.assess.splits.time_left import PassAhead, TimeLeft
from divulge.designs import BLOCK, FEWEST_ROWS, RepeatedHalves
from divulge.kernels.arrays import Mask
from divulge.objective import Target
from divulge.policy import Policy, Verdict
from divulge.record import dumps
from divulge.scenario import granted_by
from divulge.spec import format_output
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Assessed:
    """A finished assessment. record: plain data without any row of the data; the rest stays in memory."""

    record: dict[str, Any]
    verdict: Verdict
    exposed: Mask
    results: tuple[PassResult, ...]
    checkpoint: Checkpoint


def assess(
    ready: Plan,
    *,
    spec_text: bytes = b"",
    folder: Path | None = None,
    workers: int = 0,
    scheduler: str | None = None,
    resume: bool = False,
    listener: Listener | None = None,
    alone: bool = True,
) -> Assessed:
    """Run every pass and decide. folder: where finished splits are kept until the record is written.

    scheduler: the address of a dask scheduler, whose workers compute the splits instead of processes here.
    alone: whether each of several outputs is assessed alone too, beside all of them together.
    """
    started = time.perf_counter()
    data_digest = digest_of_table(ready.table)
    spec_digest = digest_of(spec_text)
    settings = [ready.design, ready.policy, [format_output(o) for o in ready.outputs], ready.assessment.seed]
    everything = (spec_digest, data_digest, dumps(settings), __version__)
    # A cluster that does not answer is an error before anything is written. How a sum rounds depends on the number of
    # threads, so there is one.
    with Cluster(scheduler) if scheduler is not None else nullcontext() as cluster, threadpool_limits(1):
        checkpoint = Checkpoint(folder, digest_of(*(part.encode() for part in everything)), resume)
        clock = Clock() if ready.is_timed else Clock.of(ready.budget)
        ahead = _ahead(ready, alone, clock)
        runner = Runner(checkpoint, workers, listener, cluster, ahead)
        with checkpoint.kept_if_of_use():
            results: list[PassResult] = []
            arithmetic = work_out(ready)
            sample = Sample.of(ready, arithmetic) if ready.is_sampled else None
            for job in _passes(ready, arithmetic, alone, clock, sample):
                if results and not ready.earlier and not _has_time(clock, results, ahead):
                    results = [_all_but_alone(results[0])]
                    break
                if sample is not None:
                    found = run_pass(job, ready.design, ready.policy, runner, None)
                    results.append(sample.spread(found, ready.table.n_rows))
                elif ready.table.people is None:
                    results.append(run_pass(job, ready.design, ready.policy, runner, ready.holdout))
                else:
                    assert isinstance(ready.design, RepeatedHalves), "the plan has seen to it"
                    results.append(_run_condensed(job, ready.design, ready.policy, runner))
    decisions = decide_all(ready, arithmetic, results)
    spec = {"digest": spec_digest, "text": spec_text.decode("utf-8", errors="replace")}
    source = Source(spec, data_digest, time.perf_counter() - started)
    record = make_record(ready, arithmetic, results, decisions, source)
    if sample is not None:
        record = sample.told(record, ready)
    return Assessed(record, decisions.overall.verdict, results[0].at_risk, tuple(results), checkpoint)


def _run_condensed(job: Pass, design: RepeatedHalves, policy: Policy, runner: Runner) -> PassResult:
    """Exactly where one table says everything, from expected numbers where it does not."""
    if spanning(job.task.outputs, job.printed, job.task.scenarios, job.task.table) is not None:
        return run_counted(job, design, policy)
    return run_fitted(job, design, policy, runner)


def _has_time(clock: Clock, results: Sequence[PassResult], ahead: TimeLeft) -> bool:
    """Whether the outputs one by one can still be assessed, judged by what the splits of the first pass took."""
    seconds, n = results[0].seconds["splits"], max(results[0].n_splits, 1)
    n_at_once = os.cpu_count() or 1 if seconds > WORTH_STARTING else 1
    return clock.left >= ahead.seconds_after(len(results), seconds / n / n_at_once)


def _all_but_alone(together: PassResult) -> PassResult:
    return replace(together, left_out=(*together.left_out, "each output alone"))


def _passes(ready: Plan, arithmetic: Arithmetic, alone: bool, clock: Clock, sample: Sample | None) -> Iterator[Pass]:
    """All outputs together, then each alone, then those that were released before; one at a time, to save memory."""
    groups = ready.groups(alone)
    for number, (stage, indices) in enumerate(groups):
        job = Pass(
            name=f"pass{number}",
            stage=stage,
            outputs=indices,
            task=_task(ready, indices, ready.table if sample is None else sample.table),
            figures=tuple(ready.figures[i] for i in indices),
            printed=tuple(ready.searched(i)[1] for i in indices),
            findings=arithmetic.findings(indices),
            named=arithmetic.named(indices, ready),
            limits=ready.limits(number, len(groups)),
            clock=clock.part(share_of(True, len(groups)) if number == 0 else 1 / (len(groups) - number)),
            is_first=number == 0,
        )
        yield job if sample is None else sample.job(job)


def _ahead(ready: Plan, alone: bool, clock: Clock) -> TimeLeft:
    """What there is to do, for whoever wants to know how long it takes."""
    n_rows, seed, design = ready.table.n_people, ready.assessment.seed, ready.design
    few = n_rows < FEWEST_ROWS or ready.table.people is not None
    splits = 0 if few else len(design.splits(n_rows, seed))
    halves = design if isinstance(design, RepeatedHalves) and not few else None
    at_least = min(BLOCK, splits) if halves is not None and halves.stop_early else splits
    smaller = 0 if halves is None else len(halves.curve_at(n_rows, seed))
    passes = [PassAhead(s, splits, at_least, 0 if i else smaller) for i, (s, _) in enumerate(ready.groups(alone))]
    most = ready.limits(0, len(passes)).split
    return TimeLeft(passes, lambda: clock.left, dear=DEAR * most, near=NEAR * most)


def _task(ready: Plan, indices: tuple[int, ...], table: Table) -> Task:
    """What the splits of a pass share. table: the people."""
    seed = ready.assessment.seed
    scenarios, granted = ready.scenarios(indices), None
    if indices[-1] < ready.n_new and granted_by(scenarios) == "earlier outputs":
        printed = ready.printed[ready.n_new :]
        earlier = [Target(o, r) for o, r in zip(ready.earlier.outputs, printed, strict=True)]
        granted = granted_by_size(earlier, table, ready.design, seed)
    outputs = [ready.searched(i)[0] for i in indices]
    return make_task(outputs, scenarios, table, ready.families, ready.synthesiser, seed, granted)
