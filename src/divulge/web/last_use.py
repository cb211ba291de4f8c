"""Writing down that log-ins are in use: together, a little later, and never while somebody waits for a page."""

from __future__ import annotations

import logging
from collections.abc import Collection
from threading import Lock, Timer

from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from divulge.ledger.database import Ledger
from divulge.ledger.model import BrowserSession, utc_now

_log = logging.getLogger("divulge.web")

_LATER_SECONDS = 2.0  # how long notes are gathered: nothing beside the minute after which a log-in is noted again


class LastUse:
    """Gathers log-ins in use and writes them in one transaction. What a crash loses is noted with the next page."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._lock = ledger, Lock()
        self._noted: set[str] = set()
        self._timer: Timer | None = None

    def note(self, token_hash: str) -> None:
        """This log-in is in use; it is written down soon."""
        with self._lock:
            self._noted.add(token_hash)
            if self._timer is None:
                self._timer = Timer(_LATER_SECONDS, self.write)
                self._timer.daemon = True
                self._timer.start()

    def write(self) -> None:
        """Write down what is noted, now."""
        with self._lock:
            noted, self._noted = self._noted, set()
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
        if not noted:
            return
        try:
            with self._ledger.writing() as session:
                _touch(session, noted)
        except SQLAlchemyError as error:
            # Each is noted again with the next page of whoever it is; the statement may hold a hash, so it is not said.
            _log.warning("log-ins in use could not be written down: %s", type(error).__name__)


def _touch(session: Session, token_hashes: Collection[str]) -> None:
    """Write down that log-ins are in use; those that have ended meanwhile stay ended."""
    in_use = BrowserSession.token_hash.in_(token_hashes)
    session.execute(update(BrowserSession).where(in_use).values(seen_at=utc_now()))
