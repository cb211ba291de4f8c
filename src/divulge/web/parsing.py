"""Reading what people send, in a process of its own that may take so long and so much memory and no more.

Some texts of a few bytes keep a reader busy for ever: `(a + b) ** 9999999` is a formula. A process can be ended, a
thread cannot. Processes are forked from one that has imported everything already, so one takes hundredths of a second.
"""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import Lock, Semaphore
from typing import Any, ParamSpec, TypeVar

from divulge.errors import BusyError, DivulgeError, SpecError, TooLargeError

_P = ParamSpec("_P")
_T = TypeVar("_T")

_log = logging.getLogger("divulge.web")

SECONDS = 10.0
"""How long reading may take. A large spec takes a second."""

_START_SECONDS = 120.0  # until the process is there: the first of all imports everything, beside whatever else is busy
_MEMORY = 1 << 30  # bytes that reading may take beyond what the program itself has
_AT_ONCE = 3
"""Readers at once: fewer than pages are made at once, so that reading never holds up all pages."""

_WAIT_SECONDS = 5.0  # how long one waits for a turn before one is told to come back

_turns = Semaphore(_AT_ONCE)
_sending: set[int] = set()
_lock = Lock()


@contextmanager
def one_at_a_time(person_id: int) -> Iterator[None]:
    """While somebody hands something in they hand in nothing else: nobody takes the place of all others."""
    with _lock:
        if person_id in _sending:
            raise BusyError("what you sent before is still being read.", hint="Send this in a moment.")
        _sending.add(person_id)
    try:
        yield
    finally:
        with _lock:
            _sending.discard(person_id)


def within_limits(read: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """What a function of ours makes of what somebody sent; its errors are raised here. It must be found by its name."""
    if not _turns.acquire(timeout=_WAIT_SECONDS):
        raise BusyError("too much is being read at the moment.", hint="Try again in a minute.")
    try:
        found: _T = aside((read, given, named), SECONDS)
        return found
    finally:
        _turns.release()


def aside(
    work: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]], seconds: float, processor: int | None = None
) -> Any:
    """The same for whoever waits in a line of their own. work: a function, and what it is given.

    seconds: by the clock; processor: seconds of computing, where it may wait long for its turn.
    """
    context = _context()
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, processor), name="divulge reader", daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(_START_SECONDS):
            raise BusyError("the machine is too busy to read this.", hint="Try again in a minute.")
        ours.recv()
        ours.send(work)
        if not ours.poll(seconds):
            raise SpecError(
                f"reading this takes longer than {seconds:.0f} seconds.", hint="Hand in less at a time, or simpler."
            )
        kind, what = ours.recv()
    except (EOFError, OSError):
        kind, what = "memory", None
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if kind == "done":
        return what
    if kind == "refused":
        raise what
    if kind == "memory":
        raise TooLargeError("reading this takes too much memory.", hint="Hand in less at a time, or simpler.")
    _log.error("what somebody sent could not be read: %s", what)
    raise SpecError("this cannot be read.", hint="Is it nested very deeply, or are its numbers very large?")


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["divulge.web.reading"])
    return context


def warm_up() -> None:
    """Start the process that readers are forked from, before anybody waits for it."""
    within_limits(str, "")


def _serve(link: Connection, processor: int | None) -> None:
    _limit_memory()
    _limit_processor(processor)
    link.send("ready")
    read, given, named = link.recv()
    try:
        answer = ("done", read(*given, **named))
    except DivulgeError as error:
        answer = ("refused", error)
    except MemoryError:
        answer = ("memory", None)
    except BaseException as error:
        # The text of a stranger's error may quote what was sent; its kind cannot.
        answer = ("broken", type(error).__name__)
    link.send(answer)


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # where the system does not know of it, time is the limit
        import resource

        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = used + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def _limit_processor(seconds: int | None) -> None:
    with suppress(ImportError, OSError, ValueError):  # the clock is watched all the same
        import resource

        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
