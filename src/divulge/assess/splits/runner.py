"""Splits over processes or a cluster: results come back in the order of the splits, whoever computed them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from threadpoolctl import threadpool_limits

from divulge.assess.splits.checkpoint import Checkpoint
from divulge.assess.splits.cluster import GO_ON, Cluster
from divulge.assess.splits.split import SplitResult, run_split
from divulge.assess.splits.task import Task
from divulge.assess.splits.time_left import TimeLeft
from divulge.designs import BLOCK, Split
from divulge.errors import WorkerError

WORTH_STARTING = 12.0
"""Seconds of work above which starting processes pays: each imports and loads compiled code, 4 s of a processor."""

_LOADING = 2.0
"""Seconds of the first split that may have gone into loading compiled code, and say nothing about the others."""

_LATE = 5
"""Splits of late, whose time says how long others take."""

_BETWEEN_LOOKS = 1.0
"""Seconds between two looks of a worker whether whoever started it is still there."""


@dataclass(frozen=True)
class Step:
    """What a progress bar shows: the stage, split `done` of `total`, and seconds left where that can be said."""

    stage: str
    done: int
    total: int
    seconds_left: float | None


Listener = Callable[[Step], None]


@dataclass
class _Stage:
    """How far a stage is, whose splits come block by block. computed: when those that were not kept from before."""

    began: float = field(default_factory=time.perf_counter)
    done: int = 0
    computed: list[float] = field(default_factory=list)

    def each(self) -> float | None:
        """Seconds that a split takes: those of late where they are quicker than all, since the first are searched for
        to their last digits. None where none was computed."""
        if not self.computed:
            return None
        now = time.perf_counter()
        late = self.computed[-_LATE - 1 :]
        mean = (now - self.began) / len(self.computed)
        return min(mean, (now - late[0]) / _LATE) if len(late) > _LATE else mean


@dataclass(frozen=True)
class Runner:
    """Computes splits, and keeps finished ones in the checkpoint.

    workers: how many processes; 0 is as many as there are processors, where that pays.
    cluster: computes them all instead, where there is one. ahead: says how long all of it will take.
    """

    checkpoint: Checkpoint
    workers: int = 0
    listener: Listener | None = None
    cluster: Cluster | None = None
    ahead: TimeLeft | None = None
    _took: list[float] = field(default_factory=list, init=False)
    """What splits took so far, whoever computed them."""
    _stages: dict[str, _Stage] = field(default_factory=dict, init=False)

    def results(
        self,
        name: str,
        stage: str,
        task: Task,
        splits: Sequence[Split],
        *,
        with_measures: bool = True,
        sweep_at: Collection[int] = (),
        beside: int = 0,
    ) -> Iterator[SplitResult]:
        """The results in the order of the splits; finished ones are taken from the checkpoint and new ones put there.

        name: of the pass, for the checkpoint. sweep_at: the splits, by number, on which key subsets are swept over too.
        beside: how many other splits the pass has. Processes that pay for all of them pay for these.
        """
        todo = [s for s in splits if self.checkpoint.load(name, s) is None]
        others, n_computed = None, 0
        early: dict[tuple[str, int], SplitResult] = {}  # finished by others before their turn
        now = self._stages.setdefault(stage, _Stage())
        total = max(now.done, beside) + len(splits)
        for split in splits:
            result = early.pop((split.part, split.number), None) or self.checkpoint.load(name, split)
            while result is None:
                if others is None:
                    others = self._others(task, todo[n_computed:], beside, with_measures, sweep_at)
                if others is None:
                    found = run_split(task, split, with_measures, split.number in sweep_at)
                else:
                    found = next(others)
                # Kept at once, whoever's turn it is: what is finished is never computed again.
                self.checkpoint.save(name, found)
                n_computed += 1
                now.computed.append(time.perf_counter())
                self._took.append(found.seconds)
                early[found.split.part, found.split.number] = found
                result = early.pop((split.part, split.number), None)
            now.done += 1
            if self.listener is not None:
                self.listener(Step(stage, now.done, total, self._left(stage, now.done, total, now.each())))
            yield result

    def foresee(self, looks: int) -> None:
        """Count on a second look of so many splits in whatever time is told from now on."""
        if self.ahead is not None:
            self.ahead.looks = looks

    def _left(self, stage: str, done: int, total: int, each: float | None) -> float | None:
        """Seconds until all is done, where that can be said. each: what a split took so far."""
        if each is None:
            return None
        return each * (total - done) if self.ahead is None else self.ahead.seconds(stage, done, total, each)

    def _others(
        self, task: Task, rest: Sequence[Split], beside: int, with_measures: bool, sweep_at: Collection[int]
    ) -> Iterator[SplitResult] | None:
        """Who else computes the rest: the cluster, or processes where these pay. None: this process does."""
        if self.cluster is not None:
            return self.cluster.run(task, rest, with_measures, sweep_at)
        later = self._took[1:][-BLOCK:] or [max(0.0, s - _LOADING) for s in self._took] or [0.0]
        work = sum(later) / len(later) * (len(rest) + beside)
        workers = self.workers or (os.cpu_count() or 1 if work > WORTH_STARTING else 1)
        if workers == 1 or len(rest) < 2:
            return None
        return _in_processes(min(workers, len(rest)), task, rest, with_measures, sweep_at)


def _in_processes(
    workers: int, task: Task, splits: Sequence[Split], with_measures: bool, sweep_at: Collection[int]
) -> Iterator[SplitResult]:
    from joblib import Parallel, delayed  # imported where it is used: it takes longer than many an assessment
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    pool, parent = Parallel(n_jobs=workers, return_as="generator_unordered"), os.getpid()
    try:
        yield from pool(delayed(_run_in_process)(parent, task, s, with_measures, s.number in sweep_at) for s in splits)
    except TerminatedWorkerError:
        raise WorkerError(
            "a process that shared the work was killed, perhaps for want of memory.",
            where="--workers",
            hint=f"Give fewer workers. {GO_ON}",
        ) from None


def _run_in_process(parent: int, task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
    """One split, with one thread for linear algebra: how a sum rounds depends on the number of threads."""
    _end_with(parent)
    with threadpool_limits(1):
        return run_split(task, split, with_measures, with_sweep)


@cache
def _end_with(parent: int) -> None:
    """End this process once its parent has ended, however that came about: nobody is left who wants the result."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, name="divulge-parent", daemon=True).start()
