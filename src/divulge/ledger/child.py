"""The process of one job: it is started afresh (spawn), tells how far it is, and ends when its worker does."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from divulge.errors import DivulgeError

_HEADROOM = 4 << 30
"""Bytes of address space beyond the limit of memory: compiled code and thread stacks reserve far more than they use.
The worker looks at the memory in use twice a second; this stops what grows faster than it can look."""


def start(target: str, work: Any, memory: int | None) -> tuple[BaseProcess, Connection]:
    """Start a process that runs `target` ("package.module:function") on `work`, and the link that it reports by."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_main, args=(theirs, target, work, memory), name="divulge job")
    process.start()
    theirs.close()
    return process, ours


def _main(link: Connection, target: str, work: Any, memory: int | None) -> None:
    belong_to_parent()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "setsid"):
        os.setsid()
        _keep_nice()
    # A worker that is gone hears nothing any more, and needs not.
    with suppress(BrokenPipeError, ConnectionError):
        _report(link, target, work, memory)


def belong_to_parent() -> None:
    """For a process that works for the one that started it: Ctrl-C is the parent's to answer, and it ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _report(link: Connection, target: str, work: Any, memory: int | None) -> None:
    try:
        if memory is not None:
            _limit_memory(memory)
        module, _, name = target.partition(":")
        run = getattr(importlib.import_module(module), name)
        link.send(("done", run(work, lambda step: link.send(("step", step)))))
    except (BrokenPipeError, ConnectionError):
        raise
    except DivulgeError as error:
        link.send(("refused", str(error)))
    except MemoryError:
        link.send(("memory", ""))
    except BaseException as error:
        # The text of a stranger's error may quote a row; its kind cannot.
        link.send(("broken", type(error).__name__))


def _keep_nice() -> None:
    """A session may be a scheduling group of its own, in which nice counts for nothing: make the group as nice."""
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(os.nice(0)), encoding="ascii")


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the worker looks at the memory all the same
        return
    limit = memory + _HEADROOM
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
