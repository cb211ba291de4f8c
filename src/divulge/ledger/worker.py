"""A worker: takes jobs from the ledger one after another, runs each in a process of its own, hands in what it found.

It may be killed at any moment, and so may the database: the lease runs out and another worker goes on from the splits
that are finished. A database that is away for a while is waited for.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from divulge.errors import LeaseLostError, UsageError
from divulge.ledger import child, jobs, searches
from divulge.ledger.database import Ledger
from divulge.ledger.jobs import Lease, Progress
from divulge.ledger.model import ACTIVE, Job
from divulge.ledger.searches import SearchLease

T = TypeVar("T")

_LOOK_SECONDS = 0.5  # how often memory and time of a running job are looked at


class _Stopped(Exception):  # a word of this file's, never shown
    """The worker was told to end."""


@dataclass(frozen=True)
class Limits:
    """seconds, memory (bytes): what one job may take, None for as much as it likes.

    poll: seconds between two looks at an empty queue. lease: seconds of silence after which a job is somebody else's.
    """

    seconds: float | None = 4 * 3600.0
    memory: int | None = None
    poll: float = 1.0
    lease: float = jobs.LEASE_SECONDS
    heartbeat: float = jobs.HEARTBEAT_SECONDS


@dataclass(frozen=True, eq=False)
class Worker:
    """target: the function that does the work, as "package.module:function"; tests put a quicker one in its place.

    say: where lines for people go. stop: set from elsewhere (a signal), ends the worker within a second.
    """

    ledger: Ledger
    stop: threading.Event
    limits: Limits = Limits()  # frozen
    target: str = "divulge.ledger.assessing:run"
    prepare: str = "divulge.ledger.assessing:prepare"
    say: Callable[[str], None] = lambda line: None

    @property
    def name(self) -> str:
        return f"{socket.gethostname()}:{os.getpid()}"

    def run(self, *, once: bool = False, most: int | None = None) -> int:
        """Work until told to stop; once: until the queue is empty; most: so many jobs. How many jobs were taken."""
        _check_psutil()
        taken = 0
        try:
            self._patiently(self._tidy)
            while not self.stop.is_set() and (most is None or taken < most):
                lease = self._patiently(lambda: jobs.take_job(self.ledger, self.name, lease_seconds=self.limits.lease))
                if lease is None:
                    # Assessments come first: checkers wait for them.
                    if self._search():
                        taken += 1
                        continue
                    if once:
                        break
                    self.stop.wait(self.limits.poll)
                    continue
                taken += 1
                self._do(lease)
        except _Stopped:
            pass
        return taken

    def _tidy(self) -> None:
        """Remove what jobs that have ended left behind: their worker was killed before it could."""
        folder = self.ledger.store.work_folder(0).parent
        if not folder.is_dir():
            return
        with self.ledger.reading() as session:
            active = {str(number) for number in session.scalars(select(Job.id).where(Job.state.in_(ACTIVE)))}
        for left in folder.iterdir():
            if left.name not in active:
                shutil.rmtree(left, ignore_errors=True)

    def _search(self) -> bool:
        """Do a search for safer outputs, where one waits."""
        lease = self._patiently(lambda: searches.take(self.ledger, self.limits.lease))
        if lease is None:
            return False
        self.say(f"search {lease.search_id}: submission {lease.submission_id}")
        try:
            ended = self._attempt_search(lease)
        except LeaseLostError:
            ended = "somebody else has it now"
        except _Stopped:
            with suppress(LeaseLostError, SQLAlchemyError):
                lease.put_back()
            raise
        self.say(f"search {lease.search_id}: {ended}")
        return True

    def _attempt_search(self, lease: SearchLease) -> str:
        work = self._patiently(lambda: searches.prepare(self.ledger, lease))
        process, link = child.start("divulge.ledger.searches:run", work, self.limits.memory)

        def beat(_: Progress | None) -> bool:
            lease.renew(self.limits.lease)
            return False

        try:
            kind, what = self._follow(beat, process, link)
        finally:
            _end(process)
            link.close()
        if kind == "done":
            self._patiently(lambda: lease.finish(what))
            return "done"
        self._patiently(lambda: lease.fail(what))
        return str(what)

    def _do(self, lease: Lease) -> None:
        self.say(f"job {lease.job_id}: submission {lease.submission_id}, attempt {lease.attempt}")
        try:
            ended = self._attempt(lease)
        except LeaseLostError:
            ended = "somebody else has it now"
        except _Stopped:
            with suppress(LeaseLostError, SQLAlchemyError):
                lease.put_back()
            self.say(f"job {lease.job_id}: put back")
            raise
        self.say(f"job {lease.job_id}: {ended}")

    def _attempt(self, lease: Lease) -> str:
        """Run a job to its end, and say how it ended."""
        from divulge.errors import DivulgeError

        try:
            work = self._patiently(lambda: _named(self.prepare)(self.ledger, lease.submission_id, lease.job_id))
        except DivulgeError as error:
            return self._fail(lease, str(error))
        process, link = child.start(self.target, work, self.limits.memory)
        try:
            kind, what = self._follow(lambda p: self._beat(lease, p), process, link)
        finally:
            _end(process)
            link.close()
        if kind == "done":
            self._patiently(lambda: lease.finish(what.record, what.figures, what.outputs))
            shutil.rmtree(self.ledger.store.work_folder(lease.job_id), ignore_errors=True)
            return "done"
        if kind == "cancelled":
            self._patiently(lambda: lease.stop())
            return "cancelled"
        return self._fail(lease, what, again=kind == "broken")

    def _fail(self, lease: Lease, why: str, *, again: bool = False) -> str:
        self._patiently(lambda: lease.fail(why, again=again))
        return why

    def _beat(self, lease: Lease, progress: Progress | None) -> bool:
        return lease.renew(progress, lease_seconds=self.limits.lease)

    def _follow(
        self, beat_now: Callable[[Progress | None], bool], process: BaseProcess, link: Connection
    ) -> tuple[str, Any]:
        """Pass on progress, keep the lease, watch the limits, until the process has ended or must.

        beat_now: says that we are alive and how far it is, and is told whether to stop.
        """
        started = beat = time.monotonic()
        progress: Progress | None = None
        while True:
            if self.stop.is_set():
                raise _Stopped
            try:
                if link.poll(_LOOK_SECONDS):
                    kind, what = link.recv()
                    if kind == "step":
                        progress = Progress(what.stage, what.done, what.total, what.seconds_left)
                    elif kind == "memory":
                        return kind, self._too_large()
                    elif kind == "broken":
                        return kind, f"It failed unexpectedly ({what})."
                    else:
                        return kind, what
            except (EOFError, OSError):
                process.join(5)
                return "broken", f"Its process ended without a word (status {process.exitcode})."
            now = time.monotonic()
            if self.limits.seconds is not None and now - started > self.limits.seconds:
                return "time", f"It took longer than {self.limits.seconds:,.0f} seconds, which is the limit here."
            if self.limits.memory is not None and _memory(process) > self.limits.memory:
                return "memory", self._too_large()
            if now - beat >= self.limits.heartbeat:
                beat = now
                # A database that is away does not stop the work; the lease decides in the end.
                with suppress(DBAPIError):
                    if beat_now(progress):
                        return "cancelled", None

    def _too_large(self) -> str:
        limit = (self.limits.memory or 0) / (1 << 30)
        return f"It needed more than {limit:.1f} GB of memory, which is the limit here."

    def _patiently(self, action: Callable[[], T]) -> T:
        """Do it as soon as the database lets us; a database that is away is waited for."""
        wait = 0.1
        while True:
            try:
                return action()
            except DBAPIError as error:
                if not _passes(error):
                    raise
                self.say(f"the database is away ({type(error.orig).__name__}); waiting")
                if self.stop.wait(wait):
                    raise _Stopped from None
                wait = min(2 * wait, 5.0)


def _passes(error: DBAPIError) -> bool:
    """Whether an error goes away by itself: a lost or refused connection, a lock, a deadlock."""
    return error.connection_invalidated or type(error.orig).__name__ in (
        "OperationalError",
        "AdminShutdown",
        "CannotConnectNow",
        "CrashShutdown",
        "DeadlockDetected",
        "InterfaceError",
        "SerializationFailure",
        "LockNotAvailable",
    )


def _named(text: str) -> Callable[..., Any]:
    import importlib

    module, _, name = text.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _check_psutil() -> None:
    try:
        import psutil  # noqa: F401
    except ImportError:
        raise UsageError(
            "a worker watches the memory of its jobs with psutil, which is not installed.",
            hint="Install divulge with its extra: divulge[web].",
        ) from None


def _memory(process: BaseProcess) -> int:
    """Bytes of memory that a process and those it started have in use."""
    import psutil

    total = 0
    with suppress(psutil.Error):
        first = psutil.Process(process.pid)
        for one in (first, *first.children(recursive=True)):
            with suppress(psutil.Error):
                total += one.memory_info().rss
    return total


def _end(process: BaseProcess) -> None:
    """End a process and those it started, whatever they are doing."""
    import psutil

    if process.is_alive():
        with suppress(psutil.Error):
            for one in psutil.Process(process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    one.kill()
        process.kill()
    process.join(10)
    process.close()
