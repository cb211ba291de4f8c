"""Ctrl-C, an ended job and a closed terminal: a command stops, and says how to go on."""

from __future__ import annotations

import shlex
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

_heard: list[int] = []


class Stopped(Exception):
    """Stopped with something finished and kept. more: what goes behind the same command, to go on from there."""

    def __init__(self, *more: str) -> None:
        super().__init__()
        self.more = more


def is_stopped() -> bool:
    """Whether somebody wants the command to end. Python drops the exception where it meets code that C calls back; this
    remembers."""
    return bool(_heard)


@contextmanager
def heeded_stops() -> Iterator[None]:
    """Every way to end a command is a KeyboardInterrupt. Signals that are ignored (a job in the background) stay so."""
    heeded = {}
    if current_thread() is main_thread():
        _heard.clear()
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
                heeded[number] = signal.signal(number, _note)
    try:
        yield
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)


@contextmanager
def unfinished(target: Path, resume: bool) -> Iterator[Path]:
    """A folder for what is finished until all is. resume: whether to go on from what is in it; else it starts empty."""
    kept = target / "unfinished"
    if not resume:
        shutil.rmtree(kept, ignore_errors=True)
    try:
        yield kept
    except KeyboardInterrupt:
        raise Stopped("--resume") from None
    shutil.rmtree(kept, ignore_errors=True)


def _note(number: int, frame: FrameType | None) -> None:
    _heard.append(number)
    signal.default_int_handler(number, frame)


def going_on(given: Sequence[str], stop: Stopped | None = None) -> str:
    """What is said at the end, with the line to type. given: the words of the command."""
    if stop is None:
        return f"Interrupted. Run it again: {shlex.join(['divulge', *given])}"
    words = [word for word in given if word != "--resume"]
    return f"Interrupted. What is finished is kept. Go on with: {shlex.join(['divulge', *words, *stop.more])}"
