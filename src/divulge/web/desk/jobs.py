"""What takes long: one job at a time, in a process of its own that ends with this one, and can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from divulge.errors import StateError
from divulge.ledger import child

_BROKEN = "a mistake of ours ended it"
_MEMORY = "there was not enough memory for it"


@dataclass(eq=False)
class _Job:
    """Something under way, or the last that was. what: in words, as the page says it."""

    what: str
    process: BaseProcess
    words: str = "Starting."
    done: int = 0
    total: int = 0
    is_active: bool = True
    problem: str | None = None


@dataclass(eq=False)
class Jobs:
    """The job of a page. finish: what becomes of a result, called before the job counts as ended."""

    latest: _Job | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_busy(self) -> bool:
        return self.latest is not None and self.latest.is_active

    def check_idle(self) -> None:
        """Raise where something is under way: what it is about must not change meanwhile."""
        if self.is_busy:
            raise StateError("something is under way.", hint="Wait for it, or stop it.")

    def start(self, what: str, target: str, work: Any, finish: Callable[[Any], None]) -> _Job:
        with self._lock:
            self.check_idle()
            process, link = child.start(target, work, None)
            job = self.latest = _Job(what, process)
        threading.Thread(target=_follow, args=(job, link, finish), daemon=True).start()
        return job

    def stop(self) -> None:
        """End what is under way. What it found so far is lost, but finished splits are kept."""
        job = self.latest
        if job is not None and job.is_active:
            job.problem = "it was stopped"
            job.process.terminate()
            job.process.join(10)


def _follow(job: _Job, link: Connection, finish: Callable[[Any], None]) -> None:
    try:
        while True:
            kind, said = link.recv()
            if kind == "step":
                job.done, job.total = said.done, said.total
                left = "" if said.seconds_left is None else f", about {said.seconds_left:,.0f} seconds left"
                job.words = f"{said.stage}: {said.done:,} of {said.total:,}{left}."
                continue
            if kind == "done":
                finish(said)
            else:
                job.problem = {"refused": said, "memory": _MEMORY}.get(kind, f"{_BROKEN} ({said})")
            return
    except (EOFError, OSError):
        job.problem = job.problem or _BROKEN
    except Exception as error:  # a result that cannot be written: said on the page, without a value
        job.problem = str(error) if hasattr(error, "hint") else f"{_BROKEN} ({type(error).__name__})"
    finally:
        job.is_active = False
        link.close()
        job.process.join(10)
