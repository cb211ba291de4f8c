"""Reports as pages: drawn by a process of their own, which no other page waits for, and kept: records never change."""

from __future__ import annotations

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from threading import Lock

from anyio import CapacityLimiter

from divulge import __version__
from divulge.errors import DivulgeError, LedgerError
from divulge.ledger.child import belong_to_parent
from divulge.ledger.store import make_private, make_private_file
from divulge.record import write_text

_LONGEST_SECONDS = 120  # a large report on a busy machine takes ten
_WAITING = 20  # readers of reports who wait at once, each in a thread that does nothing meanwhile


class Renderer:
    """Draws reports one after another. folder: where they are kept, by the digest of their record."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._pool: ProcessPoolExecutor | None = None
        self.line = CapacityLimiter(_WAITING)

    def report(self, digest: str, record: str) -> str:
        """The report of a record (JSON text) as a page."""
        kept = self._folder / f"{digest}-{__version__}.html"
        with suppress(OSError):
            return kept.read_text(encoding="utf-8")
        try:
            page = self._started().submit(_draw, record).result(_LONGEST_SECONDS)
        except (BrokenProcessPool, TimeoutError):
            self.close()
            raise LedgerError("the report could not be drawn.") from None
        with suppress(DivulgeError):
            # A full disk must not hide a report that is there.
            make_private(self._folder)
            write_text(kept, page)
            make_private_file(kept)
        return page

    def warm_up(self) -> None:
        """Start the process and let it import what it draws with, before anybody waits for a report."""
        self._started().submit(_prepare)

    def _started(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=belong_to_parent)
            return self._pool

    def close(self) -> None:
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _prepare() -> None:
    import divulge.reports  # noqa: F401


def _draw(record: str) -> str:
    """The page of a record; what its libraries take to import is paid here, not in the server."""
    from divulge.reports import Html

    return Html().render(json.loads(record))
