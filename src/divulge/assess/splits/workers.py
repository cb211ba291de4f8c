"""Splits over processes or a cluster: results come back in the order of the splits, whoever computed them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from divulge.assess.splits.checkpoint import Checkpoint
from divulge.assess.splits.cluster import GO_ON, Cluster
from divulge.assess.splits.split import SplitResult, Task, run_split
from divulge.designs import Split
from divulge.errors import WorkerError

WORTH_STARTING = 6.0
"""Seconds of work above which starting processes (each imports and loads compiled code, 2 s) pays."""


@dataclass(frozen=True)
class Step:
    """What a progress bar shows: the stage, split `done` of `total`, and seconds left where that can be said."""

    stage: str
    done: int
    total: int
    seconds_left: float | None


Listener = Callable[[Step], None]


@dataclass(frozen=True)
class Crew:
    """Who computes splits. workers: how many processes; 0 is as many as there are processors, where that pays.

    cluster: computes them all instead, where there is one.
    """

    workers: int = 0
    listener: Listener | None = None
    cluster: Cluster | None = None

    def run(
        self,
        name: str,
        stage: str,
        task: Task,
        splits: Sequence[Split],
        checkpoint: Checkpoint,
        *,
        with_measures: bool = True,
        sweep_at: Collection[int] = (),
    ) -> Iterator[SplitResult]:
        """The results in the order of the splits; finished ones are taken from the checkpoint and new ones put there.

        sweep_at: the numbers of the splits on which key subsets are swept over as well.
        """
        todo = [s for s in splits if checkpoint.load(name, s) is None]
        computed = self._computed(task, todo, with_measures, sweep_at)
        started, fresh = time.perf_counter(), 0
        for done, split in enumerate(splits, start=1):
            held = checkpoint.load(name, split)
            if held is None:
                held = next(computed)
                checkpoint.save(name, held)
                fresh += 1
            left = (time.perf_counter() - started) / fresh * (len(splits) - done) if fresh else None
            if self.listener is not None:
                self.listener(Step(stage, done, len(splits), left))
            yield held

    def _computed(
        self, task: Task, todo: Sequence[Split], with_measures: bool, sweep_at: Collection[int]
    ) -> Iterator[SplitResult]:
        if self.cluster is not None:
            yield from self.cluster.run(task, todo, with_measures, sweep_at)
            return
        rest = list(todo)
        workers = self.workers or (os.cpu_count() or 1)
        if rest and not self.workers:
            first = _run_alone(task, rest[0], with_measures, rest[0].number in sweep_at)
            rest = rest[1:]
            yield first
            workers = workers if first.seconds * len(rest) > WORTH_STARTING else 1
        if workers == 1 or len(rest) < 2:
            for split in rest:
                yield _run_alone(task, split, with_measures, split.number in sweep_at)
            return
        pool = Parallel(n_jobs=min(workers, len(rest)), return_as="generator")
        try:
            yield from pool(delayed(_run_alone)(task, s, with_measures, s.number in sweep_at) for s in rest)
        except TerminatedWorkerError:
            raise WorkerError(
                "a process that shared the work was killed, perhaps for want of memory.",
                where="--workers",
                hint=f"Give fewer workers. {GO_ON}",
            ) from None


def _run_alone(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
    """One split. Sums of several threads round as the number of threads has it, so linear algebra has one."""
    with threadpool_limits(1):
        return run_split(task, split, with_measures, with_sweep)
