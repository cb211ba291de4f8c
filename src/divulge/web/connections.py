"""Connections that say nothing, or stop in the middle: each is closed after a while, and none keeps others out."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0
"""How long the head of a request may take, from the moment that it is waited for: nobody's line is so slow."""


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with an end to waiting for the head of a request.

    uvicorn itself closes a connection that is idle between two requests, but not one that never begins, nor one that
    sends half a head.
    """

    head_seconds = HEAD_SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            # Some of a head, and not all of it.
            self._wait_for_head()
        elif self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        # Not begun anew by further bytes: one a second would keep it open for ever.
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._close)

    def _close(self) -> None:
        self._head_timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()
