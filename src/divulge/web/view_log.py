"""Who saw what of a submission, and who took what away, as entries of the audit trail.

Looked at from outside of the pages, so that a new page is noted like the others. What is taken away is written down
before a byte of it leaves; what is looked at is gathered and written a little later, and never while somebody waits.
"""

from __future__ import annotations

import logging
import re
import time
from collections import OrderedDict
from threading import Lock, Timer

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from divulge.ledger import trail
from divulge.ledger.database import Ledger

_log = logging.getLogger("divulge.web")

_ADDRESS = re.compile(r"(?:/api)?/submissions/(\d{1,10})(?:/(.+))?", re.ASCII)
_NOT_NOTED = frozenset({"progress"})  # it says how far the work is, and is asked for every second
_LATER_SECONDS = 2.0  # how long views are gathered
_SAME_SECONDS = 900.0  # whoever looks at the same thing again within a quarter of an hour still looks at it
_MOST = 10_000  # views that are remembered, so as not to note them twice

_View = tuple[str, int, str]  # who, which submission, what of it


class Seen:
    """Notes views and downloads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._lock = ledger, Lock()
        self._waiting: list[_View] = []
        self._lately: OrderedDict[_View, float] = OrderedDict()
        self._timer: Timer | None = None

    def view(self, who: str, submission_id: int, what: str) -> None:
        """Somebody looks at something; it is written down soon."""
        view, now = (who, submission_id, what), time.monotonic()
        with self._lock:
            if now - self._lately.get(view, -_SAME_SECONDS) < _SAME_SECONDS:
                return
            self._lately[view] = now
            self._lately.move_to_end(view)
            while len(self._lately) > _MOST:
                self._lately.popitem(last=False)
            self._waiting.append(view)
            if self._timer is None:
                self._timer = Timer(_LATER_SECONDS, self.write)
                self._timer.daemon = True
                self._timer.start()

    def download(self, who: str, submission_id: int, what: str) -> None:
        """Somebody takes something away; it is written down now."""
        with self._ledger.writing() as session:
            trail.append(session, who, "download", "view", submission_id, {"what": what})

    def write(self) -> None:
        """Write down what has gathered, now. What cannot be written is kept for the next time."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
        if not waiting:
            return
        try:
            with self._ledger.writing() as session:
                for who, submission_id, what in waiting:
                    trail.append(session, who, "view", "view", submission_id, {"what": what})
        except SQLAlchemyError as error:
            _log.warning("views could not be written down: %s", type(error).__name__)
            with self._lock:
                self._waiting = [*waiting, *self._waiting][-_MOST:]


class NoteWhatIsSeen:
    """Between the guard and the pages: notes every answer that shows or hands out something of a submission."""

    def __init__(self, app: ASGIApp, seen: Seen) -> None:
        self.app, self.seen = app, seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _ADDRESS.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if found is None or found[2] in _NOT_NOTED:
            await self.app(scope, receive, send)
            return
        submission_id, what = int(found[1]), (found[2] or "page")[:200]
        failed: SQLAlchemyError | None = None

        async def noted(message: Message) -> None:
            nonlocal failed
            visitor = scope.get("state", {}).get("visitor")
            if message["type"] == "http.response.start" and message["status"] == 200 and visitor is not None:
                note = self.seen.download if _is_taken_away(message) else self.seen.view
                by = what if visitor.token is None else f"{what}, by token {visitor.token.id}"
                try:
                    await run_in_threadpool(note, visitor.person.name, submission_id, by)
                except SQLAlchemyError as error:
                    failed = error
            if failed is None:
                await send(message)

        await self.app(scope, receive, noted)
        if failed is not None:
            # Not a byte of the answer has left: the guard gives another.
            raise failed


def _is_taken_away(message: Message) -> bool:
    return any(name == b"content-disposition" and value.startswith(b"attachment") for name, value in message["headers"])
