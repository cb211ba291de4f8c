"""Splits over a cluster: a dask scheduler hands them to its workers. What they find does not depend on who found it.

Data go to the cluster as codes, over the connection that the address names: tcp is in the clear, tls is not.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import os
import pickle
import platform
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from types import TracebackType
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from divulge.assess.splits.split import SplitResult, run_split
from divulge.assess.splits.task import Task
from divulge.designs import Split
from divulge.errors import UsageError, WorkerError

_Found = TypeVar("_Found")

TO_CONNECT = 10.0
"""Seconds to wait for the scheduler: it is there or it is not."""

FOR_WORKERS = 60.0
"""Seconds to wait while there is no worker: a queue may need a while to start one."""

BETWEEN_CHECKS = 5.0
"""Seconds of waiting for a split after which to see whether anybody is left to compute it."""

GO_ON = "Finished splits are kept: go on with --resume, with or without the cluster."

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""glibc's numbers of what mallopt sets."""


class Cluster:
    """A connection to a dask scheduler; a context manager, which closes it."""

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            from distributed import Client
        except ImportError:
            raise UsageError(
                "a cluster needs the package 'distributed', which is not installed.",
                where="--scheduler",
                hint="Install divulge[cluster], here and where the workers run.",
            ) from None
        try:
            self.client: Any = Client(address, timeout=TO_CONNECT, set_as_default=False, name="divulge")
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            # A wrong scheme is a ValueError, a wrong port an OSError; neither text says more than the address does.
            raise self._trouble(
                f"no dask scheduler answers within {TO_CONNECT:.0f} seconds.",
                "Start one with `dask scheduler`, and give the address that it prints, as in tcp://127.0.0.1:8786.",
            ) from error
        self._sent: tuple[Any, Any] | None = None
        self._wait_for_workers()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sent = None
        # The result is here, or an error that says more than that the scheduler did not wave goodbye.
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self.client.close(timeout=TO_CONNECT)

    def run(
        self, task: Task, splits: Sequence[Split], with_measures: bool, sweep_at: Collection[int]
    ) -> Iterator[SplitResult]:
        """The results in the order of the splits."""
        shared = self._send(task)
        submitted = [
            self.client.submit(
                _run_remotely,
                shared,
                split,
                with_measures,
                split.number in sweep_at,
                versions(),
                # A key made from the arguments would be shared by two assessments of one cluster.
                pure=False,
            )
            for split in splits
        ]
        try:
            for future in submitted:
                yield self._result(future)
        finally:
            with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                self.client.cancel(submitted, force=True)

    def each(self, shared: Any, items: Iterable[Any], work: Callable[[Any, Any], _Found]) -> Iterator[_Found]:
        """What `work` gives of what is shared and of each item, in their order. What is shared is sent once."""
        held, waiting = self._send(shared), deque[Any]()
        try:
            for item in items:
                waiting.append(self.client.submit(_work_remotely, held, item, work, versions(), pure=False))
                # No more are asked for than workers need to have the next one at hand.
                if len(waiting) > 2 * max(self._n_workers(), 1):
                    yield self._result(waiting.popleft())
            while waiting:
                yield self._result(waiting.popleft())
        finally:
            with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                self.client.cancel(list(waiting), force=True)

    def _send(self, task: Any) -> Any:
        """The task as a future. It is unpacked by a task of its own, so that the scheduler can have it unpacked again
        where the only worker that held it has died; scattered data would be lost."""
        if self._sent is None or self._sent[0] is not task:
            packed = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
            self._sent = task, self.client.submit(_unpack, packed, pure=False)
        return self._sent[1]

    def _result(self, future: Any) -> Any:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        deserted: float | None = None
        while True:
            try:
                return future.result(timeout=BETWEEN_CHECKS)
            except TimeoutError:
                if self._n_workers():
                    deserted = None
                    continue
                deserted = deserted or time.monotonic()
                if time.monotonic() - deserted > FOR_WORKERS:
                    raise self._trouble("all workers are gone.", GO_ON) from None
            except KilledWorker:
                raise self._trouble(
                    "several workers died, one after the other, while they computed the same split.",
                    f"Give the workers more memory. {GO_ON}",
                ) from None
            except (CancelledError, CommClosedError, OSError):
                raise self._trouble("the scheduler went away.", GO_ON) from None
            except ImportError as error:
                raise self._trouble(
                    f"a worker cannot import {error.name or 'what it needs'!r}.", "Install divulge there too."
                ) from None

    def _n_workers(self) -> int:
        return len(self.client.scheduler_info()["workers"])

    def _wait_for_workers(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=FOR_WORKERS)
        except TimeoutError:
            self.client.close(timeout=TO_CONNECT)
            raise self._trouble(
                f"the scheduler has had no worker for {FOR_WORKERS:.0f} seconds.",
                f"Start some, as with `dask worker {self.address}`.",
            ) from None

    def _trouble(self, message: str, hint: str) -> WorkerError:
        return WorkerError(message, where=f"--scheduler {self.address}", hint=hint)


def versions() -> dict[str, str]:
    """What figures depend on besides the program's input: whoever shares the work needs the same."""
    names = ("divulge", "numpy", "scipy", "numba")
    return {"python": platform.python_version(), **{n: importlib.metadata.version(n) for n in names}}


def _unpack(packed: bytes) -> Any:
    return pickle.loads(packed)


def _run_remotely(
    task: Task, split: Split, with_measures: bool, with_sweep: bool, wanted: dict[str, str]
) -> SplitResult:
    """On a worker: one split."""
    _check_worker(wanted)
    return run_split(task, split, with_measures, with_sweep)


def _work_remotely(shared: Any, item: Any, work: Callable[[Any, Any], _Found], wanted: dict[str, str]) -> _Found:
    """On a worker: one item."""
    _check_worker(wanted)
    return work(shared, item)


def _check_worker(wanted: dict[str, str]) -> None:
    """Prepare the process; an error where it has other versions than whoever asks."""
    _prepare_process()
    here = versions()
    other = [name for name in wanted if here[name] != wanted[name]]
    if other:
        name = other[0]
        raise WorkerError(
            f"a worker has {name} {here[name]}, and {wanted[name]} is used here: results would depend on who "
            "computed them.",
            where="--scheduler",
            hint="Install the same versions everywhere.",
        )


@cache
def _prepare_process() -> None:
    """Once in every worker: memory as numpy likes it, and one thread for linear algebra.

    dask starts workers with MALLOC_TRIM_THRESHOLD_=65536, which makes glibc map and unmap every larger array; splits
    then take three times as long. Its own limits are put back: 32 MB for a mapping of its own, 128 MB to give back.
    How a sum rounds depends on the number of threads, so there is one.
    """
    threadpool_limits(1)
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return
    with contextlib.suppress(OSError, AttributeError):  # another C library knows no mallopt, and not the trouble
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_THRESHOLD, 32 * 1024 * 1024)
        libc.mallopt(_TRIM_THRESHOLD, 128 * 1024 * 1024)
