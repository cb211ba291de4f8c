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
from divulge.assess.splits.split import SplitResult, run_split
from divulge.assess.splits.task import Task
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
class Runner:
    """Computes splits, and keeps finished ones in the checkpoint.

    workers: how many processes; 0 is as many as there are processors, where that pays.
    cluster: computes them all instead, where there is one.
    """

    checkpoint: Checkpoint
    workers: int = 0
    listener: Listener | None = None
    cluster: Cluster | None = None

    def results(
        self,
        name: str,
        stage: str,
        task: Task,
        splits: Sequence[Split],
        *,
        with_measures: bool = True,
        sweep_at: Collection[int] = (),
    ) -> Iterator[SplitResult]:
        """The results in the order of the splits; finished ones are taken from the checkpoint and new ones put there.

        name: of the pass, for the checkpoint. sweep_at: the splits, by number, on which key subsets are swept over too.
        """
        todo = [s for s in splits if self.checkpoint.load(name, s) is None]
        started, n_new, seconds, others = time.perf_counter(), 0, 0.0, None
        for done, split in enumerate(splits, start=1):
            result = self.checkpoint.load(name, split)
            if result is None:
                # Only the first split says how long the others take: whether to share them out is decided after it.
                if others is None and n_new < 2:
                    others = self._others(task, todo[n_new:], seconds, with_measures, sweep_at)
                if others is None:
                    result = run_split(task, split, with_measures, split.number in sweep_at)
                else:
                    result = next(others)
                self.checkpoint.save(name, result)
                n_new, seconds = n_new + 1, result.seconds
            if self.listener is not None:
                left = (time.perf_counter() - started) / n_new * (len(splits) - done) if n_new else None
                self.listener(Step(stage, done, len(splits), left))
            yield result

    def _others(
        self, task: Task, rest: Sequence[Split], seconds: float, with_measures: bool, sweep_at: Collection[int]
    ) -> Iterator[SplitResult] | None:
        """Who else computes the rest: the cluster, or processes where these pay. None: this process does."""
        if self.cluster is not None:
            return self.cluster.run(task, rest, with_measures, sweep_at)
        workers = self.workers or (os.cpu_count() or 1 if seconds * len(rest) > WORTH_STARTING else 1)
        if workers == 1 or len(rest) < 2:
            return None
        return _in_processes(min(workers, len(rest)), task, rest, with_measures, sweep_at)


def _in_processes(
    workers: int, task: Task, splits: Sequence[Split], with_measures: bool, sweep_at: Collection[int]
) -> Iterator[SplitResult]:
    pool = Parallel(n_jobs=workers, return_as="generator")
    try:
        yield from pool(delayed(_run_in_process)(task, s, with_measures, s.number in sweep_at) for s in splits)
    except TerminatedWorkerError:
        raise WorkerError(
            "a process that shared the work was killed, perhaps for want of memory.",
            where="--workers",
            hint=f"Give fewer workers. {GO_ON}",
        ) from None


def _run_in_process(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
    """One split, with one thread for linear algebra: how a sum rounds depends on the number of threads."""
    with threadpool_limits(1):
        return run_split(task, split, with_measures, with_sweep)
