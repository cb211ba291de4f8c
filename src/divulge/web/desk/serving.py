"""Running the page: on loopback, at a free port, until Ctrl-C, the end of the terminal, or an hour without use."""

from __future__ import annotations

import signal
import socket
import threading
import time
import webbrowser
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from divulge.errors import UsageError
from divulge.record import write_text
from divulge.web.deployment import is_loopback
from divulge.web.desk.desk import Desk
from divulge.web.desk.keys import Keys

IDLE_SECONDS = 3600.0
_LOOK_SECONDS = 1.0


def listen(host: str) -> socket.socket:
    """A socket at a free port of this machine's own address; refused where others could reach it."""
    if not is_loopback(host):
        raise UsageError(
            f"{host} can be reached from other machines, and this page has no log-in.",
            where="--host",
            hint="Leave it at 127.0.0.1; for several people there is divulge serve.",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, 0), family=family)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}: {error.strerror}.", where="--host") from None


def address_of(held: socket.socket, keys: Keys) -> str:
    """The address to open, with the token that works once."""
    host, port = held.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}{keys.root}/?token={keys.token}"


def open_browser(address: str, private: Path) -> None:
    """By way of a file that nobody else can read: a command line, which names the address, can be read by everybody."""
    start = private / "start.html"
    write_text(
        start,
        '<!doctype html><meta charset="utf-8"><title>Divulge</title>'
        f'<meta http-equiv="refresh" content="0;url={address}">'
        f'<p><a href="{address}">Open Divulge</a></p>',
    )
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(start.as_uri())


def serve_desk(app: FastAPI, held: socket.socket, desk: Desk, keys: Keys, idle: float = IDLE_SECONDS) -> bool:
    """Serve until it is asked to end, or nobody has used it for so long; True in the latter case."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=75,
    )
    server = _Server(config)
    was_idle = threading.Event()

    def watch() -> None:
        while not server.should_exit:
            time.sleep(min(_LOOK_SECONDS, idle / 4))
            if desk.jobs.is_busy:
                keys.touch()
            if time.monotonic() - keys.last_use > idle:
                was_idle.set()
                app.state.stopping = server.should_exit = True

    def end(number: int, frame: FrameType | None) -> None:
        server.handle_exit(number, frame)

    before = {}
    if threading.current_thread() is threading.main_thread():
        # uvicorn raises what it heard once more when it has ended, which must not keep the data from being deleted.
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None:
                before[number] = signal.signal(number, end)
    threading.Thread(target=watch, daemon=True).start()
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[held])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        desk.close()
    return was_idle.is_set()


class _Server(uvicorn.Server):
    """Ends the streams of those who watch as soon as the end is asked for."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.stopping = True
        super().handle_exit(sig, frame)
